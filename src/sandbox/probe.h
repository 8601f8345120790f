// What the kernel lets this user do, found out by doing it in a child that then ends. Nothing here
// looks at a version, and nothing changes the calling process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <paddock/shell.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sandbox/stage.h"

namespace paddock::sandbox {

// Each tries the real thing. The failure carries the kernel's errno; 0 if the child was killed.
Done try_no_new_privs();
Done try_landlock();         // a domain without rules refuses to list "/"
Done try_seccomp();          // a filter answers a system call
Done try_user_namespace();   // an unprivileged one
Done try_mount_namespace();  // and, inside it, the right to change mounts (AppArmor may keep it)

struct CgroupDelegation {
    bool writable = false;                 // this process may make groups below its own
    std::vector<std::string> controllers;  // that its own group offers: "memory", "pids", ...
};

// The group of this process in the cgroup v2 hierarchy; not_available if there is none.
Outcome<CgroupDelegation> cgroup_delegation();

// The directory of that group.
Outcome<UniqueFd> own_cgroup_directory();

// What of the layers is there, from which level was reached and why not the other. Pure.
struct Reached {
    SandboxLevel level = SandboxLevel::kFull;
    StageError refused = {};  // on the low level: what kept it from being the full one
    std::optional<Failure> no_cgroup = {};
    int landlock_abi = 0;
    unsigned user = 0;
    bool observes = false;
    bool needs_gate = false;  // commands may change the workspace
    bool gated = false;
};

ShellReport report_of(const ShellOptions& options, const Reached& reached);

// sandbox_unavailable, with the remedy, if a layer that the operator requires is missing.
Done check_required(const ShellOptions& options, const Reached& reached);

}  // namespace paddock::sandbox
