#include "text/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace paddock::text {
namespace {

std::vector<std::string> split(std::string_view text) {
    const Lines lines(text);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < lines.size(); ++i) parts.emplace_back(lines[i]);
    return parts;
}

using Parts = std::vector<std::string>;

TEST(Lines, keeps_every_ending) {
    EXPECT_EQ(split(""), Parts{});
    EXPECT_EQ(split("\n"), Parts{"\n"});
    EXPECT_EQ(split("a"), Parts{"a"});
    EXPECT_EQ(split("a\r\nb\n\nc"), (Parts{"a\r\n", "b\n", "\n", "c"}));
    EXPECT_EQ(split("a\rb\r"), Parts{"a\rb\r"}) << "a lone CR ends nothing";
}

TEST(Lines, tells_body_and_ending_apart) {
    EXPECT_EQ(ending_of("a\r\n"), "\r\n");
    EXPECT_EQ(ending_of("a\n"), "\n");
    EXPECT_EQ(ending_of("a\r"), "");
    EXPECT_EQ(ending_of("\r\n"), "\r\n");
    EXPECT_EQ(body_of("a\r\n"), "a");
    EXPECT_EQ(body_of("a\r\r\n"), "a\r");
    EXPECT_EQ(body_of("a"), "a");
}

TEST(Lines, know_where_they_begin) {
    const std::string text = "a\nbb\r\n\nc";
    EXPECT_EQ(Lines(text).offset(3), 7U);
    EXPECT_EQ(Lines(text).offset(4), text.size());
}

TEST(Lines, counts_like_a_plain_loop) {
    std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (int round = 0; round < 200; ++round) {
        std::string text(random() % 2000, 'x');
        for (char& c : text) c = "\n\r ab"[random() % 5];
        const auto feeds = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        const bool is_open = !text.empty() && text.back() != '\n';
        EXPECT_EQ(Lines(text).size(), feeds + (is_open ? 1 : 0));
        std::string joined;
        for (const std::string& line : split(text)) joined += line;
        EXPECT_EQ(joined, text);
    }
    EXPECT_EQ(Lines(std::string(100'000, '\n')).size(), 100'000U);
}

}  // namespace
}  // namespace paddock::text
