#include "sandbox/held_path.h"

#include <fcntl.h>

#include "sandbox/descend.h"
#include "sys/open.h"
#include "sys/stat.h"

namespace paddock::sandbox {

Outcome<HeldPath> hold(const std::string& path) {
    PADDOCK_ASSIGN(top, sys::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY));
    PADDOCK_ASSIGN(object, descend(top.get(), path.c_str() + 1));
    PADDOCK_ASSIGN(stat, sys::fstat(object.get()));
    return HeldPath{std::move(object), path, stat};
}

Outcome<HeldPath> hold_in(const HeldPath& directory, const std::string& name) {
    PADDOCK_ASSIGN(object, descend(directory.object.get(), name.c_str()));
    PADDOCK_ASSIGN(stat, sys::fstat(object.get()));
    return HeldPath{std::move(object), directory.path + '/' + name, stat};
}

}  // namespace paddock::sandbox
