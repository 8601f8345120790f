#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include <paddock/unique_fd.h>

namespace paddock::cli {
namespace {

std::string read_some(int fd) {
    char block[256];
    const ssize_t got = ::read(fd, block, sizeof block);
    return got > 0 ? std::string(block, static_cast<std::size_t>(got)) : std::string();
}

TEST(Waiting, says_on_a_terminal_that_it_goes_on_and_leaves_nothing_behind) {
    const UniqueFd screen(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    ASSERT_TRUE(screen.get() >= 0 && ::grantpt(screen.get()) == 0 && ::unlockpt(screen.get()) == 0);
    const char* name = ::ptsname(screen.get());  // NOLINT(concurrency-mt-unsafe): one thread
    const UniqueFd terminal(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    {
        const Waiting waiting(terminal.get(), "grep", std::chrono::milliseconds(0));
        EXPECT_EQ(read_some(screen.get()), "\r\x1b[Kgrep: 0 s, Ctrl-C stops it");
    }
    EXPECT_EQ(read_some(screen.get()), "\r\x1b[K");
    { const Waiting waiting(terminal.get(), "grep", std::chrono::hours(1)); }
    ASSERT_EQ(::write(terminal.get(), ".", 1), 1);
    EXPECT_EQ(read_some(screen.get()), ".") << "what is quick says nothing";
}

TEST(Waiting, is_silent_in_a_pipe) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]);
    {
        const UniqueFd writer(ends[1]);
        const Waiting waiting(writer.get(), "grep", std::chrono::milliseconds(0));
    }
    EXPECT_EQ(read_some(reader.get()), "");
}

}  // namespace
}  // namespace paddock::cli
