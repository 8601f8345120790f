#include "sandbox/http_body.h"

#include <gtest/gtest.h>

#include <string>

using namespace paddock;
using namespace paddock::sandbox;

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
