#include "policy/destination.h"

#include <gtest/gtest.h>

using namespace paddock;
using namespace paddock::policy;

namespace {

std::string host(std::string_view text) {
    const auto parsed = parse_host(text);
    return parsed ? parsed->text : "refused: " + std::string(parsed.error().reason);
}

bool is_refused(std::string_view text) { return !parse_host(text).has_value(); }

TEST(Destination, a_name_has_one_form) {
    EXPECT_EQ(host("Example.ORG"), "example.org");
    EXPECT_EQ(host("example.org."), "example.org");
    EXPECT_EQ(host("XN--BCHER-KVA.example"), "xn--bcher-kva.example");
    EXPECT_EQ(host("localhost"), "localhost");
    EXPECT_EQ(host("a_b.example"), "a_b.example");
    EXPECT_EQ(host("3com.example"), "3com.example");
    EXPECT_EQ(host("1.2.3.4.example"), "1.2.3.4.example");
    EXPECT_EQ(host("0x7f.example"), "0x7f.example");
    EXPECT_FALSE(parse_host("1.2.3.4.example")->address.has_value());
}

TEST(Destination, no_byte_of_a_name_is_strange) {
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const bool usual = std::isalnum(static_cast<unsigned char>(c)) != 0 && byte < 128;
        const std::string name = std::string("a") + c + "b.example";
        EXPECT_EQ(!is_refused(name), usual || c == '-' || c == '_' || c == '.') << byte;
    }
    EXPECT_TRUE(is_refused(std::string_view("allowed.example\0.evil.example", 29)));
    EXPECT_TRUE(is_refused("allowed.example%00.evil.example"));
    EXPECT_TRUE(
        is_refused("b\xc3\xbc"
                   "cher.example"));
}

TEST(Destination, names_are_bounded_and_have_no_empty_parts) {
    const std::string label(63, 'a');
    const std::string name = label + "." + label + "." + label + "." + std::string(61, 'a');
    EXPECT_EQ(name.size(), 253U);
    EXPECT_FALSE(is_refused(name));
    EXPECT_FALSE(is_refused(name + "."));
    EXPECT_TRUE(is_refused(name + "a"));
    EXPECT_TRUE(is_refused(label + "a.example"));
    EXPECT_TRUE(is_refused(std::string(100'000, 'a')));
    for (const char* text : {"", ".", "..", ".a", "a..b", "a..", "-a.b", "a-.b", "a.-b", "a.b-"}) {
        EXPECT_TRUE(is_refused(text)) << text;
    }
}

TEST(Destination, ipv4_has_one_spelling) {
    for (const char* text :
         {"2130706433", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "0X7F000001",
          "017700000001", "127.0.0.01", "127.0.0.256", "127.0.0.0x1", "0", "0x", "00", "1.2.3.4.5",
          "example.1", "example.0x1", "example.0x", "999999999999"}) {
        EXPECT_TRUE(is_refused(text)) << text;
    }
    EXPECT_EQ(parse_host("127.0.0.1")->address, ipv4(0x7f000001));
    EXPECT_EQ(parse_host("127.0.0.1.")->address, ipv4(0x7f000001));
}

TEST(Destination, ipv6_is_in_brackets_and_without_zone) {
    EXPECT_EQ(host("[::1]"), "::1");
    EXPECT_EQ(host("[0:0:0:0:0:0:0:1]"), "::1");
    EXPECT_EQ(host("[::FFFF:127.0.0.1]"), "::ffff:127.0.0.1");
    for (const char* text : {"::1", "[::1", "[]", "[", "[::1]x", "[::1%lo]", "[::1%25lo]",
                             "[[::1]]", "[127.0.0.1]", "[example.org]", "::1]"}) {
        EXPECT_TRUE(is_refused(text)) << text;
    }
}

TEST(Destination, ports_are_plain_numbers_in_range) {
    EXPECT_EQ(parse_port("1").value_or(0), 1);
    EXPECT_EQ(parse_port("65535").value_or(0), 65535);
    for (const char* text : {"", "0", "00", "080", "65536", "99999999999999999999", "-1", "+80",
                             " 80", "80 ", "0x50", "8o", "80\n", "*"}) {
        EXPECT_FALSE(parse_port(text).has_value()) << text;
    }
    EXPECT_FALSE(parse_port(std::string_view("80\0", 3)).has_value());
}

TEST(Destination, host_and_port_are_told_apart) {
    const auto text = [](std::string_view written, std::optional<std::uint16_t> usual = {}) {
        const auto parsed = parse_destination(written, usual);
        return parsed ? destination_text(*parsed) : std::string("refused");
    };
    EXPECT_EQ(text("Example.org:443"), "example.org:443");
    EXPECT_EQ(text("[::1]:8080"), "[::1]:8080");
    EXPECT_EQ(text("[::1]", 80), "[::1]:80");
    EXPECT_EQ(text("example.org", 80), "example.org:80");
    for (const char* written :
         {"example.org", "[::1]", "example.org:", "example.org:0", "example.org:65536", ":80",
          "::1:80", "example.org:80:80", "user@example.org:80", "user:pw@example.org:80",
          "allowed.example:80@evil.example:80", "[::1]:", "[::1]80", "[::1", "[::1:80", ""}) {
        EXPECT_EQ(text(written), "refused") << written;
    }
    EXPECT_EQ(text("example.org:", 80), "refused");
}

}  // namespace
