// Gathers protected paths: what leads on by a link is followed, directories whose names matter are
// pinned, and what lies below something that is protected anyway is left out.
//
// A link gives another object the protected name. So its end is protected like the name, and so are
// the links on the way, as far as they lie inside; further the ends of links in a directory of
// hooks and in what a link leads to. Not the end of what leads git to a repository, which must be
// written to, and no directory that holds the link.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

#include "policy/path_rules.h"
#include "search/link_trail.h"
#include "search/protected_paths.h"

namespace paddock::search {

class ProtectedCollection {
public:
    // `root` must pass no link. Both must outlive this.
    ProtectedCollection(const Root& root, const policy::PathRules& rules)
        : root_(root), rules_(rules) {}

    // The strictest protection of a path counts.
    void add(std::string path, const policy::Decision& decision, ProtectedKind kind,
             std::string named_by = {});

    // A link that is not itself to be followed: it only leads to what is.
    void add_link(const std::string& path, std::string_view rule, std::string named_by);

    // Those that are there, in order of path. Once, after all was added.
    std::vector<ProtectedPath> take();

private:
    void add(ProtectedPath added);
    void look(const std::string& path);
    void follow(const ProtectedPath& entry);
    void follow_links_in(const ProtectedPath& directory);
    std::string standing_for(const std::string& path) const;
    void add_pins();
    bool depends_on_name(const std::string& path, const std::string& without,
                         std::string_view at) const;
    bool is_covered(const ProtectedPath& entry) const;

    const Root& root_;
    const policy::PathRules& rules_;
    std::map<std::string, ProtectedPath> found_;
    std::vector<std::string> unseen_;          // not looked at yet
    std::set<std::string> on_the_way_;         // links that were added as such
    std::map<std::string, std::string> ends_;  // of links, each with one link that leads there
};

}  // namespace paddock::search
