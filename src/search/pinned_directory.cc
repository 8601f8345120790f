#include "search/pinned_directory.h"

#include <fcntl.h>

#include <string>

#include "fs/entry.h"
#include "fs/resolver.h"
#include "sys/stat.h"

namespace paddock::search {

PinnedDirectory::PinnedDirectory(const Root& root, std::string_view path)
    : state_(fs::state_of(root)) {
    if (path.empty()) return;
    fs::RelPath at;
    at.text = path;
    opened_ = fs::open_object(state_, at, O_PATH | O_DIRECTORY);
}

Outcome<FileType> PinnedDirectory::type_of(std::string_view name) const {
    if (opened_ && !*opened_) return opened_->error();
    const int at = opened_ ? (*opened_)->get() : state_.fd.get();
    PADDOCK_ASSIGN(node, sys::node_at(at, std::string(name).c_str()));
    if (!state_.may_enter(node.mount)) return refuse(Code::kMountCrossing);
    return node.stat.type;
}

// Too long a path, for one, keeps nobody from moving the directory to a shorter one.
bool PinnedDirectory::may_hold(std::string_view name) const {
    const auto type = type_of(name);
    return type ||
           (type.error().code != Code::kNotFound && type.error().code != Code::kNotADirectory);
}

}  // namespace paddock::search
