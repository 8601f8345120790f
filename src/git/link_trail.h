// The symbolic links that whoever follows a path passes, and where it ends, or would end if what is
// missing were made.
//
// Advisory: the links may change while they are read. A link that is no longer one by then, or that
// leads outside or in circles, ends the trail.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

namespace paddock::git {

struct LinkTrail {
    std::vector<std::string> links;  // each where it lies, relative to the root, canonical
    std::optional<std::string> end;  // canonical, there or not; nothing if it is not inside
};

// `path` is relative to the root, or absolute; `root` must pass no link.
LinkTrail follow_links(const Root& root, std::string_view path);

}  // namespace paddock::git
