// Who commands run as: never the kernel's user 0.
//
// Whoever is not root runs commands as himself. Root runs them as a user that nobody else is, with
// no rights but to the workspace, which is shown to that user as its own: files that a command
// makes land on disk as those of the workspace's owner. Where the file system cannot be shown that
// way, and where there are no user namespaces, root runs them as the owner of the workspace, if
// that is not root.
//
// A home that lasts belongs to a user that nobody is, too, which stays the same: it is shown to the
// commands' user as its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sandbox {

struct CommandUser {
    uid_t user = 0;  // as this process sees them
    gid_t group = 0;
    uid_t inside_user = 0;  // as commands see themselves
    gid_t inside_group = 0;
    bool chosen = false;       // by root: the warden has to become it
    UniqueFd workspace_mount;  // attached nowhere; invalid: to be made by the warden
    UniqueFd home_mount;       // the same, of a home that lasts; invalid: none, or none can be made
};

// A user and group that no account of this system has.
Outcome<std::uint32_t> unused_id();

// For the full level. `workspace` is its directory, `home` a directory, or -1. `map_owners` false
// pretends that no file system can. Errors: sandbox_unavailable.
Outcome<CommandUser> choose_user(int workspace, int home, bool map_owners);

// Another directory as a mount, attached nowhere, on which its owner appears as that user if the
// owner of the workspace does.
Outcome<UniqueFd> mount_for_user(int directory, const CommandUser& user);

// For the low level, which has no namespaces.
Outcome<CommandUser> choose_plain_user(int workspace);

// Maps the one user and group of the namespace of `process`.
Done map_user(pid_t process, const CommandUser& user);

// Lines for uid_map: everybody is himself, but these two, who are each other.
std::string exchange_map(std::uint32_t one, std::uint32_t other);

// An id that a user namespace with this uid_map or gid_map knows, made from a random number;
// nothing that looks like an ordinary account where there is a choice. 0: there is none.
std::uint32_t id_in_map(std::string_view map, std::uint64_t random);

// Is there a line with this number in the third field? For passwd and group alike.
bool lists_id(std::string_view accounts, std::uint32_t id);

}  // namespace paddock::sandbox
