#include "fs/procfs.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/files.h"
#include "sys/io.h"
#include "sys/uapi.h"

namespace paddock::fs {
namespace {

bool is_missing(Code code) {
    return code == Code::kNotFound || code == Code::kNotADirectory ||
           code == Code::kPermissionDenied;
}

Outcome<UniqueFd> own_descriptors() {
    const Failure absent = refuse(Code::kNotAvailable, "needs /proc, which is not mounted");
    auto directory = sys::openat(AT_FDCWD, "/proc/thread-self/fd", O_PATH | O_DIRECTORY);
    if (!directory) return is_missing(directory.error().code) ? absent : directory.error();
    PADDOCK_ASSIGN(file_system, sys::file_system(directory->get()));
    if (file_system.type != sys::uapi::kProcSuperMagic) return absent;
    return directory;
}

}  // namespace

Outcome<std::string> host_path_of(int fd) {
    PADDOCK_ASSIGN(directory, own_descriptors());
    return sys::readlinkat(directory.get(), std::to_string(fd).c_str());
}

bool links_are_protected() {
    const auto file = sys::openat(AT_FDCWD, "/proc/sys/fs/protected_symlinks", O_RDONLY);
    if (!file) return true;
    char value = '1';
    const auto got = sys::read(file->get(), &value, 1);
    return !got || value != '0';
}

Done chmod_pinned(int fd, Mode mode) {
    auto done = sys::chmod_path_fd(fd, mode);
    // EPERM is the file's own answer or that of an old container profile; /proc tells which.
    const int error = done ? 0 : done.error().os_error;
    if (error != ENOSYS && error != EPERM) return done;
    const auto directory = own_descriptors();
    if (!directory) return error == EPERM ? done : directory.error();
    return sys::chmod_magic(directory->get(), std::to_string(fd).c_str(), mode);
}

}  // namespace paddock::fs
