#include "fs/readable.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "sys/io.h"

namespace paddock::fs {
namespace {

constexpr std::uint64_t kPlenty = 1 << 20;

class ReadContent : public ::testing::Test {
protected:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        from = UniqueFd(ends[0]);
        to = UniqueFd(ends[1]);
    }

    // When all that was written before has been read.
    void write_when_empty(const std::string& text) {
        for (int waiting = 1; waiting > 0; std::this_thread::yield()) {
            ASSERT_EQ(::ioctl(to.get(), FIONREAD, &waiting), 0);
        }
        ASSERT_TRUE(sys::write_all(to.get(), text));
    }

    UniqueFd from;
    UniqueFd to;
};

TEST_F(ReadContent, of_a_pipe_ends_where_its_writer_does) {
    std::thread writer([&] {
        for (const char* text : {"one ", "two ", "three"}) write_when_empty(text);
        write_when_empty({});
        to.reset();
    });
    const auto content = read_content(from.get(), 0, kPlenty);
    writer.join();
    ASSERT_TRUE(content);
    EXPECT_EQ(*content, "one two three");
}

TEST_F(ReadContent, of_a_pipe_is_bounded) {
    ASSERT_TRUE(sys::write_all(to.get(), "12345"));
    to.reset();
    const auto content = read_content(from.get(), 0, 4);
    ASSERT_FALSE(content);
    EXPECT_EQ(content.error().code, Code::kTooLarge);
}

}  // namespace
}  // namespace paddock::fs
