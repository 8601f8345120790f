#include "fs/dir_chain.h"

#include <fcntl.h>

#include <algorithm>

#include <paddock/limits.h>

#include "base/check.h"
#include "sys/open.h"
#include "sys/uapi.h"

namespace paddock::fs {
namespace {

constexpr std::uint64_t kBeneathOnly = sys::uapi::kResolveBeneath | sys::uapi::kResolveNoXdev |
                                       sys::uapi::kResolveNoMagiclinks |
                                       sys::uapi::kResolveNoSymlinks;

}  // namespace

Outcome<ChildDirectory> open_child(const RootState& state, int directory, const char* name,
                                   int flags) {
    if (state.kernel) {
        auto fd = sys::openat2(directory, name, flags | O_DIRECTORY | O_NOFOLLOW, kBeneathOnly);
        if (fd) {
            PADDOCK_ASSIGN(node, sys::node(fd->get()));
            return ChildDirectory{std::move(*fd), node};
        }
    }
    // Either there is no openat2, or it refused: the long way names the reason, and knows the
    // mounts that may be entered.
    PADDOCK_ASSIGN(pinned, sys::openat(directory, name, O_PATH | O_NOFOLLOW));
    PADDOCK_ASSIGN(node, sys::node(pinned.get()));
    if (node.stat.type != FileType::kDirectory) return refuse(Code::kNotADirectory);
    if (!state.may_enter(node.mount)) return refuse(Code::kMountCrossing);
    if ((flags & O_PATH) != 0) return ChildDirectory{std::move(pinned), node};
    // "." of a pinned directory is that directory, whatever has happened to its name.
    PADDOCK_ASSIGN(readable, sys::openat(pinned.get(), ".", flags | O_DIRECTORY));
    return ChildDirectory{std::move(readable), node};
}

std::string DirChain::path() const {
    std::string joined;
    for (const Level& level : levels_) {
        if (!joined.empty()) joined += '/';
        joined += level.name;
    }
    return joined;
}

void DirChain::push(std::string_view name, UniqueFd fd, const sys::Node& node) {
    levels_.push_back({std::string(name), std::move(fd), node});
    if (levels_.size() > limits::kHeldDirectoriesMax) {
        levels_[levels_.size() - 1 - limits::kHeldDirectoriesMax].fd.reset();
    }
}

Outcome<DirChain::Level> DirChain::pop() {
    PADDOCK_CHECK(!levels_.empty());
    Level left = std::move(levels_.back());
    levels_.pop_back();
    PADDOCK_TRY(hold_top());
    return left;
}

Done DirChain::hold_top() {
    if (levels_.empty() || levels_.back().fd.valid()) return {};
    // All levels up to the top were let go: descend from the start, keeping the last ones.
    UniqueFd passing;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        const int parent = i == 0            ? start_
                           : passing.valid() ? passing.get()
                                             : levels_[i - 1].fd.get();
        auto child = open_child(*state_, parent, levels_[i].name.c_str(), flags_);
        if (!child || child->node.stat.identity != levels_[i].node.stat.identity) {
            return refuse(Code::kRace);
        }
        const bool keep = levels_.size() - i <= limits::kHeldDirectoriesMax;
        (keep ? levels_[i].fd : passing) = std::move(child->fd);
        if (keep) passing.reset();
    }
    return {};
}

Outcome<UniqueFd> DirChain::take_top() {
    if (levels_.empty()) return sys::duplicate(start_);
    UniqueFd top = std::move(levels_.back().fd);
    levels_.clear();
    return top;
}

}  // namespace paddock::fs
