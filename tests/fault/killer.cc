#include "fault/killer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace paddock::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBegunMax = 4;

[[noreturn]] void repeat(const std::function<void(long)>& act, int announce) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (long i = 0;; ++i) {
        if (::write(announce, "w", 1) != 1) ::_exit(1);
        act(i);
    }
}

}  // namespace

Clock::duration duration_of(const std::function<void(long)>& act) {
    constexpr int kTrials = 8;
    const auto start = Clock::now();
    for (int i = 0; i < kTrials; ++i) act(i);
    return (Clock::now() - start) / kTrials;
}

long kill_in_the_middle(const std::function<void(long)>& act, std::mt19937& random,
                        Clock::duration duration) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) repeat(act, ends[1]);
    ::close(ends[1]);
    const int wanted = std::uniform_int_distribution(1, kBegunMax)(random);
    long begun = 0;
    char byte = 0;
    while (begun < wanted && ::read(ends[0], &byte, 1) == 1) ++begun;
    const auto end = Clock::now() + Clock::duration(std::uniform_int_distribution<Clock::rep>(
                                        0, duration.count())(random));
    while (Clock::now() < end) {
    }
    EXPECT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    while (::read(ends[0], &byte, 1) == 1) ++begun;
    ::close(ends[0]);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << status;
    return WIFSIGNALED(status) ? begun - 1 : -1;
}

}  // namespace paddock::testing
