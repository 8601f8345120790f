// Who this process is and what it may, and what the host can do.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

// Who this process is and what it may: identities, capabilities, limits. For a child that is about
// to run a command; nothing here allocates.

// All three ids of both kinds.
Done become(uid_t user, gid_t group);
Done forget_groups();      // supplementary ones
Done keep_capabilities();  // when changing from user 0 to another

using Capabilities = std::uint64_t;
inline constexpr Capabilities kCapDacOverride = std::uint64_t{1} << 1;
inline constexpr Capabilities kCapDacReadSearch = std::uint64_t{1} << 2;
inline constexpr Capabilities kCapFowner = std::uint64_t{1} << 3;
inline constexpr Capabilities kCapKill = std::uint64_t{1} << 5;
inline constexpr Capabilities kCapSetgid = std::uint64_t{1} << 6;
inline constexpr Capabilities kCapSetuid = std::uint64_t{1} << 7;
inline constexpr Capabilities kCapSysPtrace = std::uint64_t{1} << 19;
inline constexpr Capabilities kCapSysAdmin = std::uint64_t{1} << 21;

// Keeps at most these, of what it has, and for good: none can come back by running a program or
// changing the user.
Done lock_capabilities(Capabilities kept);
Done drop_capabilities();

// Which of those it keeps are in effect.
inline constexpr Capabilities kCapAll = ~Capabilities{0};
Done use_capabilities(Capabilities wanted);

// Files are made and looked up as this user from now on.
void act_on_files_as(uid_t user, gid_t group) noexcept;

// While it exists, names are looked up with the rights of this user, without any capability; the
// supplementary groups stay. For whoever may become that user.
class LookingAs {
public:
    LookingAs(uid_t user, gid_t group) noexcept;
    LookingAs(const LookingAs&) = delete;
    LookingAs& operator=(const LookingAs&) = delete;
    ~LookingAs();

    bool works() const noexcept { return works_; }

private:
    uid_t user_;  // before
    gid_t group_;
    Capabilities used_ = 0;
    bool works_ = false;
};

Done set_dumpable(bool dumpable);

enum class Limit : std::uint8_t { kProcesses, kFileBytes, kOpenFiles, kCoreBytes };

// Soft and hard; never above the present hard limit.
Done set_limit(Limit limit, std::uint64_t value);

// What the host and this process can do, for the sandbox and the doctor. One question or one step
// each; a step that changes the process for good is for a child that is about to end.
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
