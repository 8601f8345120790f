// What this host can give paddock: each kernel feature, tried rather than looked up by version.
//
// Nothing is printed here; main turns the findings into a table or JSON. Probing leaves the process
// as it was: whatever would change it (a Landlock domain, a namespace) is tried in a child.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

enum class State : std::uint8_t {
    kOn,
    kPartial,  // a part of it is there, or something lesser stands in
    kMissing,
};

// "on", "partial", "missing".
std::string_view state_name(State state) noexcept;

struct Finding {
    std::string name;  // short and stable: "openat2", "cgroup_v2", ...
    State state = State::kMissing;
    std::string detail;   // what was seen: a number, a list, the kernel's answer
    std::string without;  // what is lost when it is not there; if kPartial, what is lost here
    std::string remedy;   // what to do about it; empty when the state is kOn
};

// Every finding, always all of them and in the same order. Takes milliseconds; call it from a
// process that has no other threads yet.
std::vector<Finding> examine_host();

}  // namespace paddock::cli
