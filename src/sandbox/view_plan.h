// What a command sees of the file system, as a list of things to make in an empty root, in order.
// Pure: made from what the host has, before any process is; view.h carries it out.
//
//   /usr, /bin, /sbin, /lib*   the host's, read-only; links are made again
//   /etc                       own passwd, group, hosts, hostname, nsswitch.conf; of the host's
//   what
//                              programs need to run (loader, certificates, time zone, ...)
//   /dev                       null, zero, full, random, urandom, tty, own terminals, shm
//   /proc                      fresh, read-only, its dangerous parts covered
//   /tmp, home, /dev/shm       private memory; /var/tmp leads to /tmp
//   operator's directories     read-only, at their own paths
//   the workspace              last, at its own path
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>

#include "base/outcome.h"

namespace paddock::sandbox {

enum class Make : std::uint8_t {
    kDirectory,
    kLink,       // to `text`
    kText,       // a file that holds `text`
    kSystem,     // the directory or file `text` of the host, read-only
    kDevice,     // the device node `text` of the host
    kScratch,    // a directory that stays writable
    kTerminals,  // a fresh devpts
    kProc,       // a fresh procfs
    kCover,      // nothing can be seen there any more, if there is anything
    kExtra,      // an operator's directory
    kWorkspace,
};

struct Piece {
    Make make = Make::kDirectory;
    std::string path;  // below the new root, names only
    std::string text = {};
    mode_t mode = 0755;
    bool is_directory = true;  // what kSystem, kDevice and the like are mounted on
};

// Something that the host has.
struct HostName {
    std::string path;
    FileType type = FileType::kUnknown;
    std::string link = {};  // where it leads, as written
};

struct ViewFacts {
    std::vector<HostName> host;       // what exists of those below
    std::string workspace;            // absolute and canonical, as the following
    std::vector<std::string> extras;  // without those below another
    uid_t user = 0;                   // as commands see themselves
    gid_t group = 0;
    bool host_network = false;
    std::string host_hosts = {};  // with the host's network: /etc/hosts and /etc/resolv.conf
    std::string host_resolver = {};
};

struct ViewPlan {
    std::vector<Piece> pieces;
    std::string home;  // as commands see them
    std::string temporary;
};

// Directories of the host that are shown, if they exist, and names in its /etc.
std::span<const std::string_view> system_directories();
bool is_shown_in_etc(std::string_view name);

// Errors: invalid_argument for a workspace or directory that cannot be shown.
Outcome<ViewPlan> plan_view(const ViewFacts& facts);

}  // namespace paddock::sandbox
