#include "fs/probe.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/files.h"
#include "sys/process.h"
#include "sys/uapi.h"

namespace paddock::fs {
namespace {

Outcome<UniqueFd> ask(int directory) {
    return sys::openat2(directory, ".", O_PATH | O_DIRECTORY, sys::uapi::kResolveBeneath);
}

bool survives(int directory) {
    (void)ask(directory);
    return true;
}

}  // namespace

Outcome<bool> openat2_works(int directory) {
    if (sys::has_seccomp_filter()) {
        PADDOCK_ASSIGN(survived, sys::ask_in_child(survives, directory));
        if (!survived) return false;
    }
    const auto answer = ask(directory);
    if (answer) return true;
    const int error = answer.error().os_error;
    if (error == ENOSYS || error == EPERM) return false;
    return answer.error();
}

}  // namespace paddock::fs
