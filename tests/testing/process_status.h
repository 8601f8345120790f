// What the kernel says of a process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace paddock::testing {

// A figure of /proc/ID/status, such as "VmRSS"; 0 if there is none.
inline std::size_t status_kb(pid_t process, const std::string& name) {
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
    }
    return 0;
}

}  // namespace paddock::testing
