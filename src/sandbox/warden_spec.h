// What a warden is started with.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <paddock/limits.h>
#include <paddock/shell.h>

#include "journal/journal.h"
#include "policy/path_rules.h"
#include "sandbox/protection.h"

namespace paddock::sandbox {

// Pretends that the kernel offers less, so that one machine can show every degradation.
struct Ceiling {
    bool namespaces = true;
    bool idmapped_mounts = true;
    bool cgroup = true;
    bool seccomp = true;
    bool listener = true;  // of a seccomp filter
    int landlock_abi = std::numeric_limits<int>::max();
};

// Every change of the workspace by a command is judged and recorded (gate.h). Both must outlive the
// warden's start; the warden has copies.
struct GateSpec {
    const policy::PathRules* rules = nullptr;
    journal::Journal* journal = nullptr;
    std::string home = {};  // see git::Judge::Facts
};

struct WardenSpec {
    int workspace = -1;               // its directory, for example Root::fd(); borrowed for start()
    std::string workspace_path = {};  // canonical and absolute: where commands see it
    bool read_only = false;           // the whole workspace
    ShellOptions options = {};
    std::vector<Protection> protections = {};
    // Absent: commands change the workspace themselves.
    std::optional<GateSpec> gate = {};
    Ceiling ceiling = {};
    // What the caller has to do anyway: called once or twice, while the sandbox is built.
    std::function<void()> meanwhile = {};
    // For one answer of the warden. Without one the session is ended: its commands hold it up.
    std::chrono::milliseconds patience = limits::kWardenPatience;
};

}  // namespace paddock::sandbox
