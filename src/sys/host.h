// What the host and this process can do, for the sandbox and the doctor. One question or one step
// each; a step that changes the process for good is for a child that is about to end.
#pragma once

#include <cstdint>
#include <string>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

Outcome<std::string> kernel_release();

enum class MountIds : std::uint8_t { kNone, kReused, kUnique };
MountIds mount_ids();

Outcome<bool> no_new_privs();
Done set_no_new_privs();

// Has this process only one thread? Asks the kernel directly, for hosts without /proc; EPERM where
// a filter forbids the question. A process that shares its memory counts as having more.
Outcome<bool> is_single_threaded();

Done unshare(int flags);

// Mounts in this mount namespace no longer spread to others, or an error.
Done make_mounts_private();

// Installs a filter that answers getppid(2) with `error` and lets everything else pass.
Done filter_getppid(int error);
Outcome<int> parent_id();

struct Pipe {
    UniqueFd read;
    UniqueFd write;
};
// Which ends answer EAGAIN where they would have to wait.
enum class NeverWaits : std::uint8_t { kNone, kReader, kBoth };
Outcome<Pipe> pipe(NeverWaits which = NeverWaits::kNone);
// Bytes that it holds before a writer waits; 0: it is none.
std::size_t pipe_capacity(int fd) noexcept;

}  // namespace paddock::sys
