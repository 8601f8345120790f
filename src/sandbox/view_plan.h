// What a command sees of the file system, as a list of things to make in an empty root, in order.
// Pure: made from what the host has, before any process is; view.h carries it out.
//
//   /usr, /bin, /sbin, /lib*   the host's, read-only; links are made again
//   /etc                       own passwd, group, hosts, hostname, nsswitch.conf; of the
//                              host's what programs need (loader, certificates, time zone, ...)
//   /dev                       null, zero, full, random, urandom, tty, own terminals, shm
//   /proc                      fresh, read-only, its dangerous parts covered
//   /tmp, home, /dev/shm       private memory; /var/tmp leads to /tmp; the home may be the
//                              workspace's own, which lasts
//   operator's directories     read-only, at their own paths
//   the user's toolchains      the same
//   further roots, then the workspace, at their own paths
//
// All else is read-only: a write beside the workspace fails, also where that lies in /tmp.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>

#include "base/outcome.h"

namespace paddock::sandbox {

// A path of the workspace that commands may not change, or not even see.

enum class Shield : std::uint8_t {
    kReadOnly,  // it and all below can be read
    kHidden,    // an empty object without permissions stands in its place
    kEmptied,   // of a directory: an empty one stands in its place, which can be read
};

struct Protection {
    // Relative to the workspace, or absolute in another root; names only, no link is followed.
    std::string path;
    Shield shield = Shield::kReadOnly;
    // What was seen there: nothing else will do. Absent: whatever is there, if anything.
    std::optional<Identity> object = {};
};

// The mounts that this process sees.
struct MountedHere {
    std::uint64_t id = 0;  // not sys::MountId, which is never used again
    std::string device;    // tells file systems apart: "8:1"
    std::string root;      // which directory of the file system is seen: "/", or what was bound
    std::string point;     // where
};

Outcome<std::vector<MountedHere>> mounts_here();

// The one that an open object was reached in.
Outcome<MountedHere> mount_of(int fd);

// The few files of /etc that a command does not get from the host. Pure.
// The commands' own account, "agent", and root and nobody, which programs look up by name.
std::string passwd_text(uid_t user, gid_t group, const std::string& home);
std::string group_text(gid_t group);

std::string hostname_text();
std::string hosts_text();
std::string nsswitch_text();

enum class Make : std::uint8_t {
    kDirectory,
    kLink,       // to `text`
    kText,       // a file that holds `text`
    kSystem,     // the directory or file `text` of the host, read-only
    kDevice,     // the device node `text` of the host
    kScratch,    // a directory that stays writable
    kClosed,     // a directory in such a one that does not
    kTerminals,  // a fresh devpts
    kProc,       // a fresh procfs
    kCover,      // nothing can be seen there any more, if there is anything
    kHome,       // the home that lasts
    kExtra,      // a directory or file of the operator's or the user's, read-only
    kFurther,    // a root besides the workspace
    kWorkspace,
};

struct Piece {
    Make make = Make::kDirectory;
    std::string path;  // below the new root, names only
    std::string text = {};
    mode_t mode = 0755;
    bool is_directory = true;  // what kSystem, kDevice and the like are mounted on
    bool is_optional = false;  // kExtra: without it the view is good enough
};

// Something of the host that commands see at the same place and cannot change.
struct ShownPath {
    std::string path;  // canonical
    bool is_directory = true;
    bool is_optional = false;
    friend bool operator==(const ShownPath&, const ShownPath&) = default;
};

// A link to something of the kind.
struct ShownLink {
    std::string path;
    std::string target;  // canonical
};

// Something that the host has.
struct HostName {
    std::string path;
    FileType type = FileType::kUnknown;
    std::string link = {};  // where it leads, as written
};

struct ViewFacts {
    std::vector<HostName> host;     // what exists of those below
    std::string workspace;          // absolute and canonical, as the following
    std::vector<ShownPath> extras;  // without those below another
    std::vector<ShownLink> links = {};
    std::vector<std::string> further = {};
    uid_t user = 0;  // as commands see themselves
    gid_t group = 0;
    bool has_home = false;        // that lasts
    std::string git_config = {};  // of the system, as commands see it; empty: there is none
    bool host_network = false;
    std::string host_hosts = {};  // with the host's network: /etc/hosts and /etc/resolv.conf
    std::string host_resolver = {};
};

struct ViewPlan {
    std::vector<Piece> pieces;
    std::string home;  // as commands see them
    std::string temporary;
};

// Directories of the host that are shown, if they exist, and names in its /etc. The parts have a
// slash: their directories are not shown.
std::span<const std::string_view> system_directories();
bool is_shown_in_etc(std::string_view name);
std::span<const std::string_view> shown_parts_of_etc();

// Errors: invalid_argument for a workspace or directory that cannot be shown.
Outcome<ViewPlan> plan_view(const ViewFacts& facts);

}  // namespace paddock::sandbox
