// Where a path leads, worked out in memory from the tree's description and the written rules of
// paths alone: a third resolver that shares no code with the other two.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <paddock/root_options.h>

#include "agreement/plan.h"

namespace paddock::agreement {

inline constexpr std::size_t kPathBytesMax = 4096;
inline constexpr int kLinksMax = 40;

struct Rules {
    RootOptions options;
    std::vector<std::string> spellings;  // absolute paths of the root
    bool modes_bind = false;             // permission bits stop this user
    bool planted_bind = false;           // the kernel stops at planted links

    bool may_enter(const Node& node) const { return node.mounted == Mounted::kNo || node.listed; }
    bool may_search(const Node& directory) const {
        return !modes_bind || (directory.mode & 0100U) != 0;
    }
    bool may_read(const Node& node) const { return !modes_bind || (node.mode & 0400U) != 0; }
};

// A path after the lexical half.
struct Names {
    std::vector<std::string> names;
    bool must_be_directory = false;
    bool ends_in_dots = false;
    std::string text() const;  // joined; empty: the root
};
std::variant<Names, Code> normalised(std::string_view path, const Rules& rules);

// An error, an existing node, or a name that could be made.
struct End {
    std::optional<Code> error;
    const Node* node = nullptr;
    bool may_be_made = false;
    std::string path;     // canonical
    int plain_links = 0;  // that the plain OS passes, those in the root's spelling included
};

// Follows every link, the last one too.
End follow(const Names& path, const Node& root, const Rules& rules);

}  // namespace paddock::agreement
