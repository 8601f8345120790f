#include "tools/judged_object.h"

#include "fs/rel_path.h"
#include "fs/resolver.h"
#include "sys/name.h"

namespace paddock::tools {

Done rename_judged(const Root& root, const std::string& path, const Stat& judged,
                   const std::string& to) {
    const fs::RootState& state = fs::state_of(root);
    PADDOCK_ASSIGN(from_path, fs::parse_path(path, state.rules));
    PADDOCK_ASSIGN(to_path, fs::parse_path(to, state.rules));
    PADDOCK_ASSIGN(source, fs::locate_name(state, from_path));
    PADDOCK_ASSIGN(target, fs::locate_name(state, to_path));
    if (!source.node || !is_same_object(source.node->stat, judged)) return refuse(Code::kRace);
    return sys::renameat2(source.directory, source.c_name(), target.directory, target.c_name(),
                          sys::Rename::kNoReplace);
}

}  // namespace paddock::tools
