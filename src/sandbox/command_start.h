// From a process of the warden to a command: every step between fork and exec. Runs in a child that
// shares the warden's memory, so that nothing has to be copied; allocates nothing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sandbox/stage.h"
#include "sandbox/warden_plan.h"

namespace paddock::sandbox {

// Going down a path of names from a directory, without following any link. Allocates nothing.

// An O_PATH descriptor of what `path` (names only; "." or empty: `directory` itself) leads to, a
// link at its end included. Mounts are entered: whoever calls this made them. Errors:
// invalid_path for "..", an empty name or one that is too long; those of the kernel, and `reached`
// is then what was found last on the way, unless that is `directory`.
Outcome<UniqueFd> descend(int directory, const char* path, UniqueFd* reached = nullptr);

// The same, and it must be a directory.
Outcome<UniqueFd> descend_to_directory(int directory, const char* path);

struct CommandStart {
    const WardenPlan* plan = nullptr;
    int ruleset = -1;
    int directory = -1;  // in the namespace of the commands
    int input = -1;
    int output = -1;
    int error = -1;
    int report = -1;    // absent: -1
    int terminal = -1;  // in the place of those of the first three that are absent
    bool is_gated = false;
    bool writes_no_file = false;

    // Where the listener of an observing filter is sent. Absent: the command is not observed.
    int listener_to = -1;

    char* const* arguments = nullptr;
    char* const* environment = nullptr;
    std::span<char> path_buffer = {};  // for looking up the program

    StageError* failed = nullptr;  // set by the child, in a sys::Memory
};

// Runs the command. Nothing of it has run if it fails; `*start.failed` says where. ETIMEDOUT: the
// child could not get that far, or the server has ended.
Outcome<pid_t> start_command(CommandStart& start, std::span<std::byte> stack);

}  // namespace paddock::sandbox
