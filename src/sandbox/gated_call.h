// A call that the gate performs for a command: its arguments, brought into one form. Pure: paths
// are still addresses in the command's memory.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "sandbox/denial.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {

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
Deed deed_of(const GatedCall& call) noexcept;

}  // namespace paddock::sandbox
