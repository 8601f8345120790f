// The table behind the filter: which system calls get which answer, under which condition.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "sandbox/filter.h"

namespace paddock::sandbox {

inline constexpr int kNoNumber = -1;  // the machine has no such call

struct SystemCall {
    std::string_view name;
    int x86_64 = kNoNumber;
    int aarch64 = kNoNumber;

    constexpr int number(Machine machine) const {
        return machine == Machine::kX86_64 ? x86_64 : aarch64;
    }
};

// Looks at the low 32 bits of one argument: (argument & mask) == value, or its contrary.
struct Test {
    std::uint8_t argument = 0;
    std::uint32_t mask = 0;  // 0: no test
    std::uint32_t value = 0;
    bool equal = true;
};

struct Rule {
    SystemCall call;
    std::uint32_t answer = 0;     // SECCOMP_RET_...
    std::array<Test, 3> tests{};  // all must hold
};

// Rules that hold together, for the commands that `wanted` names. Several rules may name one call:
// the first whose tests hold answers, and a call without any is allowed.
struct RuleGroup {
    bool (*wanted)(const FilterSpec& spec);
    std::span<const Rule> rules;
};

std::span<const RuleGroup> rule_groups();

// Numbers that the table was made for: those of Linux 6.18. Others get ENOSYS.
struct NumberRange {
    int first = 0;
    int last = 0;
};
std::span<const NumberRange> known_numbers(Machine machine);

}  // namespace paddock::sandbox
