// Wall two: the process tells the kernel (Landlock) which directories it may still use, and can
// never take it back. A mistake in the path layer then meets a kernel that refuses.
//
//   ConfineSpec spec;
//   spec.rules = {{root.fd(), Access::kReadWrite}};
//   auto report = confine_self(spec);      // look at report->status before the first request
//
// Denied from then on: opening, creating, removing, renaming, linking and truncating outside the
// rules; device ioctls; running programs outside kReadExecute; changing mounts; bind and connect of
// TCP sockets; abstract Unix sockets, signals and ptrace towards processes outside. How much of it
// depends on the kernel's ABI; the report keeps what was asked for and what is enforced apart.
//
// Not covered, at any ABI used here: descriptors that are already open; stat, chmod, chown, utimes
// and extended attributes on paths outside; UDP and raw sockets; Multipath TCP, MSG_FASTOPEN and
// listen without bind, by which TCP gets out all the same; a connection that exists. Before ABI 9
// pathname Unix sockets, before ABI 6 abstract ones and signals, before ABI 4 all of TCP, before
// ABI 3 truncate(2) and O_TRUNC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>

namespace paddock {

enum class Access : std::uint8_t {
    kReadOnly,           // read files, list directories
    kReadExecute,        // and run programs
    kReadWrite,          // read, and change anything but device nodes; not run
    kRemoveDirectories,  // empty ones, and nothing else
};

struct AccessRule {
    int directory = -1;  // for example Root::fd(); O_PATH suffices; borrowed for the call
    Access access = Access::kReadOnly;
};

// Whoever weakens the wall names the weakening and why: a grep for "permit::" finds each place, and
// the report repeats it. A reason of fewer than two words is refused.
namespace permit {
struct Network {  // bind and connect of TCP stay usable
    std::string reason;
};
struct OtherProcesses {  // signals and abstract Unix sockets reach outside
    std::string reason;
};
struct BestEffort {  // no minimum: whatever the kernel has is enough, even nothing
    std::string reason;
};
}  // namespace permit

// Enough that a mistake in the path layer cannot read or create outside. Debian 12's own kernel has
// ABI 2; from ABI 3 (Linux 6.2) such a mistake cannot truncate a file outside either.
inline constexpr int kLandlockAbiFloor = 1;

struct ConfineSpec {
    std::vector<AccessRule> rules{};  // none: no file at all

    // Refuse to go on with less, 1 to 9; the report's status says what the present ABI leaves open.
    // A kernel without Landlock is accepted by permit::BestEffort only.
    int abi_min = kLandlockAbiFloor;

    std::optional<permit::Network> network{};
    std::optional<permit::OtherProcesses> other_processes{};
    std::optional<permit::BestEffort> best_effort{};
};

enum class Enforcement : std::uint8_t {
    kFull,    // everything requested
    kPartly,  // `missing` lists the rest
    kNone,    // this kernel has no Landlock
};

// "full", "partly", "none".
std::string_view enforcement_name(Enforcement status) noexcept;

struct [[nodiscard]] ConfineReport {
    Enforcement status = Enforcement::kNone;
    int kernel_abi = 0;  // what the kernel offers, 0: no Landlock

    // Landlock's names of what is denied unless a rule grants it ("read_file", "connect_tcp", ...).
    std::vector<std::string_view> requested;
    std::vector<std::string_view> enforced;
    std::vector<std::string_view> missing;  // requested, and this kernel cannot
    // "refer" is the exception: a kernel without it refuses every rename or link into another
    // directory, inside the rules too. Nothing leaks, but such a move then fails.

    std::vector<std::string> permits;  // each weakening in force: "network: <reason>"
    bool no_new_privs = false;         // setuid programs give nothing any more
    bool denials_audited = false;      // the kernel logs what it refuses, after exec too
};

// Confines this process, for good, and every child it makes later. Domains add up: a second call
// can only narrow further (the kernel stops at 16).
//
// Threads: before ABI 8 the kernel confines the calling thread only, so a process that has others
// is refused; call it before starting any. From ABI 8 all threads are confined at once. Threads
// are counted in /proc/self/task, or by a question to the kernel where /proc is missing; where
// neither answers the call is refused.
//
// Errors: invalid_argument (a rule's descriptor is no directory; contradicting options),
// sandbox_unavailable (with the layer that is missing). On an error nothing is confined, but
// no_new_privs may be set.
Result<ConfineReport> confine_self(const ConfineSpec& spec);

}  // namespace paddock
