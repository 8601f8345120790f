#include "fs/changeable.h"

#include <fcntl.h>

#include "fs/resolver.h"
#include "fs/retried.h"

namespace paddock::fs {

Done check_changeable(const Stat& stat) {
    if (stat.type == FileType::kRegular && stat.links > 1) {
        return refuse(Code::kPermissionDenied,
                      "has several hard links and is never changed in place");
    }
    return {};
}

Done check_same_names(const Stat& before, const Stat& now) {
    const bool relinked = now.changed != before.changed && now.modified == before.modified;
    const bool same = now.identity == before.identity && now.links == before.links && !relinked;
    return same ? Done() : Done(refuse(Code::kRace));
}

Done check_still_named(const RootState& state, const RelPath& path, const Stat& stat) {
    const auto again = open_object(state, path, O_PATH);
    if (!again && again.error().code == Code::kNotFound) return refuse(Code::kRace);
    if (!again) return again.error();
    PADDOCK_ASSIGN(now, sys::fstat(again->get()));
    return check_same_names(stat, now);
}

Outcome<UniqueFd> pin_changeable(const RootState& state, const RelPath& path) {
    if (path.is_root()) return refuse(Code::kInvalidArgument, "is the workspace itself");
    return retried([&]() -> Outcome<UniqueFd> {
        PADDOCK_ASSIGN(pinned, open_object(state, path, O_PATH));
        PADDOCK_ASSIGN(stat, sys::fstat(pinned.get()));
        if (stat.type != FileType::kRegular && stat.type != FileType::kDirectory) {
            return refuse(Code::kNotRegularFile);
        }
        if (stat.identity == state.node.stat.identity) {
            return refuse(Code::kInvalidArgument, "is the workspace itself");
        }
        PADDOCK_TRY(check_changeable(stat));
        if (stat.type == FileType::kRegular) PADDOCK_TRY(check_still_named(state, path, stat));
        return std::move(pinned);
    });
}

}  // namespace paddock::fs
