#include "proxy/name_lookup.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

#include "sandbox/dns_reply.h"

using namespace paddock;
using namespace paddock::proxy;

namespace {

std::string shown(const std::vector<policy::IpAddress>& addresses) {
    std::string text;
    for (const auto& address : addresses) text += policy::address_text(address) + " ";
    return text;
}

TEST(NameFiles, hosts_lists_names_behind_an_address) {
    const std::string_view file =
        "# comment\n127.0.0.1\tlocalhost\n\n  10.0.0.1 \t Git.example.org git # not.this\n"
        "::1 localhost ip6-localhost\r\n10.0.0.2 git.example.org.\nbad git\n10.0.0.3";
    EXPECT_EQ(shown(addresses_in_hosts(file, "localhost")), "127.0.0.1 ::1 ");
    EXPECT_EQ(shown(addresses_in_hosts(file, "ip6-localhost")), "::1 ");
    EXPECT_EQ(shown(addresses_in_hosts(file, "git.example.org")), "10.0.0.1 10.0.0.2 ");
    EXPECT_EQ(shown(addresses_in_hosts(file, "git")), "10.0.0.1 ");
    EXPECT_EQ(shown(addresses_in_hosts(file, "not.this")), "");
    EXPECT_EQ(shown(addresses_in_hosts(file, "example.org")), "");
    EXPECT_EQ(shown(addresses_in_hosts(file, "10.0.0.1")), "");
    EXPECT_EQ(shown(addresses_in_hosts("", "a")), "");
}

TEST(NameFiles, addresses_are_bounded) {
    std::string file;
    for (int i = 0; i < 1000; ++i) file += "10.0.0.1 a\n";
    EXPECT_EQ(addresses_in_hosts(file, "a").size(), kNameAddressesMax);
}

TEST(NameFiles, resolv_conf_lists_servers) {
    EXPECT_EQ(shown(name_servers("domain x\nnameserver 10.0.0.53\n;nameserver 1.1.1.1\n"
                                 "nameserver\t2001:db8::53 # second\nnameserver fe80::1%eth0\n"
                                 "options edns0\nnameserver nonsense\nnameservers 9.9.9.9\n")),
              "10.0.0.53 2001:db8::53 ");
    EXPECT_EQ(shown(name_servers("nameserver 1.0.0.1\nnameserver 1.0.0.2\nnameserver 1.0.0.3\n"
                                 "nameserver 1.0.0.4\n")),
              "1.0.0.1 1.0.0.2 1.0.0.3 ");
    EXPECT_EQ(shown(name_servers("")), "127.0.0.1 ");
}

}  // namespace

using namespace paddock::testing;

namespace {

using Kind = DnsAnswer::Kind;

const DnsQuestion kQuestion{0x1234, "www.example.org", DnsType::kA};

TEST(DnsMessage, asks_for_one_name) {
    const std::string asked = write_dns_question(kQuestion);
    EXPECT_EQ(asked, std::string("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
                                 "\x03www\x07"
                                 "example\x03org\x00\x00\x01\x00\x01",
                                 33));
}

TEST(DnsMessage, reads_addresses) {
    DnsReply reply(kQuestion);
    reply.address("www.example.org", "192.0.2.1").address("WWW.Example.ORG", "192.0.2.2");
    const DnsAnswer answer = read_dns_answer(reply.bytes(), kQuestion);
    EXPECT_EQ(answer.kind, Kind::kAddresses);
    ASSERT_EQ(answer.addresses.size(), 2U);
    EXPECT_EQ(policy::address_text(answer.addresses[1]), "192.0.2.2");
    const DnsQuestion v6{1, "a", DnsType::kAaaa};
    EXPECT_EQ(
        read_dns_answer(DnsReply(v6).address("a", "2001:db8::1").bytes(), v6).addresses.size(), 1U);
}

TEST(DnsMessage, follows_aliases_in_any_order_and_no_others) {
    DnsReply reply(kQuestion);
    reply.address("evil.example", "127.0.0.1")
        .address("c.example", "192.0.2.7")
        .alias("b.example", "c.example")
        .alias("www.example.org", "b.example");
    const DnsAnswer answer = read_dns_answer(reply.bytes(), kQuestion);
    ASSERT_EQ(answer.addresses.size(), 1U);
    EXPECT_EQ(policy::address_text(answer.addresses[0]), "192.0.2.7");
}

TEST(DnsMessage, aliases_in_a_circle_end) {
    DnsReply reply(kQuestion);
    reply.alias("www.example.org", "a").alias("a", "www.example.org").address("x", "192.0.2.1");
    const DnsAnswer answer = read_dns_answer(reply.bytes(), kQuestion);
    EXPECT_EQ(answer.kind, Kind::kAddresses);
    EXPECT_TRUE(answer.addresses.empty());
}

TEST(DnsMessage, addresses_are_bounded) {
    DnsReply reply(kQuestion);
    for (int i = 0; i < 100; ++i) reply.address("www.example.org", "192.0.2.1");
    EXPECT_EQ(read_dns_answer(reply.bytes(), kQuestion).addresses.size(), kNameAddressesMax);
}

TEST(DnsMessage, what_is_no_answer_to_the_question_is_stray) {
    const std::string good = DnsReply(kQuestion).address("www.example.org", "192.0.2.1").bytes();
    DnsQuestion other = kQuestion;
    other.id = 0x1235;
    EXPECT_EQ(read_dns_answer(good, other).kind, Kind::kStray);
    other = kQuestion;
    other.name = "www.example.com";
    EXPECT_EQ(read_dns_answer(good, other).kind, Kind::kStray);
    other = kQuestion;
    other.type = DnsType::kAaaa;
    EXPECT_EQ(read_dns_answer(good, other).kind, Kind::kStray);
    std::string changed = good;
    changed[2] = 0;  // a question
    EXPECT_EQ(read_dns_answer(changed, kQuestion).kind, Kind::kStray);
    changed = good;
    changed[5] = 2;  // two questions
    EXPECT_EQ(read_dns_answer(changed, kQuestion).kind, Kind::kStray);
    EXPECT_EQ(read_dns_answer("", kQuestion).kind, Kind::kStray);
    EXPECT_EQ(read_dns_answer(write_dns_question(kQuestion), kQuestion).kind, Kind::kStray);
}

TEST(DnsMessage, codes_and_truncation_are_told_apart) {
    EXPECT_EQ(read_dns_answer(DnsReply(kQuestion).code(3).bytes(), kQuestion).kind,
              Kind::kAddresses);
    EXPECT_EQ(read_dns_answer(DnsReply(kQuestion).code(2).bytes(), kQuestion).kind, Kind::kFailed);
    EXPECT_EQ(read_dns_answer(DnsReply(kQuestion).code(5).bytes(), kQuestion).kind, Kind::kFailed);
    EXPECT_EQ(read_dns_answer(DnsReply(kQuestion).truncated().bytes(), kQuestion).kind,
              Kind::kTruncated);
}

TEST(DnsMessage, a_cut_message_gives_nothing) {
    DnsReply reply(kQuestion);
    reply.alias("www.example.org", "b").address("b", "192.0.2.1");
    const std::string good = reply.bytes();
    for (std::size_t size = 0; size < good.size(); ++size) {
        const DnsAnswer answer = read_dns_answer(good.substr(0, size), kQuestion);
        EXPECT_NE(answer.kind, Kind::kAddresses) << size;
    }
}

TEST(DnsMessage, pointers_lead_backwards_only) {
    const std::string head = DnsReply(kQuestion).bytes();
    const auto with_owner = [&](std::string_view owner) {
        std::string message = head;
        message[7] = 1;
        message.append(owner);
        message.append("\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01", 14);
        return read_dns_answer(message, kQuestion);
    };
    using namespace std::string_view_literals;
    EXPECT_EQ(with_owner("\xc0\x0c"sv).addresses.size(), 1U) << "the name of the question";
    EXPECT_EQ(with_owner("\xc0\x21"sv).kind, Kind::kFailed) << "itself";
    EXPECT_EQ(with_owner("\xc0\x22"sv).kind, Kind::kFailed) << "forward";
    EXPECT_EQ(with_owner("\xff\xff"sv).kind, Kind::kFailed) << "beyond the end";
    EXPECT_EQ(with_owner("\x01x\xc0\x21"sv).kind, Kind::kFailed) << "a circle";
    EXPECT_EQ(with_owner("\x40x"sv).kind, Kind::kFailed) << "a reserved length";
}

TEST(DnsMessage, refuses_a_question_as_it_was_asked) {
    std::string asked = write_dns_question({0x1234, "www.example.org", DnsType::kAaaa});
    asked[13] = 'W';
    const auto query = read_dns_query(asked + "what else it says");
    ASSERT_TRUE(query.has_value());
    EXPECT_EQ(query->name, "www.example.org");
    std::string refusal = asked;
    refusal[2] = '\x81';
    refusal[3] = '\x05';
    EXPECT_EQ(query->refusal, refusal);
    EXPECT_EQ(read_dns_query(write_dns_question({1, "", DnsType::kA}))->name, "");
}

TEST(DnsMessage, half_a_question_and_other_messages_are_none) {
    const std::string asked = write_dns_question(kQuestion);
    for (std::size_t size = 0; size < asked.size(); ++size) {
        EXPECT_FALSE(read_dns_query(asked.substr(0, size))) << size;
    }
    const auto changed = [&](std::size_t at, char byte) {
        std::string message = asked;
        message[at] = byte;
        return read_dns_query(message).has_value();
    };
    EXPECT_TRUE(changed(0, '\x77'));
    EXPECT_FALSE(changed(2, '\x81')) << "an answer";
    EXPECT_FALSE(changed(2, '\x29')) << "an update";
    EXPECT_FALSE(changed(5, '\0')) << "no question";
    EXPECT_FALSE(changed(5, '\2')) << "two";
    EXPECT_FALSE(changed(12, '\xc0')) << "a pointer";
    EXPECT_FALSE(changed(12, '\x40')) << "a reserved length";
}

TEST(DnsMessage, a_dot_in_a_label_is_no_separator) {
    DnsReply reply(kQuestion);
    std::string message = reply.bytes();
    message[7] = 1;
    message.append("\x0bwww.example\x03org\x00", 17);
    message.append("\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01", 14);
    const DnsAnswer answer = read_dns_answer(message, kQuestion);
    EXPECT_EQ(answer.kind, Kind::kAddresses);
    EXPECT_TRUE(answer.addresses.empty());
}

}  // namespace
