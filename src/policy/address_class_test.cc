#include "policy/address_class.h"

#include <gtest/gtest.h>

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
