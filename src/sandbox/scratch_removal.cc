#include "sandbox/scratch_removal.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include <paddock/limits.h>

#include "sys/attr.h"
#include "sys/name.h"
#include "sys/open.h"

namespace paddock::sandbox {
namespace {

// Each level holds a descriptor and a little stack.
constexpr int kDepthMax = 128;

Outcome<UniqueFd> open_directory(int parent, const char* name) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    auto directory = sys::openat(parent, name, kFlags);
    if (directory || directory.error().os_error != EACCES) return directory;
    // A command took its own permissions away.
    PADDOCK_ASSIGN(held, sys::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW));
    PADDOCK_TRY(sys::chmod_path_fd(held.get(), 0700));
    return sys::openat(parent, name, kFlags);
}

Done remove_directory(int parent, const char* name, sys::DirReader& reader, int depth) {
    if (depth > kDepthMax) return Failure::from_errno(ELOOP);
    PADDOCK_ASSIGN(directory, open_directory(parent, name));
    const int here = directory.get();
    reader.reset();
    for (;;) {
        PADDOCK_ASSIGN(entry, reader.next(here));
        if (entry == nullptr) break;
        const auto removed = sys::unlinkat(here, entry->name, sys::Unlink::kFile);
        if (removed) continue;
        if (removed.error().os_error != EISDIR && removed.error().os_error != EPERM) {
            return removed.error();
        }
        char child[limits::kComponentBytesMax + 1];
        std::strncpy(child, entry->name, sizeof child - 1);
        child[sizeof child - 1] = '\0';
        PADDOCK_TRY(remove_directory(here, child, reader, depth + 1));
        // The reader was used below; what is gone is not found again.
        reader.reset();
        PADDOCK_TRY(sys::seek_entry(here, 0));
    }
    return sys::unlinkat(parent, name, sys::Unlink::kDirectory);
}

}  // namespace

Done remove_scratch(const char* parent, const char* name, sys::DirReader& reader) {
    PADDOCK_ASSIGN(held, sys::openat(AT_FDCWD, parent, O_PATH | O_DIRECTORY));
    return remove_directory(held.get(), name, reader, 0);
}

}  // namespace paddock::sandbox
