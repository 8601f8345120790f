// git_parts_above for one path after the other, as a walk of a tree meets them: a directory is
// looked at when the walk comes to it, and no more while the walk is in it.
//
// One thread. What others make meanwhile in a directory that was looked at is not seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

#include "search/git_layout.h"

namespace paddock::search {

class GitAbove {
public:
    // `root` and `home` as in git_layout.h; both must outlive this.
    GitAbove(const Root& root, std::string_view home) : root_(root), home_(home) {}

    const GitParts& parts_above(std::string_view path);

    // What one of git's names stands for in this directory may have changed.
    void look_again(std::string_view directory);

private:
    struct Looked {
        std::string directory;
        NotableMap noted;
    };
    void look(std::string directory);
    void leave();

    const Root& root_;
    const std::string_view home_;
    std::vector<Looked> looked_;  // from the root, which is the first, down
    GitParts parts_;
    bool is_stale_ = false;  // that is
};

}  // namespace paddock::search
