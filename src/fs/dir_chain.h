// The directories between a starting point and where a walk stands, each reached by name from the
// one before and held open, so that going up never asks the kernel for "..".
//
// The last limits::kHeldDirectoriesMax levels stay open, and below them ever sparser ones, about
// one for each doubling of the depth. A level that had to be let go is opened again by its name,
// from the nearest one held, when the walk comes back to it, and must still be the same directory.
// So depth costs neither descriptors nor repeated descents from the start.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "fs/root_state.h"

namespace paddock::fs {

// One child directory of `directory`, by name: a link is not_a_directory, a mount that may not be
// entered mount_crossing. `flags` is O_PATH or O_RDONLY.
struct ChildDirectory {
    UniqueFd fd;
    sys::Node node;
};
Outcome<ChildDirectory> open_child(const RootState& state, int directory, const char* name,
                                   int flags);

class DirChain {
public:
    struct Level {
        std::string name;
        UniqueFd fd;
        sys::Node node;
    };

    // `start` is borrowed and stays at the bottom; `flags` as for open_child.
    DirChain(const RootState& state, int start, const sys::Node& start_node, int flags)
        : state_(&state), start_(start), start_node_(start_node), flags_(flags) {}

    int top() const noexcept { return levels_.empty() ? start_ : levels_.back().fd.get(); }
    const sys::Node& top_node() const noexcept {
        return levels_.empty() ? start_node_ : levels_.back().node;
    }
    std::size_t depth() const noexcept { return levels_.size(); }
    std::string path() const;  // the names, joined; empty at the start

    void push(std::string_view name, UniqueFd fd, const sys::Node& node);

    // Goes up one level, which must exist, and returns the one that was left. race if the
    // directory to go back to is no longer what it was.
    Outcome<Level> pop();
    // Goes up without a look; top() may be none until hold_top() or the next drop().
    void drop() { levels_.pop_back(); }
    Done hold_top();
    void clear() { levels_.clear(); }

    // The deepest directory as a descriptor of its own; the chain is used up.
    Outcome<UniqueFd> take_top();

private:
    const RootState* state_;
    int start_;
    sys::Node start_node_;
    int flags_;
    std::vector<Level> levels_;
};

}  // namespace paddock::fs
