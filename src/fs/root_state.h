// What every copy of a Root shares. Immutable once made.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <paddock/root_options.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "sys/files.h"

namespace paddock::fs {

// Closed with the last of the states that share it.
class SharedFd {
public:
    SharedFd() = default;
    SharedFd(UniqueFd fd) : fd_(std::make_shared<const UniqueFd>(std::move(fd))) {}
    int get() const noexcept { return fd_ == nullptr ? -1 : fd_->get(); }

private:
    std::shared_ptr<const UniqueFd> fd_;
};

struct RootState {
    SharedFd fd;  // O_PATH
    sys::Node node;
    PathRules rules;
    Symlinks symlinks = Symlinks::kInside;
    Hardlinks hardlinks = Hardlinks::kReadable;
    std::vector<sys::MountId> mounts;  // that may be entered besides the root's own
    bool every_mount = false;          // may be entered
    bool kernel = false;               // openat2 answers here
    bool links_protected = true;       // fs.protected_symlinks is on: the walk does the same

    bool may_enter(sys::MountId mount) const noexcept {
        if (every_mount || mount == node.mount) return true;
        for (const sys::MountId allowed : mounts) {
            if (mount == allowed) return true;
        }
        return false;
    }
};

}  // namespace paddock::fs
