// The symbolic links that whoever follows a path passes, and where it ends, or would end if what is
// missing were made.
//
// Advisory: the links may change while they are read. A link that leads outside or in circles ends
// the trail. What cannot be looked at ends it too, and is named: the rest is not known then.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/tree_view.h"

namespace paddock::git {

// The only failure that is an answer. Any other means that nobody could look.
bool is_not_there(const Failure& failure);

struct LinkTrail {
    std::vector<std::string> links;  // each where it lies, relative to the root, canonical
    std::optional<std::string> end;  // canonical, there or not; nothing if it is not inside
    std::string unread;              // what could not be looked at; empty: all could
};

// `path` is relative to the root, or absolute; `root` must pass no link.
LinkTrail follow_links(const TreeView& tree, std::string_view path);

}  // namespace paddock::git
