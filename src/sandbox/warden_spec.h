// What a warden is started with.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <paddock/limits.h>
#include <paddock/shell.h>

#include "journal/journal.h"
#include "policy/path_rules.h"
#include "sandbox/held_path.h"
#include "sandbox/protection.h"
#include "sandbox/view_plan.h"

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

// A directory besides the workspace.
struct FurtherRoot {
    int directory = -1;     // borrowed for start()
    std::string path = {};  // canonical and absolute: where commands see it
    // Commands change it through a gate of its own; null: they only read it. Without a gate before
    // the workspace there is none here either.
    journal::Journal* journal = nullptr;
};

struct WardenSpec {
    int workspace = -1;               // its directory, for example Root::fd(); borrowed for start()
    std::string workspace_path = {};  // canonical and absolute: where commands see it
    bool read_only = false;           // the whole workspace
    std::vector<FurtherRoot> further = {};  // none in another; at most limits::kFurtherRootsMax
    ShellOptions options = {};
    // A directory of the host that commands have as their home; -1: a private one that ends with
    // the session. Borrowed for start(). Without a mount namespace it is left alone: any program
    // could reach it there by its path.
    // Commands change it through a gate of its own, which judges what git would obey there and
    // records nothing: without a gate they get a private one as well.
    int home = -1;
    std::string home_path = {};  // canonical and absolute
    int home_turn = -1;          // a file that all sessions of this home lock. Borrowed for start()
    // Besides `options.read_only_directories`, which must exist. Borrowed for start().
    std::span<const HeldPath> shown = {};
    std::vector<ShownLink> links = {};
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
