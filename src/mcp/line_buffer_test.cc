#include "mcp/line_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace paddock::mcp {
namespace {

// What comes out if `text` goes in, `step` bytes at a time.
std::vector<std::string> lines_of(std::string_view text, std::size_t step, std::size_t bytes_max) {
    LineBuffer buffer(bytes_max);
    std::vector<std::string> lines;
    const auto take = [&](const LineBuffer::Line& line) {
        lines.push_back(line.is_too_long ? "(too long)" + line.id : std::string(line.text));
    };
    while (!text.empty()) {
        const std::span<char> room = buffer.room();
        EXPECT_FALSE(room.empty());
        const std::size_t part = std::min({step, room.size(), text.size()});
        std::memcpy(room.data(), text.data(), part);
        buffer.filled(part);
        text.remove_prefix(part);
        while (const auto line = buffer.next()) take(*line);
    }
    if (const auto line = buffer.rest()) take(*line);
    EXPECT_FALSE(buffer.rest());
    return lines;
}

TEST(LineBuffer, gives_the_same_lines_however_they_come) {
    const std::string long_line(200'000, 'x');
    const std::string text = "one\n\ntwo\n" + long_line + "\nlast";
    const std::vector<std::string> expected{"one", "", "two", long_line, "last"};
    for (const std::size_t step : {1UL, 2UL, 7UL, 4096UL, 65'536UL}) {
        EXPECT_EQ(lines_of(text, step, 1'000'000), expected) << step;
    }
}

TEST(LineBuffer, drops_a_line_that_is_too_long_and_goes_on_behind_it) {
    const std::string text = "a\n" + std::string(100, 'x') + "\nb\n" + std::string(11, 'y') + "\n" +
                             std::string(10, 'z') + "\nc";
    const std::vector<std::string> expected{"a",          "(too long)", "b",
                                            "(too long)", "zzzzzzzzzz", "c"};
    for (const std::size_t step : {1UL, 5UL, 50UL, 1000UL}) {
        EXPECT_EQ(lines_of(text, step, 10), expected) << step;
    }
    EXPECT_EQ(lines_of(std::string(100, 'x'), 9, 10), std::vector<std::string>{"(too long)"});
}

TEST(LineBuffer, issue_17_11_keeps_the_id_of_a_request_that_is_too_long) {
    const std::string content = R"("params":{"id":8,"x":")" + std::string(300'000, 'x') + "\"}";
    const std::string text = R"({"id":7,"method":"a",)" + content + "}\n" + R"({"method":"a",)" +
                             content + R"(,"id":"b"})" + "\n" + R"({"id":9,"result":0,)" + content +
                             "}\nshort\n" + R"({"method":"a",)" + content + R"(,"id":6})";
    const std::vector<std::string> expected{"(too long)7", "(too long)\"b\"", "(too long)", "short",
                                            "(too long)6"};
    for (const std::size_t step : {1UL, 7UL, 4096UL, 65'536UL}) {
        EXPECT_EQ(lines_of(text, step, 100'000), expected) << step;
    }
}

TEST(LineBuffer, a_line_without_end_costs_no_memory) {
    LineBuffer buffer(1'000'000);
    for (std::size_t put = 0; put < 500'000'000;) {
        const std::span<char> room = buffer.room();
        std::fill(room.begin(), room.end(), 'x');
        buffer.filled(room.size());
        put += room.size();
        EXPECT_FALSE(buffer.next());
        ASSERT_LE(buffer.capacity(), 4'000'000U);
    }
    const std::span<char> room = buffer.room();
    std::memcpy(room.data(), "\nok\n", 4);
    buffer.filled(4);
    EXPECT_TRUE(buffer.next()->is_too_long);
    EXPECT_EQ(buffer.next()->text, "ok");
}

}  // namespace
}  // namespace paddock::mcp
