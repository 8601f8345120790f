// How a command ended, as the warden tells it to the process that started the session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "journal/changes.h"

namespace paddock::sandbox {

// Times and memory are those of the command and of the children it waited for.
struct ExitFacts {
    std::int32_t exit_code = 0;  // meaningless after a signal
    std::int32_t signal = 0;     // 0: it exited
    std::uint64_t user_us = 0;
    std::uint64_t system_us = 0;
    std::uint64_t peak_memory_kb = 0;
    std::uint32_t killed = 0;             // processes that kill_tree had to end
    std::uint32_t memory_kills = 0;       // by the cgroup's memory limit, during the command
    std::uint32_t processes_refused = 0;  // by the cgroup's process limit, during the command
    journal::Changes changes = {};        // of the workspace, through the gate
};

struct ExitRecord : ExitFacts {
    std::vector<journal::NameChange> names = {};  // the first of the changed ones
};

// Waits for the end of a command. Nothing: the session ended first.
Outcome<std::optional<ExitRecord>> read_exit(int status);

// Never waits on an empty pipe: names that do not fit are left out.
Done write_exit(int status, const ExitRecord& record);

}  // namespace paddock::sandbox
