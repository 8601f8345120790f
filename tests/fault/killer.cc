#include "fault/killer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "fault/faults.h"

namespace paddock::testing {
namespace {

constexpr std::size_t kActsMax = 4;

[[noreturn]] void repeat(const std::function<void(long)>& act, std::size_t nth, int announce) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const Faults faults({.nth = nth, .before = [] { ::raise(SIGKILL); }});
    for (long i = 0; faults.calls() < nth; ++i) {
        if (::write(announce, "w", 1) != 1) ::_exit(1);
        act(i);
    }
    ::_exit(3);
}

}  // namespace

std::size_t calls_of(const std::function<void(long)>& act) {
    constexpr int kTrials = 8;
    const Faults faults;
    for (int i = 0; i < kTrials; ++i) act(i);
    return std::max<std::size_t>(faults.calls() / kTrials, 1);
}

long kill_in_the_middle(const std::function<void(long)>& act, std::mt19937& random,
                        std::size_t calls_per_act) {
    const std::size_t nth =
        std::uniform_int_distribution<std::size_t>(1, kActsMax * calls_per_act)(random);
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) repeat(act, nth, ends[1]);
    ::close(ends[1]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    long begun = 0;
    char byte = 0;
    while (::read(ends[0], &byte, 1) == 1) ++begun;
    ::close(ends[0]);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << status;
    return WIFSIGNALED(status) ? begun - 1 : -1;
}

}  // namespace paddock::testing
