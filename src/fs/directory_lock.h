// The turn of a writer that expects a certain file under a name.
//
// To look at a name and then to change it are two system calls. Writers of paddock hold this lock
// from the look to the end of the change, so any number of them, in any number of processes, come
// one after the other. Writers that expect nothing need no lock: their change is one call.
//
// It is a flock of the directory. Programs that take no such lock are not kept out: replace.cc
// looks again after the change. A directory that cannot be read, and a file system without locks,
// give no lock, and the change is made without it.
#pragma once

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::fs {

class [[nodiscard]] DirectoryLock {
public:
    // Waits up to limits::kDirectoryLockDeadline for other holders, then race.
    static Outcome<DirectoryLock> take(int directory);
    DirectoryLock(DirectoryLock&&) noexcept = default;
    DirectoryLock& operator=(DirectoryLock&&) = delete;
    ~DirectoryLock();

private:
    explicit DirectoryLock(UniqueFd fd) noexcept : fd_(std::move(fd)) {}

    UniqueFd fd_;  // none: there is no lock
};

}  // namespace paddock::fs
