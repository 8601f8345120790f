// The calls that an observing filter tells of (filter_rules.cc), and where their arguments are.
#pragma once

#include <cstdint>

#include "sandbox/denial.h"

namespace paddock::sandbox {

inline constexpr int kNoArgument = -1;

// A name that a call would change. Positions of arguments.
struct ObservedName {
    int directory = kNoArgument;  // none: the current one
    int path = kNoArgument;       // none: no such name
};

enum class NameMust : std::uint8_t {
    kAnything,
    kExist,      // else the call fails for want of it
    kBeMissing,  // else the call fails because of it
};

struct ObservedCall {
    long number = 0;
    Deed deed = Deed::kWrite;
    NameMust must = NameMust::kAnything;
    ObservedName name = {};
    ObservedName second = {};        // rename: the new name
    int flags = kNoArgument;         // as in open(2)
    int rename_flags = kNoArgument;  // as in renameat2(2)
};

// Null for a call that is not observed.
const ObservedCall* observed_call(long number) noexcept;

}  // namespace paddock::sandbox
