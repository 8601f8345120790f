#include "proxy/request.h"

#include <gtest/gtest.h>

#include <string>

#include <paddock/limits.h>

using namespace paddock;
using namespace paddock::proxy;

namespace {

// Bytes of `text` that belong to the body, given in parts of `part` bytes; -1: malformed.
long taken(HttpBody body, std::string_view text, std::size_t part) {
    long sum = 0;
    while (!text.empty() && !body.complete()) {
        const auto now = body.take(text.substr(0, part));
        if (!now) return -1;
        sum += static_cast<long>(*now);
        text.remove_prefix(std::min(part, text.size()));
    }
    return body.complete() ? sum : -2;
}

void expect_size(const HttpBody& body, const std::string& text, long size) {
    for (const std::size_t part : {std::size_t{1}, std::size_t{2}, std::size_t{7}, text.size()}) {
        EXPECT_EQ(taken(body, text + "GET http://other/", part), size) << text;
    }
}

TEST(HttpBody, ends_at_its_length) {
    EXPECT_TRUE(HttpBody().complete());
    EXPECT_TRUE(HttpBody::of_length(0).complete());
    EXPECT_EQ(HttpBody().take("GET").value_or(9), 0U);
    expect_size(HttpBody::of_length(5), "12345", 5);
    EXPECT_EQ(taken(HttpBody::of_length(6), "12345", 2), -2);
    HttpBody endless = HttpBody::of_length(~std::uint64_t{0});
    EXPECT_EQ(endless.take("12345").value_or(0), 5U);
    EXPECT_FALSE(endless.complete());
}

TEST(HttpBody, ends_with_the_last_chunk) {
    for (const std::string text :
         {"0\r\n\r\n", "5\r\n12345\r\n0\r\n\r\n", "A;name=\"v\"\r\n1234567890\r\n000\r\n\r\n",
          "1 \r\nx\r\n0\r\nTrailer: one\r\nOther: two\r\n\r\n", "2\r\n\r\n\r\n0\r\n\r\n",
          "5\r\n0\r\n\r\n\r\n0\r\n\r\n"}) {
        expect_size(HttpBody::chunked(), text, static_cast<long>(text.size()));
    }
}

TEST(HttpBody, refuses_what_is_no_chunk) {
    for (const std::string text :
         {"", "\r\n", "g\r\n", "-1\r\n", "0x5\r\n", " 5\r\n", "5\n12345\r\n", "5\r12345",
          "5\r\n123456", "5\r\n12345\n", "5\r\n12345\r0", "ffffffffffffffff\r\n",
          "0000000000000000\r\n", "5;\x01\r\n", "0\r\n\n", "0\r\nTrailer\n\r\n",
          "0\r\nTrailer: \x7f\r\n\r\n"}) {
        for (const std::size_t part : {std::size_t{1}, std::size_t{64}}) {
            EXPECT_LT(taken(HttpBody::chunked(), text, part), 0) << text;
        }
    }
    EXPECT_LT(taken(HttpBody::chunked(), std::string_view("5\0\r\n12345\r\n", 11), 64), 0);
}

}  // namespace

namespace {

// All of it at once, and byte by byte: the outcome must be the same.
struct Reading {
    std::string replies;
    std::optional<ProxyRequest> request;
    std::optional<ProxyRefusal> refusal;
    std::string rest;
};

Reading read_in_parts(std::string_view bytes, std::size_t part) {
    ProxyRequestReader reader;
    Reading result;
    while (!bytes.empty() || !result.rest.empty()) {
        const std::string_view now = bytes.substr(0, part);
        result.rest += now;
        bytes.remove_prefix(now.size());
        ProxyStep step = reader.read(result.rest);
        EXPECT_LE(step.consumed, result.rest.size());
        result.rest.erase(0, step.consumed);
        result.replies += step.reply;
        result.request = std::move(step.request);
        result.refusal = std::move(step.refusal);
        if (result.request || result.refusal) break;
        if (step.consumed == 0 && bytes.empty()) break;
    }
    result.rest += bytes;
    return result;
}

Reading read(std::string_view bytes) {
    Reading whole = read_in_parts(bytes, bytes.size());
    const Reading single = read_in_parts(bytes, 1);
    EXPECT_EQ(whole.request.has_value(), single.request.has_value());
    EXPECT_EQ(whole.refusal.has_value(), single.refusal.has_value());
    EXPECT_EQ(whole.replies, single.replies);
    if (whole.request && single.request) {
        EXPECT_EQ(whole.request->head, single.request->head);
        EXPECT_EQ(whole.rest, single.rest);
    }
    return whole;
}

std::string destination(const Reading& reading) {
    return reading.request   ? policy::destination_text(reading.request->destination)
           : reading.refusal ? "refused: " + std::string(reading.refusal->why)
                             : "more";
}

std::string connect_to(const std::string& target) {
    return destination(read("CONNECT " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"));
}

std::string get(const std::string& target) {
    return destination(read("GET " + target + " HTTP/1.1\r\n\r\n"));
}

bool is_refused(const std::string& destination) { return destination.starts_with("refused: "); }

const std::string kHello("\x05\x01\x00", 3);

std::string socks_name(const std::string& name, const std::string& port) {
    return kHello + std::string("\x05\x01\x00\x03", 4) + static_cast<char>(name.size()) + name +
           port;
}

const std::string kPort443("\x01\xbb", 2);

TEST(ProxyRequest, connect_names_a_host_and_a_port) {
    EXPECT_EQ(connect_to("Example.org:443"), "example.org:443");
    EXPECT_EQ(connect_to("[::1]:8443"), "[::1]:8443");
    EXPECT_EQ(connect_to("127.0.0.1:1"), "127.0.0.1:1");
    const Reading reading =
        read("CONNECT a.example:443 HTTP/1.0\r\nUser-Agent: x\r\n\r\n\x16\x03\x01 hello");
    ASSERT_TRUE(reading.request.has_value());
    EXPECT_EQ(reading.request->protocol, ProxyProtocol::kConnect);
    EXPECT_EQ(reading.request->head, "");
    EXPECT_EQ(reading.rest, "\x16\x03\x01 hello");
}

TEST(ProxyRequest, connect_refuses_other_targets) {
    for (const char* target : {"example.org",
                               "example.org:",
                               "example.org:0",
                               "example.org:65536",
                               "example.org:443x",
                               "example.org:-1",
                               ":443",
                               "http://example.org:443",
                               "http://example.org/",
                               "/",
                               "*",
                               "user@example.org:443",
                               "user:pw@example.org:443",
                               "[::1%lo]:443",
                               "[fe80::1%25eth0]:443",
                               "::1:443",
                               "127.1:80",
                               "0x7f000001:80",
                               "2130706433:80",
                               "0177.0.0.1:80",
                               "example.org:443/path",
                               "example.org:443?",
                               "exa%6dple.org:443",
                               "example.org\t:443",
                               "ex\xc3\xa4mple.org:443",
                               "example.org\x7f:443"}) {
        EXPECT_TRUE(is_refused(connect_to(target))) << target;
    }
    EXPECT_TRUE(is_refused(connect_to(std::string("allowed.example\0.evil.example:443", 34))));
}

TEST(ProxyRequest, a_refused_host_is_named) {
    const Reading reading = read("CONNECT 0x7f.1:80 HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(reading.refusal.has_value());
    EXPECT_EQ(reading.refusal->host, "0x7f.1:80");
    EXPECT_EQ(reading.refusal->protocol, ProxyProtocol::kConnect);
    EXPECT_EQ(read("GET / HTTP/1.1\r\n\r\n").refusal->host, "");
}

TEST(ProxyRequest, a_plain_request_is_rewritten_for_its_origin) {
    const Reading reading = read(
        "GET http://Example.org/a?b=c HTTP/1.1\r\nHost: other.example\r\nUser-Agent: x\r\n"
        "Proxy-Connection: keep-alive\r\nconnection: keep-alive\r\nProxy-Authorization: Basic x\r\n"
        "Keep-Alive: 5\r\nUpgrade: h2c\r\nAccept:*/*\r\nX-Bytes: \xff\t\r\n\r\nGET http://next/");
    ASSERT_TRUE(reading.request.has_value());
    EXPECT_EQ(reading.request->head,
              "GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nUser-Agent: x\r\nAccept: */*\r\n"
              "X-Bytes: \xff\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(reading.request->body.complete());
    EXPECT_EQ(reading.rest, "GET http://next/");
}

TEST(ProxyRequest, a_url_is_taken_apart_strictly) {
    EXPECT_EQ(get("http://example.org"), "example.org:80");
    EXPECT_EQ(get("HTTP://example.org:8080/x"), "example.org:8080");
    EXPECT_EQ(get("http://[::1]:8080/"), "[::1]:8080");
    EXPECT_EQ(get("http://example.org/@evil.example/"), "example.org:80");
    EXPECT_EQ(get("http://example.org?@evil.example/"), "example.org:80");
    for (const char* target : {"/",
                               "*",
                               "example.org",
                               "//example.org/",
                               "https://example.org/",
                               "ftp://example.org/",
                               "http:/example.org/",
                               "http://",
                               "http:///path",
                               "http://example.org:/",
                               "http://example.org:0/",
                               "http://example.org:65536/",
                               "http://user@example.org/",
                               "http://user:pw@example.org/",
                               "http://allowed.example\\@evil.example/",
                               "http://example.org#@evil.example/",
                               "http://example.org/#x",
                               "http://127.1/",
                               "http://[::1%25lo]/",
                               "http://[::1/",
                               "http://exa mple.org/",
                               "http://example.org/a\tb",
                               "http://example.org\x01/"}) {
        EXPECT_TRUE(is_refused(get(target))) << target;
    }
    EXPECT_EQ(read("GET http://[::1]?x HTTP/1.0\r\n\r\n").request->head,
              "GET /?x HTTP/1.0\r\nHost: [::1]\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(read("GET http://a:81 HTTP/1.1\r\n\r\n").request->head,
              "GET / HTTP/1.1\r\nHost: a:81\r\nConnection: close\r\n\r\n");
}

TEST(ProxyRequest, a_body_is_framed_in_one_way) {
    const auto with = [](const std::string& headers) {
        return read("POST http://a/ HTTP/1.1\r\n" + headers + "\r\nbody");
    };
    EXPECT_FALSE(with("Content-Length: 4\r\n").request->body.complete());
    EXPECT_FALSE(with("transfer-encoding:\tChunked \r\n").request->body.complete());
    EXPECT_TRUE(with("Content-Length: 0\r\n").request->body.complete());
    for (const char* headers : {"Content-Length: 4\r\nContent-Length: 4\r\n",
                                "Content-Length: 4, 4\r\n",
                                "Content-Length: -1\r\n",
                                "Content-Length: +4\r\n",
                                "Content-Length:\r\n",
                                "Content-Length: 99999999999999999999\r\n",
                                "Content-Length: 0x4\r\n",
                                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                                "Transfer-Encoding: gzip\r\n",
                                "Transfer-Encoding: gzip, chunked\r\n",
                                "Transfer-Encoding: identity\r\n",
                                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                                "Transfer-Encoding : chunked\r\n",
                                " Transfer-Encoding: chunked\r\n",
                                "Transfer-Encoding:\r\n chunked\r\n",
                                "No-Colon\r\n",
                                ": empty\r\n",
                                "A: b\nC: d\r\n",
                                "A: b\rC: d\r\n",
                                "Na me: x\r\n",
                                "A: \x01\r\n"}) {
        EXPECT_TRUE(with(headers).refusal.has_value()) << headers;
    }
    EXPECT_TRUE(with(std::string("A: \0b\r\n", 7)).refusal.has_value());
}

TEST(ProxyRequest, malformed_lines_are_refused) {
    for (const char* text :
         {"GET\r\n\r\n", "GET http://a/\r\n\r\n", "GET http://a/ HTTP/2.0\r\n\r\n",
          "GET http://a/ HTTP/1.2\r\n\r\n", "GET http://a/ http/1.1\r\n\r\n",
          "GET  http://a/ HTTP/1.1\r\n\r\n", "GET http://a/  HTTP/1.1\r\n\r\n",
          "G(T http://a/ HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1 \r\n\r\n",
          "get http://a/ HTTP/1.1\r\n\r\n", "\r\n\r\n", " GET http://a/ HTTP/1.1\r\n\r\n",
          "\x04\x01", "\x16\x03\x01", "{}"}) {
        EXPECT_TRUE(read(text).refusal.has_value()) << text;
    }
    EXPECT_EQ(destination(read("GET http://a/ HTTP/1.1\n\n")), "more") << "no line ends yet";
}

TEST(ProxyRequest, a_head_is_bounded) {
    const std::string start = "GET http://a/ HTTP/1.1\r\nA: ";
    std::string long_head = start + std::string(limits::kProxyHeadBytesMax - start.size(), 'x');
    ProxyRequestReader reader;
    const ProxyStep step = reader.read(long_head);
    ASSERT_TRUE(step.refusal.has_value());
    EXPECT_EQ(step.refusal->answer, ProxyAnswer::kTooLarge);
    long_head.pop_back();
    EXPECT_FALSE(ProxyRequestReader().read(long_head).refusal.has_value());
}

TEST(ProxyRequest, socks_names_a_host_in_three_ways) {
    const Reading name = read(socks_name("Example.org", kPort443) + "\x16hello");
    EXPECT_EQ(destination(name), "example.org:443");
    EXPECT_EQ(name.replies, std::string("\x05\x00", 2));
    EXPECT_EQ(name.rest, "\x16hello");
    EXPECT_EQ(name.request->protocol, ProxyProtocol::kSocks);
    const std::string v4 = kHello + std::string("\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50", 10);
    EXPECT_EQ(destination(read(v4)), "127.0.0.1:80");
    const std::string v6 =
        kHello + std::string("\x05\x01\x00\x04", 4) + std::string(15, '\0') + "\x01" + kPort443;
    EXPECT_EQ(destination(read(v6)), "[::1]:443");
    EXPECT_EQ(destination(read(socks_name("127.0.0.1", kPort443))), "127.0.0.1:443");
    // Another method offered beside.
    EXPECT_EQ(destination(read(std::string("\x05\x02\x02\x00", 4) + v4.substr(3))), "127.0.0.1:80");
}

TEST(ProxyRequest, socks_refuses_strange_names) {
    const std::string names[] = {
        std::string("allowed.example\0.evil.example", 29),
        std::string("\0", 1),
        "",
        "127.1",
        "0x7f000001",
        "2130706433",
        "fe80::1%eth0",
        "[fe80::1%eth0]",
        "::1",
        "exa mple.org",
        "example.org\n",
        "user@example.org",
        "example.org:80",
        "a..b",
        std::string(255, 'a'),
    };
    for (const std::string& name : names) {
        const Reading reading = read(socks_name(name, kPort443));
        ASSERT_TRUE(reading.refusal.has_value()) << name;
        EXPECT_EQ(reading.refusal->host, name);
        EXPECT_EQ(reading.refusal->protocol, ProxyProtocol::kSocks);
    }
    EXPECT_TRUE(is_refused(destination(read(socks_name("a.example", std::string(2, '\0'))))));
}

TEST(ProxyRequest, socks_serves_connect_without_authentication) {
    const auto with = [](std::string_view tail) { return read(kHello + std::string(tail)); };
    using namespace std::string_view_literals;
    EXPECT_EQ(with("\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50"sv).refusal->answer,
              ProxyAnswer::kUnsupported);
    EXPECT_EQ(with("\x05\x03\x00\x01\x7f\x00\x00\x01\x00\x50"sv).refusal->answer,
              ProxyAnswer::kUnsupported);
    EXPECT_EQ(with("\x05\x01\x00\x02\x7f\x00\x00\x01\x00\x50"sv).refusal->answer,
              ProxyAnswer::kUnsupported);
    EXPECT_EQ(with("\x04\x01\x00\x01\x7f\x00\x00\x01\x00\x50"sv).refusal->answer,
              ProxyAnswer::kBadRequest);
    EXPECT_EQ(with("\x05\x01\x01\x01\x7f\x00\x00\x01\x00\x50"sv).refusal->answer,
              ProxyAnswer::kBadRequest);
    const Reading password = read("\x05\x01\x02"sv);
    EXPECT_EQ(password.replies, "\x05\xff");
    EXPECT_TRUE(password.refusal.has_value());
    const Reading nothing = read("\x05\x00"sv);
    EXPECT_EQ(nothing.replies, "\x05\xff");
}

TEST(ProxyRequest, answers_speak_the_language_of_the_client) {
    EXPECT_EQ(reply_text(ProxyProtocol::kConnect, ProxyAnswer::kConnected, {}),
              "HTTP/1.1 200 Connection established\r\n\r\n");
    EXPECT_EQ(reply_text(ProxyProtocol::kPlainHttp, ProxyAnswer::kConnected, {}), "");
    EXPECT_EQ(reply_text(ProxyProtocol::kUnknown, ProxyAnswer::kBadRequest, "x"), "");
    EXPECT_EQ(reply_text(ProxyProtocol::kPlainHttp, ProxyAnswer::kDenied, "a:1 is\r\nbad"),
              "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 27\r\n"
              "Connection: close\r\n\r\npaddock: a:1 is\\x0d\\x0abad\n");
    EXPECT_EQ(reply_text(ProxyProtocol::kSocks, ProxyAnswer::kDenied, "x"),
              std::string("\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00", 10));
}

}  // namespace
