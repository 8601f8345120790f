// What a command was refused, as far as it was seen: for the person who reads the result.
//
// The observer in the warden sends records through a socket of the command (SOCK_SEQPACKET); the
// log of that command, on the side of the server, reads them. Neither decides anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>
#include <paddock/shell.h>

#include "base/outcome.h"
#include "proxy/refusal_log.h"

namespace paddock::sandbox {

// Places that the observer of denials can tell apart: the protected paths of a usual session, with
// names of a usual length.
inline constexpr std::size_t kWriteMapPlacesMax = 1100;
inline constexpr std::size_t kWriteMapBytesMax = std::size_t{128} << 10;

// A path that another process hands to the kernel, as an absolute one. Nothing here allocates.

class ForeignPath {
public:
    // Most of the text is never touched, so it is not initialised.
    ForeignPath() noexcept { text_[0] = '\0'; }  // NOLINT(*-member-init)

    // Reads the string at `address` of `process`. A relative one is joined to what /proc says of
    // `directory`, a descriptor of that process or AT_FDCWD; "." and ".." are then taken off by
    // name. Fails where memory or /proc cannot be read.
    Done read(int process, int directory, std::uint64_t address);

    // The same for a string that was read already.
    Done set(int process, int directory, std::string_view path);

    // Keeps so many bytes of it, not more than there are.
    void shorten(std::size_t size) noexcept;

    // Empty until one of the two succeeded. A terminating NUL follows it.
    std::string_view view() const noexcept { return {text_.data(), size_}; }
    const char* c_str() const noexcept { return text_.data(); }

private:
    void append(std::string_view component) noexcept;

    std::array<char, 2 * limits::kPathBytesMax + 2> text_;
    std::size_t size_ = 0;
};

// Copies up to size bytes that lie at `address` of `process`, fewer where its memory ends.
std::size_t read_foreign(int process, std::uint64_t address, std::span<char> buffer) noexcept;

// What stood in the way.
enum class Wall : std::uint8_t {
    kNone,
    kView,      // only the workspace and scratch directories can be changed
    kReadOnly,  // the workspace is read-only as a whole
    kRule,      // a rule protects the path
    kSeen,      // a further directory that may only be read
    kNetwork,   // there is no way out of the own loopback
    kProxy,     // the way out through the proxy leads to listed destinations only
    kLimit,
};

enum class DeniedOperation : std::uint8_t {
    kWrite,
    kCreate,
    kRemove,
    kRename,
    kConnect,
    kLookUp,  // the target is the name server
    kExceed,
    kRead,
    kResolve,  // the target is the host
};

struct Denial {
    Wall wall = Wall::kNone;
    DeniedOperation operation = DeniedOperation::kWrite;
    // A path or an address, as the command had it: untrusted bytes. Of a limit its name.
    std::string target = {};
    std::string why = {};  // instead of the wall's own words
    // Instead of the wall's own, literals.
    std::string_view layer = {};
    std::string_view setting = {};
    std::string option = {};  // of `paddock`, that allows it; empty: none is known
};

// One message of the observer, which knows nothing of the proxy and of limits.
struct DenialRecord {
    Wall wall = Wall::kNone;  // kNone: there were more, and no target
    DeniedOperation operation = DeniedOperation::kWrite;
    std::uint16_t size = 0;
    std::uint16_t why_size = 0;
    std::array<char, limits::kDenialTargetBytesMax> target{};
    std::array<char, limits::kDenialTargetBytesMax> why{};  // instead of the wall's own words
};

// The layers behind the walls of one session, "mount_namespace" or "landlock" and the like.
struct WallLayers {
    std::string_view files;
    std::string_view network;
};

// "protected by the rule '.env'"
std::string protected_by(std::string_view rule);

// One line each, with the layer and the operator's setting behind it; empty if there are none.
// Those that were not needed share a line. `more`: there were others.
std::string denials_text(const std::vector<CommandDenial>& denials, bool more);

class DenialLog {
public:
    // Reads what has come and does not wait for more. True when the observer is gone.
    Outcome<bool> read(int report);

    // For layers that know for themselves. What is there already is not added again, and of one
    // wall nothing beyond kDenialsMax.
    void add(Denial denial);

    const std::vector<Denial>& denials() const { return denials_; }
    bool has_target(std::string_view target) const;
    bool more() const { return more_; }
    void add(const DenialLog& other);
    void add_more() { more_ = true; }  // there were others, of which nothing is known

    // In the words of people. A command that succeeded needed no place that it did not reach: the
    // look for a newer version that npm takes, for example, decides nothing.
    std::vector<CommandDenial> explained(const WallLayers& layers, bool succeeded = false) const;
    std::string text(const WallLayers& layers, bool succeeded = false) const {
        return denials_text(explained(layers, succeeded), more_);
    }

private:
    std::vector<Denial> denials_;
    bool more_ = false;
};

// Where a command may write, as far as names tell: which wall, if any, stands before a path. What
// the kernel enforces is decided elsewhere; this only explains it, and may be wrong about links.
//
// All memory is taken when the map is made: the warden, which must not allocate, can add to it.
class WriteMap {
public:
    // At first everything is behind Wall::kView but devices and what a process finds about itself
    // in /proc.
    WriteMap();

    // From now on `wall` (kNone: open) stands before `path` and all below that has no entry of its
    // own. `path` is absolute and without "." and "..". False if the map is full; it then says of
    // this path what it said before.
    bool set(std::string_view path, Wall wall) noexcept;

    // For the same kind of path.
    Wall wall_before(std::string_view path) const noexcept;

    // What the wall before it was set at: the path itself, or a directory above.
    std::string_view behind(std::string_view path) const noexcept;

    // Connections lead no further than the own loopback.
    bool loopback_only = true;
    // At 127.0.0.1 look-ups are refused by a name server (name_server.h), which logs them.
    bool refuses_look_ups = false;

private:
    struct Place {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        Wall wall = Wall::kNone;
    };

    std::string_view path_of(const Place& place) const noexcept;
    const Place* nearest(std::string_view path) const noexcept;  // null: there is none
    std::size_t first_not_before(std::string_view path) const noexcept;

    std::vector<Place> places_;  // sorted by path
    std::string text_;
};

// A connection or look-up that the proxy refused. `has_list`: some hosts are allowed.
Denial as_denial(const proxy::NetworkDenial& denial, bool has_list);

}  // namespace paddock::sandbox
