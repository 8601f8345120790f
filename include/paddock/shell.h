// How the commands of a workspace are confined: what the operator may ask for, and what was given.
//
// Every command runs in layers. On the full level: own user, mount, pid, network, ipc, uts and
// cgroup namespaces with a root that holds the workspace, the system's programs and nothing of
// anybody's home; on top Landlock, seccomp, limits and, where a cgroup is delegated, that. Where
// the kernel or the container refuses user namespaces the low level remains: Landlock, seccomp and
// limits. Less than Landlock and seccomp is never accepted: commands are then sandbox_unavailable.
//
// Not covered on the low level: the processes of the host are listed in /proc; chmod, chown, utimes
// and extended attributes on the user's own files outside; Unix sockets reached by a path (before
// Landlock ABI 9); System V IPC; UDP; whoever kills the warden with SIGKILL leaves its commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>
#include <paddock/limits.h>

namespace paddock {

enum class Layer : std::uint8_t {
    kUserNamespace,
    kMountNamespace,    // the view: only what is listed exists
    kPidNamespace,      // other processes do not exist, and none outlives the session
    kNetworkNamespace,  // own loopback only
    kIpcNamespace,
    kUtsNamespace,
    kCgroupNamespace,
    kLandlock,
    kSeccomp,
    kLimits,  // rlimits
    kCgroup,  // memory, processes and time of all commands together
    kGate,    // each change of the workspace is judged, recorded and made for the command
};
inline constexpr std::size_t kLayers = 12;

// "user_namespace", "landlock", ...: as written in configurations.
std::string_view layer_name(Layer layer) noexcept;

namespace permit {
// Commands use the host's network, its loopback services included. A reason of fewer than two words
// is refused.
struct HostNetwork {
    std::string reason;
};
}  // namespace permit

// Processes and memory are those of the whole session. Without a cgroup they are counted ten times
// a second, and the command that has the most is ended. File size and open files are of a process.
struct CommandLimits {
    std::uint64_t processes = limits::kCommandProcesses;
    std::uint64_t memory_bytes = limits::kCommandMemoryBytes;
    std::uint64_t file_bytes = limits::kCommandFileBytes;
    std::uint64_t open_files = limits::kCommandOpenFiles;
    // /tmp, home and /dev/shm together; they are memory, and hold memory_bytes at most.
    std::uint64_t scratch_bytes = limits::kCommandScratchBytes;
    // What must stay free on the workspace's disk; 0: nothing.
    std::uint64_t disk_reserve_bytes = limits::kDiskReserveBytes;
    // The home that lasts; a file counts for at least 4 kB.
    std::uint64_t home_bytes = limits::kCommandHomeBytes;
    std::optional<std::uint32_t> cpu_percent{};  // of one processor; with a cgroup only
};

struct EnvironmentVariable {
    std::string name;
    std::string value;
};

// Who commits, unless a repository or a command says otherwise.
struct GitAuthor {
    std::string name{};
    std::string email{};
};

struct ShellOptions {
    // Refuse to run commands without these. Whatever else the machine can give is used as well.
    // Landlock and seccomp are required even if not named.
    std::vector<Layer> required{};

    bool read_only = false;  // commands cannot change the workspace

    // No network by default. `network_allow` lets these destinations through, "host[:port]",
    // "*.example.org", "private:registry.corp" or a preset such as "npm", by a proxy that the
    // environment of commands names; every other way out stays closed. Addresses of this machine,
    // of private networks and of metadata services have to be listed themselves. It needs a network
    // namespace: on the low level commands are then sandbox_unavailable. It contradicts
    // `host_network`.
    std::vector<std::string> network_allow{};
    std::optional<permit::HostNetwork> host_network{};

    // Servers of commands that are reached on this machine's loopback, by its user alone: "3000",
    // "8080:3000" (outside, inside), or "auto" for those that commands start. It needs a network
    // namespace: on the low level commands are then sandbox_unavailable. It contradicts
    // `host_network`.
    std::vector<std::string> publish{};

    CommandLimits limits{};

    // Variables of the host that commands get besides sandbox::kPassedVariables, and variables that
    // they get in any case.
    std::vector<std::string> pass_environment{};
    std::vector<EnvironmentVariable> environment{};

    // Absolute paths that commands see, at the same place, and cannot change.
    std::vector<std::string> read_only_directories{};

    // Names of toolchains in the user's home ("cargo", "nvm", ...) that commands may read if they
    // are on PATH. HOME and PATH are those of WorkspaceOptions::host_environment.
    std::vector<std::string> toolchains{};

    // Where the homes of workspaces are kept, one for each, across sessions. Absent: commands have
    // a private home that ends with the session. So they do if none can be made there, and the
    // report says why.
    std::optional<std::string> homes{};

    GitAuthor git_author{};
};

// Something that a command was denied, as far as it was seen. Bytes of unknown origin are escaped.
struct CommandDenial {
    std::string operation;  // "write", "connect to", ...
    std::string target;     // a path or an address; of a limit its name
    std::string reason;
    std::string layer;    // that stood in the way: "mount_namespace", "gate", "proxy", ...
    std::string setting;  // of the operator; "none": no setting allows it
    std::string option;   // of `paddock`, that allows it; empty: none is known
    bool needed = true;   // false: a destination, and the command succeeded without it
};

struct MissingLayer {
    Layer layer = Layer::kLandlock;
    std::string_view reason;  // a literal
    std::string_view remedy;  // for the operator, a literal
    int os_error = 0;
};

enum class SandboxLevel : std::uint8_t { kLow, kFull };

// "low", "full".
std::string_view level_name(SandboxLevel level) noexcept;

// What commands are confined by. Look at it before the first command.
struct [[nodiscard]] ShellReport {
    SandboxLevel level = SandboxLevel::kLow;
    std::vector<Layer> requested;  // all but what a permit gives up
    std::vector<Layer> enforced;
    std::vector<MissingLayer> missing;  // requested, and this machine cannot
    int landlock_abi = 0;
    unsigned user = 0;                 // of the kernel, never 0
    std::vector<std::string> permits;  // each weakening in force: "host_network: <reason>"
    // Why what commands are refused is not told at their end, a literal; empty: it is, as far as it
    // is seen.
    std::string_view denials_untold;
    // Why the home ends with the session though it should last; empty: it lasts, or need not.
    std::string scratch_home_reason{};
};

}  // namespace paddock
