#include "fs/dir_chain.h"

#include <fcntl.h>

#include <bit>
#include <cerrno>

#include <paddock/limits.h>

#include "base/check.h"
#include "fs/retried.h"
#include "sys/open.h"

namespace paddock::fs {
namespace {

constexpr std::size_t kWindow = limits::kHeldDirectoriesMax;

// The levels of the window, and further down every 16th as long as it is near, every 32nd twice as
// far, and so on.
bool worth_holding(std::size_t level, std::size_t last) {
    const std::size_t distance = last - level;
    if (distance < kWindow || level == 0) return true;
    if (level % kWindow != 0) return false;
    const int rarity = std::countr_zero(level / kWindow);
    return distance < (2 * kWindow) << rarity;
}

Outcome<ChildDirectory> open_child_once(const RootState& state, int directory, const char* name,
                                        int flags) {
    // O_PATH without O_DIRECTORY: a link is not followed and an automount not set off.
    PADDOCK_ASSIGN(pinned, sys::openat(directory, name, O_PATH | O_NOFOLLOW));
    PADDOCK_ASSIGN(node, sys::node(pinned.get()));
    if (node.stat.type != FileType::kDirectory) return refuse(Code::kNotADirectory);
    if (!state.may_enter(node.mount)) return refuse(Code::kMountCrossing, {}, EBUSY);
    if ((flags & O_PATH) != 0) return ChildDirectory{std::move(pinned), node};
    // By name, not by ".": reading a directory must not need the permission to search it.
    constexpr int kNameOnly = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    auto readable = sys::openat(directory, name, flags | kNameOnly);
    if (!readable && readable.error().os_error == ELOOP) return refuse(Code::kRace);
    if (!readable) return readable.error();
    PADDOCK_ASSIGN(opened, sys::fstat(readable->get()));
    if (opened.identity != node.stat.identity) return refuse(Code::kRace);
    return ChildDirectory{std::move(*readable), node};
}

}  // namespace

Outcome<ChildDirectory> open_child(const RootState& state, int directory, const char* name,
                                   int flags) {
    return retried([&] { return open_child_once(state, directory, name, flags); });
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
    // Only a level at one of these distances from the top can have lost its worth just now.
    const std::size_t last = levels_.size() - 1;
    for (std::size_t distance = kWindow; distance <= last; distance *= 2) {
        if (!worth_holding(last - distance, last)) levels_[last - distance].fd.reset();
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
    std::size_t held = levels_.size();
    while (held > 0 && !levels_[held - 1].fd.valid()) --held;
    UniqueFd passing;
    for (std::size_t i = held; i < levels_.size(); ++i) {
        const int parent = passing.valid() ? passing.get()
                           : i == 0        ? start_
                                           : levels_[i - 1].fd.get();
        const bool hold = worth_holding(i, levels_.size() - 1);
        // Who only passes through reads nothing, which Landlock would have to look at.
        auto child = open_child(*state_, parent, levels_[i].name.c_str(), hold ? flags_ : O_PATH);
        if (!child && !is_elsewhere(child.error().code)) return child.error();
        if (!child || child->node.stat.identity != levels_[i].node.stat.identity) {
            return refuse(Code::kRace);
        }
        (hold ? levels_[i].fd : passing) = std::move(child->fd);
        if (hold) passing.reset();
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
