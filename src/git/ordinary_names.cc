#include "git/ordinary_names.h"

#include <array>
#include <limits>
#include <string>

#include "base/within.h"
#include "fs/rel_path.h"
#include "git/obeyed_names.h"

namespace paddock::git {
namespace {

constexpr std::size_t kNoDepth = std::numeric_limits<std::size_t>::max();

// With those of kClosedDirectories and kConfigs, all that the two questions look for.
constexpr std::array<std::string_view, 5> kTelling = {".git", ".paddock", "paddock", "worktrees",
                                                      "commondir"};

}  // namespace

OrdinaryNames::OrdinaryNames(const Judge& judge, std::string_view directory)
    : judge_(judge), telling_depth_(is_ordinary_place(directory) ? kNoDepth : 0) {}

bool OrdinaryNames::include(const WalkEntry& entry) {
    if (entry.depth <= telling_depth_) telling_depth_ = kNoDepth;
    if (telling_depth_ == kNoDepth && !is_ordinary(entry.name)) telling_depth_ = entry.depth;
    return telling_depth_ == kNoDepth;
}

bool OrdinaryNames::is_ordinary(std::string_view name) const {
    const bool is_telling = is_one_of(kTelling, name) || is_one_of(kClosedDirectories, name) ||
                            is_one_of(kConfigs, name);
    return !is_telling && !judge_.rules_.may_restrict_by(name);
}

// Settings of git lead to nothing in it, and no name on the way there is telling.
bool OrdinaryNames::is_ordinary_place(std::string_view directory) const {
    for (std::string_view at = directory; !at.empty(); at = fs::parent_of(at)) {
        if (!is_ordinary(fs::leaf_of(at))) return false;
    }
    if (!judge_.base_.empty() && is_within(judge_.base_, directory)) return false;
    const auto touches = [&](const std::string& each) {
        return is_within(each, directory) || is_within(directory, each);
    };
    return !judge_.judge_any_obeyed(fs::joined(directory, "x"), Judge::By::kAny, touches);
}

}  // namespace paddock::git
