#include "proxy/refusal_log.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

using namespace paddock;
using namespace paddock::proxy;

namespace {

TEST(RefusalLog, counts_the_same_denial_once) {
    RefusalLog log;
    log.add("a.example", 443, "is not on the allow list", "--allow-host a.example");
    log.add("a.example", 80, "is not on the allow list");
    log.add("a.example", 443, "is not on the allow list");
    const Denials denials = log.take();
    ASSERT_EQ(denials.list.size(), 2U);
    EXPECT_EQ(denials.list[0], (NetworkDenial{"a.example", 443, "is not on the allow list", 2,
                                              "--allow-host a.example"}));
    EXPECT_EQ(parse_denials(write_denials(denials))->list, denials.list);
    EXPECT_EQ(denials.more, 0U);
    EXPECT_TRUE(log.take().list.empty());
}

TEST(RefusalLog, keeps_look_ups_apart_from_connections) {
    RefusalLog log;
    log.add("a.example", 0, "why");
    log.add("a.example", 0, "why", "--net npm", true);
    const Denials denials = log.take();
    ASSERT_EQ(denials.list.size(), 2U);
    EXPECT_EQ(parse_denials(write_denials(denials))->list, denials.list);
}

TEST(RefusalLog, is_bounded_whatever_is_asked_for) {
    RefusalLog log;
    for (std::size_t i = 0; i < 10'000; ++i) {
        log.add(std::string(1'000, '\xff') + std::to_string(i), static_cast<std::uint16_t>(i),
                "why");
    }
    const Denials denials = log.take();
    EXPECT_EQ(denials.list.size(), kProxyDenialsMax);
    EXPECT_EQ(denials.more, 10'000 - kProxyDenialsMax);
    const std::string bytes = write_denials(denials);
    EXPECT_LT(bytes.size(), 128U << 10);
    const auto back = parse_denials(bytes);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->list, denials.list);
    EXPECT_EQ(back->more, denials.more);
}

TEST(RefusalLog, hosts_of_any_bytes_come_back_shown) {
    RefusalLog log;
    log.add(std::string_view("a\0\t\n\x1b\xc3\xa4\xe2\x80\xae", 10), 1, "why");
    // Cut in the middle of a character.
    log.add(std::string(kProxyDenialHostBytesMax - 1, 'a') + "\xc3\xa4", 1, "why");
    const auto back = parse_denials(write_denials(log.take()));
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->list[0].host, "a\\x00\\x09\\x0a\\x1b\xc3\xa4\\xe2\\x80\\xae");
    EXPECT_TRUE(back->list[1].host.ends_with("a\\xc3"));
}

TEST(RefusalLog, only_its_own_form_is_parsed) {
    using namespace std::string_view_literals;
    EXPECT_TRUE(parse_denials("0\n").has_value());
    EXPECT_TRUE(parse_denials("0\na\t1\t2\t\tc\twhy\n").has_value());
    for (const std::string_view bytes :
         {""sv, "\n"sv, "x\n"sv, "-1\n"sv, "0"sv, "0\na"sv, "0\na\n"sv, "0\na\t1\t2\t\tc\twhy"sv,
          "0\na\t1\t2\tc\twhy\n"sv, "0\na\t65536\t2\t\tc\twhy\n"sv,
          "0\na\t1\t99999999999\t\tc\twhy\n"sv, "0\na\t1\t2\n"sv, "0\na\t1\t2\t\twhy\n"sv,
          "0\na\t1\t2\t\tx\twhy\n"sv, "0\n\x1b[0m\t1\t2\t\tc\twhy\n"sv,
          "0\na\t1\t2\t\tc\tw\x07y\n"sv, "0\na\t1\t2\t\x1b\tc\twhy\n"sv,
          "0\na\0b\t1\t2\t\tc\twhy\n"sv}) {
        EXPECT_FALSE(parse_denials(bytes).has_value()) << bytes;
    }
    std::string many = "0\n";
    for (std::size_t i = 0; i <= kProxyDenialsMax; ++i) many += "a\t1\t2\t\tc\twhy\n";
    EXPECT_FALSE(parse_denials(many).has_value());
    EXPECT_FALSE(parse_denials("0\n" + std::string(5000, 'a') + "\t1\t2\t\tc\twhy\n").has_value());
}

}  // namespace
