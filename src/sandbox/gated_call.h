// A call that the gate performs for a command: its arguments, brought into one form. Pure: paths
// are still addresses in the command's memory.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "journal/journal.h"
#include "sandbox/denial.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {

// What /proc says of a command that waits for an answer of the gate, and what its paths mean to it.

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

// An object of the host by its path and by a descriptor. What is judged is then used through the
// descriptor: whoever exchanges a directory on the path with a link afterwards changes nothing.
struct HeldPath {
    UniqueFd object;  // O_PATH
    std::string path;
    Stat stat;

    bool is_directory() const noexcept { return stat.type == FileType::kDirectory; }
};

// `path` is absolute and canonical. No link is followed on the way; one at the end is held itself.
// Errors: those of the kernel, ENOTDIR for a link on the way.
Outcome<HeldPath> hold(const std::string& path);

// One name in a held directory.
Outcome<HeldPath> hold_in(const HeldPath& directory, const std::string& name);

enum class GatedKind : std::uint8_t {
    kOpen,
    kTruncate,
    kMakeDirectory,
    kMakeNode,
    kSymlink,
    kLink,
    kRename,
    kUnlink,
    kRemoveDirectory,
    kChmod,
    kSetAttribute,
    kRemoveAttribute,
    kBind,
};

// A name as a command gives it.
struct GatedName {
    int directory = AT_FDCWD;
    std::uint64_t address = 0;
};

struct GatedCall {
    GatedKind kind = GatedKind::kOpen;
    GatedName name = {};      // what is opened, made, changed, removed; the old name of a rename
    GatedName second = {};    // the new name of a rename; the existing file of a link
    std::uint64_t flags = 0;  // of open, rename, link; AT_ flags of chmod and attributes
    mode_t mode = 0;
    // The size of truncate and of an attribute's value; the device of mknod; the length of bind
    std::uint64_t number = 0;
    // Where the target of a symlink, the address of bind or the name of an attribute is
    std::uint64_t text = 0;
    std::uint64_t value = 0;        // where that of an attribute is
    std::uint32_t value_flags = 0;  // XATTR_ flags
    int descriptor = -1;            // of bind; of fchmod and the like, which have no name
    bool by_descriptor = false;
};

// What openat2 knows; open(2) ignores the rest.
constexpr std::uint64_t kOpenFlags =
    O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_DSYNC | O_SYNC |
    O_ASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | O_TMPFILE;

constexpr bool is_writable(std::uint64_t flags) {
    return (flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR;
}

// Nothing for a call that the gate has no part in.
std::optional<GatedCall> decode(const sys::seccomp::Notification& call) noexcept;

// What it would do, for a report of what was denied.
DeniedOperation operation_of(const GatedCall& call) noexcept;

}  // namespace paddock::sandbox
