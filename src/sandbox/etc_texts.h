// The few files of /etc that a command does not get from the host. Pure.
#pragma once

#include <sys/types.h>

#include <string>

namespace paddock::sandbox {

// The commands' own account, "agent", and root and nobody, which programs look up by name.
std::string passwd_text(uid_t user, gid_t group, const std::string& home);
std::string group_text(gid_t group);

inline constexpr const char* kInsideHostName = "paddock";
std::string hostname_text();
std::string hosts_text();
std::string nsswitch_text();

}  // namespace paddock::sandbox
