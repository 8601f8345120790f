#include "mcp/stdio.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "sys/process.h"

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

namespace {

class OutboxTest : public ::testing::TestWithParam<bool> {
protected:
    OutboxTest() {
        sys::ignore_broken_pipes();
        int ends[2];
        if (GetParam()) {
            EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        } else {
            EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        }
        reader = UniqueFd(ends[0]);
        writer = UniqueFd(ends[1]);
        wakeup = std::move(*sys::make_wakeup());
    }

    std::string read_some() const {
        std::array<char, 65536> block;
        const ssize_t got = ::read(reader.get(), block.data(), block.size());
        return got <= 0 ? std::string() : std::string(block.data(), static_cast<std::size_t>(got));
    }

    // Until so many bytes have come.
    std::string read_all(std::size_t bytes) const {
        std::string all;
        while (all.size() < bytes) {
            const std::string some = read_some();
            if (some.empty()) break;
            all += some;
        }
        return all;
    }

    UniqueFd reader;
    UniqueFd writer;
    UniqueFd wakeup;
};

TEST_P(OutboxTest, writes_at_once_what_fits) {
    Outbox box(sys::Output::on(writer.get()), wakeup.get());
    box.put("one");
    EXPECT_EQ(read_some(), "one\n");
    box.put_later("two");
    box.put_later("three");
    EXPECT_FALSE(box.is_empty());
    box.flush();
    EXPECT_EQ(read_some(), "two\nthree\n");
    EXPECT_TRUE(box.is_empty());
    EXPECT_EQ(::fcntl(writer.get(), F_GETFL) & O_NONBLOCK, 0) << "others share the descriptor";
}

TEST_P(OutboxTest, keeps_order_when_the_reader_is_slow) {
    Outbox box(sys::Output::on(writer.get()), wakeup.get());
    std::string expected;
    for (int i = 0; i < 50; ++i) {
        const std::string message = std::to_string(i) + std::string(20'000, 'x');
        expected += message + '\n';
        if (i % 2 == 0) {
            box.put(message);
        } else {
            box.put_later(message);
        }
    }
    box.flush();
    EXPECT_FALSE(box.is_empty());
    EXPECT_TRUE(read_all(expected.size()) == expected);
    std::array<sys::Watched, 1> watched{sys::Watched{wakeup.get()}};
    EXPECT_TRUE(sys::wait_readable(watched).value_or(false)) << "told that all is written";
    EXPECT_TRUE(box.is_empty());
}

// Threads whose messages differ: each message stays whole, and those of one thread keep their
// order.
TEST_P(OutboxTest, threads_that_write_at_once_mix_no_messages) {
    constexpr std::size_t kMessages = 300;
    constexpr std::size_t kBytes = 3000;
    Outbox box(sys::Output::on(writer.get()), wakeup.get());
    const std::string letters = "abcd";
    std::vector<std::jthread> threads;
    for (const char letter : letters) {
        threads.emplace_back([&box, letter] {
            for (std::size_t i = 0; i < kMessages; ++i) {
                std::string message = std::to_string(i);
                message.resize(kBytes - 1, letter);
                box.put_later(std::move(message));
                if (i % 3 == 0) box.flush();
            }
            box.flush();
        });
    }
    const std::string all = read_all(letters.size() * kMessages * kBytes);
    ASSERT_EQ(all.size(), letters.size() * kMessages * kBytes);
    std::map<char, std::size_t> seen;
    for (std::size_t at = 0; at < all.size(); at += kBytes) {
        const std::string message = all.substr(at, kBytes - 1);
        const char letter = message.back();
        std::string expected = std::to_string(seen[letter]++);
        expected.resize(kBytes - 1, letter);
        ASSERT_EQ(message, expected);
        ASSERT_EQ(all[at + kBytes - 1], '\n');
    }
}

TEST_P(OutboxTest, says_how_much_room_there_is_and_drops_what_may_be_dropped) {
    Outbox box(sys::Output::on(writer.get()), wakeup.get(), {.unread = 1000, .unread_max = 5000});
    EXPECT_EQ(box.room(), Outbox::Room::kPlenty);
    box.put(std::string(1'000'000, 'x'));  // more than any pipe holds
    EXPECT_EQ(box.room(), Outbox::Room::kNone);
    box.put_if_room("dropped");
    std::atomic<bool> is_through = false;
    std::jthread waits([&] {
        box.put_when_room("waited");
        is_through = true;
    });
    const std::string begin = read_all(500'000);
    EXPECT_FALSE(is_through);
    const std::string all = begin + read_all(1'000'001 + 7 - begin.size());
    waits.join();
    EXPECT_TRUE(all.ends_with("x\nwaited\n")) << all.size();
    EXPECT_EQ(all.find("dropped"), all.npos);
    EXPECT_EQ(box.room(), Outbox::Room::kPlenty);
}

TEST_P(OutboxTest, a_reader_that_is_gone_closes_it) {
    Outbox box(sys::Output::on(writer.get()), wakeup.get(), {.unread = 1000, .unread_max = 5000});
    box.put(std::string(1'000'000, 'x'));
    std::jthread waits([&] { box.put_when_room("never written"); });
    reader.reset();
    waits.join();
    EXPECT_TRUE(box.is_closed());
    box.put("nothing happens");
    EXPECT_TRUE(box.is_empty());
    std::array<sys::Watched, 2> watched{sys::Watched{wakeup.get()},
                                        sys::Watched{box.end_shows_on(), false, true}};
    EXPECT_TRUE(sys::wait_readable(watched).value_or(false));
    EXPECT_TRUE(watched[0].ready);
    EXPECT_TRUE(watched[1].ready);
}

TEST_P(OutboxTest, nobody_waits_after_it_is_closed) {
    Outbox box(sys::Output::on(writer.get()), wakeup.get(), {.unread = 1000, .unread_max = 5000});
    box.put(std::string(1'000'000, 'x'));
    std::jthread waits([&] { box.put_when_room("never written"); });
    box.close();
    waits.join();
    EXPECT_TRUE(box.is_closed());
}

INSTANTIATE_TEST_SUITE_P(Carriers, OutboxTest, ::testing::Bool(),
                         [](const auto& carrier) { return carrier.param ? "socket" : "pipe"; });

}  // namespace
}  // namespace paddock::mcp
