// Runs a seccomp program in user space, as strictly as the kernel checks it: an unknown
// instruction, a jump out of the program or a missing answer is a failure of the test.
#pragma once

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace paddock::testing {

struct Verdict {
    std::uint32_t answer = 0;
    int steps = 0;
    bool looked_at_arguments = false;  // the kernel cannot remember such an answer
};

inline Verdict run_filter(const std::vector<sock_filter>& program, const seccomp_data& call) {
    Verdict verdict;
    std::uint32_t accumulator = 0;
    for (std::size_t next = 0; next < program.size();) {
        const sock_filter& in = program[next++];
        ++verdict.steps;
        bool taken = false;
        switch (in.code) {
            case BPF_LD | BPF_W | BPF_ABS:
                EXPECT_TRUE(in.k % 4 == 0 && in.k + 4 <= sizeof call) << "load from " << in.k;
                std::memcpy(&accumulator, reinterpret_cast<const char*>(&call) + in.k, 4);
                verdict.looked_at_arguments |= in.k >= offsetof(seccomp_data, args);
                continue;
            case BPF_ALU | BPF_AND | BPF_K: accumulator &= in.k; continue;
            case BPF_RET | BPF_K: verdict.answer = in.k; return verdict;
            case BPF_JMP | BPF_JA: next += in.k; continue;
            case BPF_JMP | BPF_JEQ | BPF_K: taken = accumulator == in.k; break;
            case BPF_JMP | BPF_JGE | BPF_K: taken = accumulator >= in.k; break;
            default: ADD_FAILURE() << "instruction " << in.code; return verdict;
        }
        next += taken ? in.jt : in.jf;
    }
    ADD_FAILURE() << "the program ends without an answer";
    return verdict;
}

}  // namespace paddock::testing
