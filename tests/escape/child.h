// Parts of a test that change their own process for good (its limits, its system call filter): run
// in a forked child.
#pragma once

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace paddock::testing {

// How a child that does `act` ends, as waitpid says: 0 if every expectation in it held.
template <class Act>
int end_of_child(Act act) {
    std::fflush(stdout);
    const bool failed_before = ::testing::Test::HasFailure();
    const pid_t child = ::fork();
    if (child == 0) {
        [&]() noexcept { act(); }();
        ::_exit(::testing::Test::HasFailure() && !failed_before ? 1 : 0);
    }
    int status = -1;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

// Its failed expectations, or its death, fail this test.
template <class Act>
void in_child(Act act) {
    const int status = end_of_child(act);
    EXPECT_EQ(status, 0) << (WIFSIGNALED(status) ? "the child was killed" : "the child failed");
}

// Lowers the soft limit only, so that it can be raised again.
inline bool set_limit(decltype(RLIMIT_NOFILE) which, rlim_t value) {
    rlimit limit{};
    if (::getrlimit(which, &limit) != 0) return false;
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    return ::setrlimit(which, &limit) == 0;
}

// (argument & mask) == value, or != if not `equal`.
struct ArgumentTest {
    unsigned argument;
    std::uint32_t mask;
    std::uint32_t value;
    bool equal = true;
};

// `action` for each `call` whose arguments pass every test.
struct FilterRule {
    long call;
    std::vector<ArgumentTest> tests;
    std::uint32_t action;
};

// A seccomp filter for the rest of this process's life: the first rule that fits decides, all else
// is allowed. False if the kernel does not take it.
inline bool filter_calls(const std::vector<FilterRule>& rules) {
    const auto load = [](std::size_t offset) {
        return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
    };
    std::vector<sock_filter> program;
    for (const FilterRule& rule : rules) {
        std::size_t left = 2 + 3 * rule.tests.size();  // instructions of this rule after the load
        const auto jump = [&](std::uint32_t value, bool equal) {
            const auto past_rule = static_cast<std::uint8_t>(--left);
            const std::uint8_t next = 0;
            program.push_back({BPF_JMP | BPF_JEQ | BPF_K, equal ? next : past_rule,
                               equal ? past_rule : next, value});
        };
        program.push_back(load(offsetof(seccomp_data, nr)));
        jump(static_cast<std::uint32_t>(rule.call), true);
        for (const ArgumentTest& test : rule.tests) {
            program.push_back(load(offsetof(seccomp_data, args) + 8 * test.argument));
            program.push_back({BPF_ALU | BPF_AND | BPF_K, 0, 0, test.mask});
            left -= 2;
            jump(test.value, test.equal);
        }
        program.push_back({BPF_RET | BPF_K, 0, 0, rule.action});
    }
    program.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

inline constexpr long kOpenat2 = 437;
inline constexpr std::uint32_t kAnyBit = 0xffffffff;

}  // namespace paddock::testing
