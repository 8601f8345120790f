#include "fs/readable.h"

#include <fcntl.h>

#include "fs/changeable.h"
#include "fs/resolver.h"

namespace paddock::fs {

Outcome<Handle> open_readable(const RootState& state, const RelPath& path) {
    PADDOCK_ASSIGN(fd, open_object(state, path, O_RDONLY | kNoWait));
    PADDOCK_ASSIGN(stat, sys::fstat(fd.get()));
    if (stat.type == FileType::kDirectory) return refuse(Code::kIsADirectory);
    if (stat.type != FileType::kRegular) return refuse(Code::kNotRegularFile);
    if (state.hardlinks == Hardlinks::kReject) {
        if (stat.links > 1) {
            return refuse(Code::kPermissionDenied, "has several hard links, which is refused here");
        }
        PADDOCK_TRY(check_still_named(state, path, stat));
    }
    return Handle(std::move(fd), stat);
}

}  // namespace paddock::fs
