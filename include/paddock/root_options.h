// What a Root lets pass, fixed by whoever opens it. The defaults are the strict ones that still let
// ordinary projects work.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>
#include <paddock/handle.h>

namespace paddock {

enum class AbsolutePaths : std::uint8_t {
    kInside,  // mapped onto the root component by component, in its given and its real spelling
    kReject,  // absolute_path
};

enum class DotDot : std::uint8_t {
    kNormalize,
    kReject,  // any ".." component is path_escape
};

enum class Symlinks : std::uint8_t {
    kInside,  // followed while they stay inside; absolute targets below the root are re-anchored
    kReject,  // passing any link is path_escape
};

enum class Hardlinks : std::uint8_t {
    kReadable,
    kReject,  // a regular file with several links is not opened at all
};

namespace permit {

// Lets lookups enter every mount below the root, whenever it was made. Says why, for whoever reads
// the code; a reason of fewer than two words is refused.
struct EveryMount {
    std::string reason;
};

}  // namespace permit

enum class ResolverKind : std::uint8_t {
    kProbe,  // openat2 if this process may use it, else the walk
    kOpenat2,
    kWalk,
};

struct RootOptions {
    AbsolutePaths absolute = AbsolutePaths::kInside;
    DotDot dotdot = DotDot::kNormalize;
    Symlinks symlinks = Symlinks::kInside;
    Hardlinks hardlinks = Hardlinks::kReadable;

    // Root-relative directories at which a mount may be entered. Looked up once, when the root is
    // opened: a mount made later, or one below a listed one, stays refused (mount_crossing).
    std::vector<std::string> mounts{};
    std::optional<permit::EveryMount> every_mount{};

    ResolverKind resolver = ResolverKind::kProbe;

    bool follow_root_link = true;
    std::optional<Identity> expected{};  // refuse any other directory (invalid_argument)
};

struct OpenOptions {
    bool read = true;
    bool write = false;
    bool append = false;         // implies write
    bool truncate = false;       // needs write
    bool create = false;         // needs write; parents must exist
    bool exclusive = false;      // needs create; already_exists if the name is taken
    std::optional<Mode> mode{};  // exact permissions of a new file; absent: 0666 less the umask
};

enum class Durability : std::uint8_t {
    kNone,       // atomic for other processes; a power cut may lose it
    kFile,       // the content is on disk before the name changes
    kDirectory,  // and the name is on disk before the call returns
};

struct WriteOptions {
    bool make_parents = false;   // not synced, whatever the durability
    bool must_create = false;    // already_exists if the name is taken
    std::optional<Mode> mode{};  // of a new file; an existing one keeps its own, unless:
    bool less_umask = false;     // that of a new file as the system makes one: less the umask
    bool mode_of_old = false;    // gives it to an existing one too, together with the content
    Durability durability = Durability::kFile;

    // A new file gets the owner, the ACL and the extended attributes of this one, and its
    // permissions if `mode` is absent. If it cannot: permission_denied, or with `like_is_optional`
    // the file is one's own. Empty: of none.
    std::string_view like{};
    bool like_is_optional = false;

    // Replace this very file in this very state (identity, size and time of modification), else
    // stale_read. Of any number of writers of paddock that replace the same file one succeeds; race
    // if another program keeps the directory locked (flock). A file that a program without that
    // lock put there meanwhile gets the name back; where the file system cannot exchange names, the
    // last look is right before.
    std::optional<Stat> replaces{};
};

enum class RenameMode : std::uint8_t { kReplace, kNoReplace, kExchange };

struct Times {
    // Absent: left as it is.
    std::optional<std::chrono::nanoseconds> accessed{};  // since the epoch
    std::optional<std::chrono::nanoseconds> modified{};
};

struct Resolution {
    std::string path;  // canonical, relative to the root; "." is the root
    bool exists = false;
    FileType type = FileType::kUnknown;  // of what exists
};

struct LinkTarget {
    std::string text;      // verbatim
    bool escapes = false;  // following it would be path_escape
};

struct ListEntry {
    std::string name;
    FileType type = FileType::kUnknown;  // of the entry itself, a link is a link
};

struct Listing {
    std::vector<ListEntry> entries;
    bool truncated = false;
};

enum class WalkAction : std::uint8_t { kContinue, kSkip, kStop };

struct WalkEntry {
    std::string_view path;  // the start path as normalised, "/", names below it
    std::string_view name;
    FileType type = FileType::kUnknown;
    std::size_t depth = 0;             // 1 for the children of the start
    int directory = -1;                // descriptor of the directory that holds `name`, borrowed
    const Failure* failure = nullptr;  // second visit: this directory could not be entered or read
};

using WalkVisitor = std::function<WalkAction(const WalkEntry&)>;

}  // namespace paddock
