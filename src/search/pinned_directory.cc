#include "search/pinned_directory.h"

#include <fcntl.h>

#include <string>

#include <paddock/limits.h>

#include "fs/entry.h"
#include "fs/resolver.h"
#include "fs/tree.h"
#include "sys/name.h"
#include "sys/stat.h"

namespace paddock::search {
namespace {

Outcome<UniqueFd> open_directory(const fs::RootState& state, std::string_view path, int flags) {
    fs::RelPath at;
    at.text = path;
    return fs::open_object(state, at, flags | O_DIRECTORY);
}

}  // namespace

PinnedDirectory::PinnedDirectory(const Root& root, std::string_view path)
    : state_(fs::state_of(root)) {
    if (!path.empty()) opened_ = open_directory(state_, path, O_PATH);
}

Outcome<int> PinnedDirectory::descriptor() const {
    if (opened_ && !*opened_) return opened_->error();
    return opened_ ? (*opened_)->get() : state_.fd.get();
}

Outcome<std::string> PinnedDirectory::link_text(std::string_view name) const {
    PADDOCK_ASSIGN(at, descriptor());
    return sys::readlinkat(at, std::string(name).c_str());
}

Outcome<FileType> PinnedDirectory::type_of(std::string_view name) const {
    PADDOCK_ASSIGN(at, descriptor());
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

Outcome<Listing> list_seen(const Root& root, std::string_view path) {
    PADDOCK_ASSIGN(fd, open_directory(fs::state_of(root), path, O_RDONLY | fs::kNoWait));
    return fs::list_entries(fd.get(), limits::kListEntriesMax);
}

}  // namespace paddock::search
