#include "fs/probe.h"

#include <fcntl.h>

#include "sys/open.h"
#include "sys/process.h"
#include "sys/uapi.h"

namespace paddock::fs {
namespace {

bool ask(int directory) {
    return sys::openat2(directory, ".", O_PATH | O_DIRECTORY, sys::uapi::kResolveBeneath)
        .has_value();
}

}  // namespace

bool openat2_works(int directory) {
    if (sys::has_seccomp_filter()) {
        static const bool survived = sys::ask_in_child(ask, directory);
        if (!survived) return false;
    }
    return ask(directory);
}

}  // namespace paddock::fs
