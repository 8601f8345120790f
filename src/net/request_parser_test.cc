#include "net/request_parser.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace paddock::net {
namespace {

using State = RequestParser::State;
constexpr ParserLimits kLimits{.head_bytes_max = 1024, .headers_max = 10, .body_bytes_max = 100};

// Feeds `bytes`, `step` at a time, until a request is there or there is nothing more to feed.
std::size_t feed(RequestParser& parser, std::string_view bytes, std::size_t step) {
    std::size_t at = 0;
    std::size_t end = 0;
    do {
        end = std::min(bytes.size(), end + step);
        for (;;) {
            const State before = parser.state();
            const std::size_t taken = parser.feed(bytes.substr(at, end - at));
            at += taken;
            if (parser.state() == State::kDone || parser.state() == State::kWrong) return at;
            if (taken == 0 && parser.state() == before) break;
        }
    } while (end < bytes.size());
    return at;
}

// The status of a refusal; 0: accepted, 1: more is needed. The same however the bytes are cut.
unsigned verdict(const std::string& bytes) {
    std::optional<unsigned> first;
    for (const std::size_t step : {bytes.size(), std::size_t{1}, std::size_t{7}}) {
        RequestParser parser(kLimits);
        feed(parser, bytes, step);
        const unsigned now = parser.state() == State::kDone    ? 0
                             : parser.state() == State::kWrong ? parser.status()
                                                               : 1;
        EXPECT_EQ(first.value_or(now), now) << "cut at " << step << ": " << bytes;
        first = now;
    }
    return *first;
}

std::string post(const std::string& headers, const std::string& body) {
    return "POST /mcp HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
}

TEST(RequestParser, reads_a_request_and_leaves_the_next) {
    const std::string first = post("Content-Length: 2\r\nX-Y:  z \r\n", "{}");
    for (const std::size_t step : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
        RequestParser parser(kLimits);
        EXPECT_EQ(feed(parser, first + "GET", step), first.size());
        ASSERT_EQ(parser.state(), State::kDone);
        const Request request = parser.take();
        EXPECT_EQ(request.head.method, "POST");
        EXPECT_EQ(request.head.path(), "/mcp");
        EXPECT_EQ(*request.head.header("x-y"), "z");
        EXPECT_EQ(request.body, "{}");
        EXPECT_EQ(parser.state(), State::kHead);
        EXPECT_FALSE(parser.has_begun());
    }
}

TEST(RequestParser, reads_chunks) {
    RequestParser parser(kLimits);
    const std::string text =
        post("Transfer-Encoding: chunked\r\n", "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n");
    EXPECT_EQ(feed(parser, text, 1), text.size());
    ASSERT_EQ(parser.state(), State::kDone);
    const Request request = parser.take();
    EXPECT_EQ(request.body, "abcde");
    EXPECT_EQ(request.head.header("T"), nullptr);
}

TEST(RequestParser, accepts_what_is_usual) {
    EXPECT_EQ(verdict("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"), 0U);
    EXPECT_EQ(verdict("\r\n\r\nGET / HTTP/1.0\r\n\r\n"), 0U);
    EXPECT_EQ(verdict("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n"), 0U);
    EXPECT_EQ(verdict(post("Content-Length: 0\r\n", "")), 0U);
    EXPECT_EQ(verdict(post("Content-Length: 5\r\n", "abc")), 1U);
    EXPECT_EQ(verdict("GET / HT"), 1U);
}

// Pairs that a proxy in front might read in another way than the server behind it.
TEST(RequestParser, refuses_what_can_be_read_in_two_ways) {
    const std::string chunks = "0\r\n\r\n";
    EXPECT_EQ(verdict(post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", chunks)), 400U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", chunks)), 400U);
    EXPECT_EQ(verdict(post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd")), 400U);
    EXPECT_EQ(verdict(post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc")), 400U);
    EXPECT_EQ(verdict(post("Content-Length: 3, 3\r\n", "abc")), 400U);
    EXPECT_EQ(verdict(post("Content-Length: +3\r\n", "abc")), 400U);
    EXPECT_EQ(verdict(post("Content-Length: 0x3\r\n", "abc")), 400U);
    EXPECT_EQ(verdict(post("Content-Length: -1\r\n", "")), 400U);
    EXPECT_EQ(verdict(post("Content-Length: 99999999999999999999999\r\n", "")), 400U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunks)),
              400U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: identity\r\n", "")), 501U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: gzip, chunked\r\n", chunks)), 501U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: chunked, identity\r\n", chunks)), 501U);
    EXPECT_EQ(verdict(post("Transfer-Encoding : chunked\r\n", chunks)), 400U);
    EXPECT_EQ(verdict(post("Transfer-Encoding:\r\n chunked\r\n", chunks)), 400U);
    EXPECT_EQ(verdict(post("X: a\r\n\tb\r\n", "")), 400U);
    EXPECT_EQ(verdict("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400U);
    EXPECT_EQ(verdict("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400U);
    EXPECT_EQ(verdict("GET / HTTP/1.1\r\n\r\n"), 400U);
    EXPECT_EQ(verdict("GET / HTTP/1.1\nHost: a\n\n\r\n\r\n"), 505U);
    EXPECT_EQ(verdict("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"), 400U);
    EXPECT_EQ(verdict("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505U);
    EXPECT_EQ(verdict("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505U);
    EXPECT_EQ(verdict("GET / HTTP/1.1\r\nHost: a\r\nX: a" + std::string(1, '\0') + "b\r\n\r\n"),
              400U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: chunked\r\n", "zz\r\n")), 400U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: chunked\r\n", "ffffffffffffffffff\r\n")), 400U);
}

TEST(RequestParser, keeps_to_its_bounds) {
    EXPECT_EQ(verdict(post("X: " + std::string(2000, 'x') + "\r\n", "")), 431U);
    EXPECT_EQ(verdict("GET /" + std::string(2000, 'x')), 431U);
    std::string many;
    for (int i = 0; i < 11; ++i) many += "X: y\r\n";
    EXPECT_EQ(verdict(post(many, "")), 431U);
    EXPECT_EQ(verdict(post("Content-Length: 101\r\n", "")), 413U);
    EXPECT_EQ(verdict(post("Content-Length: 100000000000\r\n", "")), 413U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: chunked\r\n", "65\r\n" + std::string(101, 'x'))),
              413U);
    EXPECT_EQ(verdict(post("Transfer-Encoding: chunked\r\n", "1;" + std::string(2000, 'x'))), 431U);
}

TEST(RequestParser, does_not_wait_for_the_rest_of_garbage) {
    EXPECT_EQ(verdict(std::string("\x16\x03\x01\x02\x00\x01\x00", 7)), 400U);
    EXPECT_EQ(verdict("GET /\xff"), 400U);
}

}  // namespace
}  // namespace paddock::net
