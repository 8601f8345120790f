// An object of the host by its path and by a descriptor. What is judged is then used through the
// descriptor: whoever exchanges a directory on the path with a link afterwards changes nothing.
#pragma once

#include <string>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sandbox {

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

}  // namespace paddock::sandbox
