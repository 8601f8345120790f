#include "policy/host_rules.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include <paddock/limits.h>

using namespace paddock::policy;

namespace {

using enum AddressClass;

struct Row {
    const char* text;
    AddressClass which;
};

AddressClass class_of(const char* text) {
    const auto address = parse_address(text);
    EXPECT_TRUE(address.has_value()) << text;
    return address ? classify(*address) : kReserved;
}

// The first and last address of each range, and their neighbours outside.
TEST(AddressClass, knows_both_ends_of_every_ipv4_range) {
    const Row rows[] = {
        {"0.0.0.0", kUnspecified},
        {"0.255.255.255", kUnspecified},
        {"1.0.0.0", kPublic},
        {"9.255.255.255", kPublic},
        {"10.0.0.0", kPrivate},
        {"10.255.255.255", kPrivate},
        {"11.0.0.0", kPublic},
        {"100.63.255.255", kPublic},
        {"100.64.0.0", kShared},
        {"100.127.255.255", kShared},
        {"100.128.0.0", kPublic},
        {"126.255.255.255", kPublic},
        {"127.0.0.0", kLoopback},
        {"127.0.0.1", kLoopback},
        {"127.255.255.255", kLoopback},
        {"128.0.0.0", kPublic},
        {"169.253.255.255", kPublic},
        {"169.254.0.0", kLinkLocal},
        {"169.254.255.255", kLinkLocal},
        {"169.255.0.0", kPublic},
        {"172.15.255.255", kPublic},
        {"172.16.0.0", kPrivate},
        {"172.31.255.255", kPrivate},
        {"172.32.0.0", kPublic},
        {"191.255.255.255", kPublic},
        {"192.0.0.0", kReserved},
        {"192.0.0.255", kReserved},
        {"192.0.1.0", kPublic},
        {"192.0.2.0", kReserved},
        {"192.0.2.255", kReserved},
        {"192.0.3.0", kPublic},
        {"192.88.98.255", kPublic},
        {"192.88.99.0", kReserved},
        {"192.88.99.255", kReserved},
        {"192.88.100.0", kPublic},
        {"192.167.255.255", kPublic},
        {"192.168.0.0", kPrivate},
        {"192.168.255.255", kPrivate},
        {"192.169.0.0", kPublic},
        {"198.17.255.255", kPublic},
        {"198.18.0.0", kReserved},
        {"198.19.255.255", kReserved},
        {"198.20.0.0", kPublic},
        {"198.51.99.255", kPublic},
        {"198.51.100.0", kReserved},
        {"198.51.100.255", kReserved},
        {"198.51.101.0", kPublic},
        {"203.0.112.255", kPublic},
        {"203.0.113.0", kReserved},
        {"203.0.113.255", kReserved},
        {"203.0.114.0", kPublic},
        {"223.255.255.255", kPublic},
        {"224.0.0.0", kMulticast},
        {"239.255.255.255", kMulticast},
        {"240.0.0.0", kReserved},
        {"255.255.255.255", kReserved},
    };
    for (const Row& row : rows) EXPECT_EQ(class_of(row.text), row.which) << row.text;
}

TEST(AddressClass, knows_both_ends_of_every_ipv6_range) {
    const Row rows[] = {
        {"::", kUnspecified},
        {"::1", kLoopback},
        {"::2", kEmbedded},
        {"::7f00:1", kEmbedded},
        {"::ffff:ffff", kEmbedded},
        {"::1:0:0", kReserved},
        {"::ffff:127.0.0.1", kEmbedded},
        {"::ffff:8.8.8.8", kEmbedded},
        {"::fffe:ffff:ffff", kReserved},
        {"::ffff:0:127.0.0.1", kEmbedded},
        {"64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", kReserved},
        {"64:ff9b::8.8.8.8", kPublic},
        {"64:ff9b::127.0.0.1", kLoopback},
        {"64:ff9b::10.0.0.1", kPrivate},
        {"64:ff9b::169.254.169.254", kMetadata},
        {"64:ff9b::1:0:0", kReserved},
        {"64:ff9b:1::", kEmbedded},
        {"64:ff9b:1:ffff:ffff:ffff:ffff:ffff", kEmbedded},
        {"64:ff9b:2::", kReserved},
        {"100::", kReserved},
        {"1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", kReserved},
        {"2000::", kPublic},
        {"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", kPublic},
        {"2001::", kEmbedded},
        {"2001:0:ffff:ffff:ffff:ffff:ffff:ffff", kEmbedded},
        {"2001:1::", kReserved},
        {"2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", kReserved},
        {"2001:200::", kPublic},
        {"2001:db7:ffff::", kPublic},
        {"2001:db8::", kReserved},
        {"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", kReserved},
        {"2001:db9::", kPublic},
        {"2001:4860:4860::8888", kPublic},
        {"2002::", kEmbedded},
        {"2002:7f00:1::", kEmbedded},
        {"2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", kEmbedded},
        {"2003::", kPublic},
        {"3ffe:ffff::", kPublic},
        {"3fff::", kReserved},
        {"3fff:fff:ffff::", kReserved},
        {"3fff:1000::", kPublic},
        {"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", kPublic},
        {"4000::", kReserved},
        {"fbff:ffff::", kReserved},
        {"fc00::", kPrivate},
        {"fd00::1", kPrivate},
        {"fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", kPrivate},
        {"fe00::", kReserved},
        {"fe7f:ffff::", kReserved},
        {"fe80::", kLinkLocal},
        {"fe80::1", kLinkLocal},
        {"febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", kLinkLocal},
        {"fec0::", kPrivate},
        {"feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", kPrivate},
        {"ff00::", kMulticast},
        {"ff02::1", kMulticast},
        {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", kMulticast},
    };
    for (const Row& row : rows) EXPECT_EQ(class_of(row.text), row.which) << row.text;
}

TEST(AddressClass, knows_the_metadata_services) {
    for (const char* text :
         {"169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200", "192.0.0.192",
          "168.63.129.16", "fd00:ec2::254", "fd00:ec2::23", "fd00:42::42", "fd00:c1::a9fe:a9fe",
          "fd00:100::100:200", "fd00:a9fe:a9fe::1", "fd20:ce::254"}) {
        EXPECT_EQ(class_of(text), kMetadata) << text;
    }
    EXPECT_EQ(class_of("168.63.129.15"), kPublic);
    EXPECT_EQ(class_of("168.63.129.17"), kPublic);
    for (const char* prefix :
         {"fd00:ec2:", "fd00:42:", "fd00:c1:", "fd00:100:", "fd00:a9fe:", "fd20:ce:"}) {
        EXPECT_EQ(class_of((std::string(prefix) + ":").c_str()), kMetadata) << prefix;
        EXPECT_EQ(class_of((prefix + std::string("ffff:ffff:ffff:ffff:ffff:ffff")).c_str()),
                  kMetadata)
            << prefix;
    }
    for (const char* text : {"fd00:ec1:ffff::", "fd00:ec3::", "fd00:41:ffff::", "fd00:43::",
                             "fd00:c0:ffff::", "fd00:c2::", "fd00:ff:ffff::", "fd00:101::",
                             "fd00:a9fd:ffff::", "fd00:a9ff::", "fd20:cd:ffff::", "fd20:cf::"}) {
        EXPECT_EQ(class_of(text), kPrivate) << text;
    }
}

TEST(AddressClass, has_one_spelling_of_ipv4) {
    for (const char* text :
         {"",           "127",         "127.1",      "127.0.1",    "2130706433",  "0x7f000001",
          "0177.0.0.1", "0x7f.0.0.1",  "127.0.0.01", "00.0.0.0",   "127.0.0.256", "127.0.0.1.",
          ".127.0.0.1", "127..0.1",    "127.0.0.1 ", " 127.0.0.1", "127.0.0.1\n", "+127.0.0.1",
          "-1.0.0.0",   "127.0.0.1.1", "1.2.3.4/8",  "1.2.3.4:80"}) {
        EXPECT_FALSE(parse_address(text).has_value()) << text;
    }
    EXPECT_EQ(parse_address("127.0.0.1"), ipv4(0x7f000001));
    EXPECT_FALSE(parse_address(std::string_view("127.0.0.1\0", 10)).has_value());
}

TEST(AddressClass, takes_no_zone_bracket_or_nonsense_for_ipv6) {
    for (const char* text :
         {":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1%lo", "fe80::1%1", "fe80::1%25eth0",
          "[::1]", "::1/128", "12345::", "g::", "::127.1", "::ffff:0x7f.0.0.1", "1::2::3",
          "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb"}) {
        EXPECT_FALSE(parse_address(text).has_value()) << text;
    }
}

TEST(AddressClass, writes_one_spelling) {
    const std::pair<const char*, const char*> rows[] = {
        {"127.0.0.1", "127.0.0.1"},
        {"0:0:0:0:0:0:0:1", "::1"},
        {"2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
        {"::ffff:1.2.3.4", "::ffff:1.2.3.4"},
    };
    for (const auto& [written, canonical] : rows) {
        EXPECT_EQ(address_text(parse_address(written).value_or(IpAddress{})), canonical);
    }
}

// Every address has a class, and only 2000::/3 and NAT64 can be public.
TEST(AddressClass, is_never_public_by_default) {
    for (unsigned first = 0; first < 65536; ++first) {
        IpAddress address;
        address.v6 = true;
        address.bytes[0] = static_cast<std::uint8_t>(first >> 8);
        address.bytes[1] = static_cast<std::uint8_t>(first);
        address.bytes[15] = 9;
        if (first >> 13 == 1) continue;
        EXPECT_NE(classify(address), kPublic) << address_text(address);
    }
}

}  // namespace

using namespace paddock;

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

namespace {

HostRules rules(std::vector<std::string> entries) {
    auto parsed = HostRules::parse(entries);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().message();
    return std::move(*parsed);
}

Destination to(std::string_view text) {
    auto destination = parse_destination(text);
    EXPECT_TRUE(destination.has_value()) << text;
    return std::move(*destination);
}

// "--net 'a,b'" as a shell and the option understand it.
std::vector<std::string> entries_of(std::string option) {
    option.erase(0, option.find(' ') + 1);
    std::erase(option, '\'');
    std::vector<std::string> entries;
    std::istringstream in(option);
    for (std::string entry; std::getline(in, entry, ',');) entries.push_back(entry);
    return entries;
}

bool allows(const HostRules& rules, std::string_view text) { return !rules.refusal(to(text)); }

bool allows(const HostRules& rules, std::string_view text, std::string_view address) {
    return !rules.refusal(to(text), parse_address(address).value_or(IpAddress{}));
}

TEST(HostRules, nothing_is_allowed_unless_listed) {
    const HostRules none = rules({});
    EXPECT_FALSE(allows(none, "example.org:443"));
    EXPECT_FALSE(allows(none, "127.0.0.1:80"));
    EXPECT_EQ(none.refusal(to("a.example:1")), "is out of reach: commands have no network");
    EXPECT_EQ(rules({"b.example"}).refusal(to("a.example:1")), "is not on the allow list");
}

TEST(HostRules, a_name_is_that_name_and_no_other) {
    const HostRules listed = rules({"Example.org."});
    EXPECT_TRUE(allows(listed, "example.org:443"));
    EXPECT_TRUE(allows(listed, "EXAMPLE.ORG.:22"));
    for (const char* other :
         {"www.example.org:443", "example.org.evil.example:443", "notexample.org:443",
          "example.orga:443", "org:443", "ample.org:443", "example-org:443"}) {
        EXPECT_FALSE(allows(listed, other)) << other;
    }
}

TEST(HostRules, a_pattern_covers_what_is_below) {
    const HostRules listed = rules({"*.example.org"});
    EXPECT_TRUE(allows(listed, "www.example.org:443"));
    EXPECT_TRUE(allows(listed, "a.b.c.Example.org:443"));
    for (const char* other : {"example.org:443", "notexample.org:443", "www.example.org.evil.x:443",
                              "www-example.org:443"}) {
        EXPECT_FALSE(allows(listed, other)) << other;
    }
}

TEST(HostRules, a_port_restricts) {
    const HostRules listed = rules({"example.org:443", "*.example.org:8443", "example.org:22"});
    EXPECT_TRUE(allows(listed, "example.org:443"));
    EXPECT_TRUE(allows(listed, "example.org:22"));
    EXPECT_TRUE(allows(listed, "a.example.org:8443"));
    EXPECT_FALSE(allows(listed, "a.example.org:443"));
    EXPECT_EQ(listed.refusal(to("example.org:80")), "is on the allow list with another port only");
}

TEST(HostRules, an_address_is_listed_in_any_spelling_and_asked_for_as_itself) {
    const HostRules listed = rules({"10.1.2.3", "[0:0::1]:80", "2001:DB8::1"});
    EXPECT_TRUE(allows(listed, "10.1.2.3:99"));
    EXPECT_TRUE(allows(listed, "[::1]:80"));
    EXPECT_FALSE(allows(listed, "[::1]:81"));
    EXPECT_TRUE(allows(listed, "[2001:db8:0::1]:1"));
    // Other forms of the same IPv4 address are other addresses.
    EXPECT_FALSE(allows(listed, "[::ffff:10.1.2.3]:99"));
    EXPECT_FALSE(allows(listed, "[::10.1.2.3]:99"));
    EXPECT_FALSE(allows(listed, "[64:ff9b::10.1.2.3]:99"));
    EXPECT_FALSE(allows(listed, "8.8.8.8:53")) << "public, and not listed";
}

TEST(HostRules, a_name_leads_to_public_addresses_only) {
    const HostRules listed = rules({"git.example.org", "*.below.example.org"});
    for (const char* name : {"git.example.org:443", "a.below.example.org:443"}) {
        EXPECT_TRUE(allows(listed, name, "8.8.8.8"));
        EXPECT_TRUE(allows(listed, name, "2001:4860::8888"));
        for (const char* address : {"127.0.0.1",        "::1",
                                    "10.0.0.1",         "192.168.1.1",
                                    "172.16.0.1",       "100.64.0.1",
                                    "169.254.1.1",      "169.254.169.254",
                                    "168.63.129.16",    "fe80::1",
                                    "fd00::1",          "fd00:ec2::254",
                                    "0.0.0.0",          "::",
                                    "224.0.0.1",        "ff02::1",
                                    "255.255.255.255",  "::ffff:8.8.8.8",
                                    "::ffff:127.0.0.1", "2002:7f00:1::1",
                                    "64:ff9b::7f00:1",  "192.0.2.1",
                                    "100.100.100.200",  "::ffff:10.0.0.1",
                                    "64:ff9b::a00:1",   "fec0::1"}) {
            EXPECT_FALSE(allows(listed, name, address)) << name << " " << address;
        }
    }
    EXPECT_EQ(listed.refusal(to("git.example.org:1"), ipv4(0x7f000001)),
              "leads to a loopback address that is not listed");
    EXPECT_EQ(listed.refusal(to("git.example.org:1"), ipv4(0x0a000001)),
              "leads to a private address that is not listed");
}

TEST(HostRules, a_listed_name_leads_into_the_site_to_listed_addresses_only) {
    const HostRules listed = rules({"git.corp.example", "10.0.0.1:443", "fd00::1"});
    EXPECT_TRUE(allows(listed, "git.corp.example:443", "10.0.0.1"));
    EXPECT_TRUE(allows(listed, "git.corp.example:22", "fd00::1"));
    EXPECT_FALSE(allows(listed, "git.corp.example:22", "10.0.0.1")) << "another port";
    EXPECT_FALSE(allows(listed, "git.corp.example:443", "10.0.0.2"));
    EXPECT_FALSE(allows(listed, "git.corp.example:443", "fd00::2"));
    EXPECT_FALSE(allows(listed, "ci.corp.example:443", "10.0.0.1")) << "the name counts too";
}

TEST(HostRules, a_listed_address_may_be_led_to_on_its_port) {
    const HostRules listed = rules({"*.test", "127.0.0.1:8080", "::1"});
    EXPECT_TRUE(allows(listed, "app.test:8080", "127.0.0.1"));
    EXPECT_TRUE(allows(listed, "app.test:9999", "::1"));
    EXPECT_FALSE(allows(listed, "app.test:8081", "127.0.0.1"));
    EXPECT_FALSE(allows(listed, "app.test:8080", "127.0.0.2"));
    EXPECT_FALSE(allows(listed, "other.example:8080", "127.0.0.1")) << "the name counts too";
}

TEST(HostRules, localhost_is_the_loopback) {
    const HostRules listed = rules({"localhost:3000", "app.localhost"});
    EXPECT_TRUE(allows(listed, "localhost:3000", "127.0.0.1"));
    EXPECT_TRUE(allows(listed, "localhost:3000", "::1"));
    EXPECT_FALSE(allows(listed, "localhost:3001", "127.0.0.1"));
    EXPECT_FALSE(allows(listed, "localhost:3000", "169.254.169.254"));
    EXPECT_TRUE(allows(listed, "app.localhost:1", "127.0.0.1"));
    EXPECT_FALSE(allows(listed, "x.localhost:1", "127.0.0.1"));
    EXPECT_FALSE(allows(rules({"*.localhost"}), "x.localhost:1", "127.0.0.1"));
    EXPECT_FALSE(allows(rules({"host:notlocalhost"}), "notlocalhost:1", "127.0.0.1"));
}

TEST(HostRules, a_wrong_entry_is_named_and_explained) {
    const std::pair<const char*, const char*> rows[] = {
        {"", "the host is empty"},
        {"*", "has a star in the wrong place; only \"*.\" before a domain is accepted"},
        {"*.", "the host is empty"},
        {"*example.org", "has a star in the wrong place; only \"*.\" before a domain is accepted"},
        {"a.*.org", "has a star in the wrong place; only \"*.\" before a domain is accepted"},
        {"*.*.org", "has a star in the wrong place; only \"*.\" before a domain is accepted"},
        {"example.org:*", "has a star in the wrong place; only \"*.\" before a domain is accepted"},
        {"*.10.0.0.1", "has a star before an address"},
        {"https://example.org", "is a URL; write the host or host:port"},
        {"example.org/path", "has a slash; paths and ranges of addresses cannot be listed"},
        {"10.0.0.0/8", "has a slash; paths and ranges of addresses cannot be listed"},
        {"user@example.org", "user names and passwords are not accepted"},
        {"example.org:0", "the port is not a number from 1 to 65535"},
        {"example.org:65536", "the port is not a number from 1 to 65535"},
        {"example.org:http", "the port is not a number from 1 to 65535"},
        {"example.org:", "the port is not a number from 1 to 65535"},
        {"127.1", "an IPv4 address must be four decimal numbers"},
        {"[::1%lo]", "the brackets do not hold an IPv6 address; zones are not accepted"},
        {"exa mple.org", "the host has a byte that is not allowed in host names"},
        {"example..org", "a part of the host name is empty or longer than 63 bytes"},
    };
    for (const auto& [entry, why] : rows) {
        const std::vector<std::string> entries = {"fine.example", entry};
        const auto parsed = HostRules::parse(entries);
        ASSERT_FALSE(parsed.has_value()) << entry;
        EXPECT_EQ(parsed.error().code, Code::kInvalidArgument);
        EXPECT_EQ(parsed.error().reason, why) << entry;
        EXPECT_EQ(parsed.error().path, entry);
    }
    const std::vector<std::string> many(limits::kHostRulesMax + 1, "a.example");
    EXPECT_EQ(HostRules::parse(many).error().code, Code::kLimitReached);
}

TEST(HostRules, a_private_name_leads_into_the_site_and_no_further) {
    const HostRules listed =
        rules({"private:git.corp", "private:*.lan:443", "public.example", "private:build"});
    for (const char* address :
         {"10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "fd00::1", "8.8.8.8"}) {
        EXPECT_TRUE(allows(listed, "git.corp:22", address)) << address;
        EXPECT_TRUE(allows(listed, "a.lan:443", address)) << address;
        EXPECT_TRUE(allows(listed, "build:80", address)) << address;
    }
    for (const char* address :
         {"127.0.0.1", "::1", "169.254.169.254", "fd00:ec2::254", "fd00:ec2::23", "fd00:42::42",
          "100.100.100.200", "169.254.1.1", "fe80::1", "0.0.0.0", "::", "::ffff:10.0.0.1",
          "::ffff:127.0.0.1", "224.0.0.1"}) {
        EXPECT_FALSE(allows(listed, "git.corp:22", address)) << address;
        EXPECT_FALSE(allows(listed, "a.lan:443", address)) << address;
    }
    EXPECT_FALSE(allows(listed, "a.lan:80", "10.0.0.1")) << "another port";
    EXPECT_FALSE(allows(listed, "public.example:443", "10.0.0.1")) << "rebinding";
    EXPECT_FALSE(allows(listed, "10.0.0.1:443")) << "the name is listed, not the address";
    EXPECT_TRUE(allows(rules({"private:git.corp", "127.0.0.1:80"}), "git.corp:80", "127.0.0.1"));
    const HostRules name = rules({"git.corp"});
    EXPECT_EQ(name.option_to_allow(to("git.corp:443"), ipv4(0x0a000001)),
              "--net git.corp,private:git.corp:443");
    EXPECT_EQ(name.option_to_allow(to("git.corp:443"), ipv4(0x7f000001)),
              "--net git.corp,127.0.0.1:443");
    EXPECT_EQ(name.option_to_allow(to("git.corp:443"), ipv4(0xa9fea9fe)), "");
    // The control: the loopback is what these names lead to, if they are listed as they are.
    EXPECT_TRUE(allows(rules({"localhost"}), "localhost:80", "127.0.0.1"));
    EXPECT_TRUE(allows(rules({"a.localhost"}), "a.localhost:80", "::1"));
    for (const char* wrong : {"private:", "private:10.0.0.1", "private:a/b", "private:npm,x",
                              "private:localhost", "private:LocalHost.:80", "private:a.localhost",
                              "private:*.localhost", "private:*.a.localhost:80"}) {
        const std::vector<std::string> entries{wrong};
        EXPECT_FALSE(HostRules::parse(entries).has_value()) << wrong;
    }
}

TEST(HostRules, the_option_that_allows_a_host) {
    const std::pair<const char*, const char*> rows[] = {
        {"registry.npmjs.org:443", "--net npm"},
        {"registry.npmjs.org:80", "--allow-host registry.npmjs.org"},
        {"files.pythonhosted.org:443", "--net pypi"},
        {"a.example:443", "--allow-host a.example"},
        {"a.example:8443", "--allow-host a.example:8443"},
        {"build:80", "--allow-host host:build"},
        {"build:22", "--allow-host build:22"},
        {"10.1.2.3:80", "--allow-host 10.1.2.3:80"},
        {"[fd00::1]:80", "--allow-host '[fd00::1]:80'"},
        {"169.254.169.254:80", ""},
    };
    const HostRules none = rules({});
    for (const auto& [destination, option] : rows) {
        EXPECT_EQ(none.option_to_allow(to(destination)), option);
        if (*option != '\0') {
            EXPECT_TRUE(allows(rules(entries_of(option)), destination)) << option;
        }
    }
}

TEST(HostRules, the_option_that_allows_a_host_keeps_what_is_allowed) {
    const HostRules github = rules({"github"});
    EXPECT_EQ(github.option_to_allow(to("registry.npmjs.org:443")), "--net github,npm");
    EXPECT_EQ(github.option_to_allow(to("a.example:443")), "--net github,a.example");
    EXPECT_EQ(github.option_to_allow(to("169.254.169.254:80")), "");
    const HostRules mixed = rules({"github", "*.b.example", "[fd00::1]:80", "host:build"});
    const std::string option = mixed.option_to_allow(to("registry.npmjs.org:443"));
    EXPECT_EQ(option, "--net 'github,*.b.example,[fd00::1]:80,host:build,npm'");
    const HostRules pasted = rules(entries_of(option));
    for (const char* host : {"github.com:443", "x.b.example:1", "[fd00::1]:80", "build:80",
                             "registry.npmjs.org:443"}) {
        EXPECT_TRUE(allows(pasted, host)) << host;
    }
    // Cut short it would allow something else.
    std::vector<std::string> many(limits::kHostRulesMax - 1, "a.example");
    EXPECT_EQ(rules(many).option_to_allow(to("b.example:443")), "");
}

// Who looks a name up has said no port yet.
TEST(HostRules, a_host_without_a_port) {
    const auto asked = [](const char* name) { return Destination{{name}, 0}; };
    const HostRules none = rules({});
    EXPECT_EQ(none.option_to_allow(asked("registry.npmjs.org")), "--net npm");
    EXPECT_EQ(none.option_to_allow(asked("github.com")), "--net github");
    EXPECT_EQ(none.option_to_allow(asked("a.example")), "--allow-host a.example");
    EXPECT_EQ(none.option_to_allow(asked("build")), "--allow-host host:build");
    const HostRules list = rules({"npm", "a.example:8443", "*.b.example"});
    for (const char* name : {"registry.npmjs.org", "a.example", "x.b.example"}) {
        EXPECT_TRUE(list.has({name})) << name;
    }
    for (const char* name : {"npmjs.org", "x.a.example", "b.example", "8443"}) {
        EXPECT_FALSE(list.has({name})) << name;
    }
    EXPECT_FALSE(rules({}).has({"a.example"}));
}

TEST(HostPresets, each_host_has_a_port_and_a_reason) {
    std::set<std::string_view> seen;
    for (const PresetHost& each : preset_hosts()) {
        EXPECT_FALSE(each.reason.empty()) << each.host;
        EXPECT_TRUE(parse_destination(each.host).has_value()) << each.host;
        EXPECT_TRUE(seen.insert(each.host).second) << each.host << " is listed twice";
        EXPECT_TRUE(allows(rules({std::string(each.preset)}), each.host)) << each.host;
    }
    EXPECT_EQ(preset_names(), "npm, pypi, crates, go, github, debian");
}

TEST(HostPresets, open_their_hosts_and_nothing_else) {
    const HostRules npm = rules({"npm"});
    EXPECT_TRUE(allows(npm, "registry.npmjs.org:443"));
    for (const char* other : {"registry.npmjs.org:80", "npm:443", "npmjs.org:443",
                              "evil.registry.npmjs.org:443", "pypi.org:443"}) {
        EXPECT_FALSE(allows(npm, other)) << other;
    }
    const HostRules mixed = rules({"npm", "internal.example.org", "pypi"});
    EXPECT_TRUE(allows(mixed, "pypi.org:443"));
    EXPECT_TRUE(allows(mixed, "internal.example.org:8443"));
}

TEST(HostPresets, a_misspelt_preset_opens_nothing) {
    for (const char* wrong : {"nmp", "NPM", "npm ", "githb", "registry"}) {
        const std::vector<std::string> entries{"pypi", wrong};
        const auto parsed = HostRules::parse(entries);
        ASSERT_FALSE(parsed.has_value()) << wrong;
        EXPECT_EQ(parsed.error().path, wrong);
    }
    const std::vector<std::string> entries{"githb"};
    const auto parsed = HostRules::parse(entries);
    EXPECT_NE(parsed.error().reason.find(preset_names()), std::string_view::npos)
        << "the error lists the presets";
}

TEST(HostPresets, a_host_without_dots_has_a_form_of_its_own) {
    const HostRules listed = rules({"host:build", "cache:8080", "host:npm:80", "localhost"});
    EXPECT_TRUE(allows(listed, "build:22"));
    EXPECT_TRUE(allows(listed, "cache:8080"));
    EXPECT_TRUE(allows(listed, "npm:80"));
    EXPECT_FALSE(allows(listed, "npm:443"));
    EXPECT_FALSE(allows(listed, "registry.npmjs.org:443"));
    EXPECT_TRUE(allows(rules({"host:443"}), "host:443")) << "a host of that name, and a port";
    for (const char* wrong : {"host:", "host:a/b", "host:*", "HOST:build"}) {
        const std::vector<std::string> entries{wrong};
        EXPECT_FALSE(HostRules::parse(entries).has_value()) << wrong;
    }
}

}  // namespace
