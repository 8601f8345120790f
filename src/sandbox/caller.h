// What /proc says of a command that waits for an answer of the gate, and what its paths mean to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/outcome.h"
#include "journal/journal.h"

namespace paddock::sandbox {

struct Caller {
    int process = 0;  // the thread
    int listener = -1;
    std::uint64_t id = 0;
    journal::CallId call = 0;
};

std::string proc_of(int process);

// The number of one field of /proc/PROCESS/`file`.
std::optional<std::uint64_t> proc_number(int process, const std::string& file,
                                         std::string_view field, int base);

// With which files are made; the usual one if it cannot be told.
mode_t umask_of(int process);

// The process of a thread; 0 if that is gone.
int thread_group(int thread);

// Has it a signal to handle, now that a call keeps it?
bool is_signalled(int thread);

// The path with what "/proc/self" and the names in /dev that lead there mean to the caller.
std::string as_caller_sees(std::string path, int thread);

// Is this /proc/PROCESS of the caller itself, or below it, after as_caller_sees()? The gate may
// look at every process, the caller may not: what leads through another one is not followed.
bool is_own_proc(std::string_view path, const Caller& caller);

// "/proc/PROCESS/fd/NUMBER" of the caller itself, after as_caller_sees().
bool is_descriptor_link(std::string_view path, const Caller& caller);

// The string at `address` of the caller, read once. EFAULT: it cannot be read.
Outcome<std::string> read_path(const Caller& caller, std::uint64_t address);

}  // namespace paddock::sandbox
