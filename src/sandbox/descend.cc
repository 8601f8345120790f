#include "sandbox/descend.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include <paddock/limits.h>

#include "sys/open.h"
#include "sys/stat.h"

namespace paddock::sandbox {
namespace {

bool is_plain(const char* name, std::size_t length) {
    if (length == 0 || length > limits::kComponentBytesMax) return false;
    return !(name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')));
}

}  // namespace

Outcome<UniqueFd> descend(int directory, const char* path, UniqueFd* reached) {
    if (*path == '\0' || std::strcmp(path, ".") == 0) {
        return sys::openat(directory, ".", O_PATH | O_DIRECTORY);
    }
    UniqueFd held;
    int here = directory;
    for (const char* name = path;;) {
        const std::size_t length = std::strcspn(name, "/");
        if (!is_plain(name, length)) return refuse(Code::kInvalidPath, {}, EINVAL);
        char component[limits::kComponentBytesMax + 1];
        std::memcpy(component, name, length);
        component[length] = '\0';
        auto next = sys::openat(here, component, O_PATH | O_NOFOLLOW);
        if (!next && reached != nullptr) *reached = std::move(held);
        if (!next) return next.error();
        held = std::move(*next);
        here = held.get();
        if (name[length] == '\0') return held;
        name += length + 1;
    }
}

Outcome<UniqueFd> descend_to_directory(int directory, const char* path) {
    PADDOCK_ASSIGN(found, descend(directory, path));
    PADDOCK_ASSIGN(stat, sys::fstat(found.get()));
    if (stat.type != FileType::kDirectory) return Failure::from_errno(ENOTDIR);
    return std::move(found);
}

}  // namespace paddock::sandbox
