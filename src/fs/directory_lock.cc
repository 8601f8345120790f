#include "fs/directory_lock.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <paddock/limits.h>

#include "sys/io.h"
#include "sys/open.h"

namespace paddock::fs {
namespace {

constexpr std::chrono::milliseconds kPause{1};

// NFS locks nothing that is not open for writing, and a directory never is.
bool gives_no_locks(int error) {
    return error == EOPNOTSUPP || error == ENOSYS || error == ENOLCK || error == EBADF;
}

}  // namespace

Outcome<DirectoryLock> DirectoryLock::take(int directory) {
    auto fd = sys::openat(directory, ".", O_RDONLY | O_DIRECTORY);
    if (!fd && fd.error().os_error == EACCES) return DirectoryLock(UniqueFd());
    if (!fd) return fd.error();
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + limits::kDirectoryLockDeadline;
    for (;;) {
        const auto locked = sys::try_lock_file(fd->get(), sys::FileLock::kAlone);
        if (locked) return DirectoryLock(std::move(*fd));
        const int error = locked.error().os_error;
        if (gives_no_locks(error)) return DirectoryLock(UniqueFd());
        if (error != EWOULDBLOCK) return locked.error();
        if (Clock::now() >= deadline) {
            return refuse(Code::kRace, "another program holds a lock on its directory", EAGAIN);
        }
        std::this_thread::sleep_for(kPause);
    }
}

// A child that this process made meanwhile has the descriptor too.
DirectoryLock::~DirectoryLock() {
    if (fd_.valid()) (void)sys::lock_file(fd_.get(), sys::FileLock::kNone);
}

}  // namespace paddock::fs
