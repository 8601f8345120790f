// Gathers protected paths: what leads on by a link is followed, directories whose names matter are
// pinned, and what lies below something that is protected anyway is left out.
//
// A link gives another object the protected name. So its end is protected like the name, and so are
// the links on the way, as far as they lie inside; further the ends of links in a directory of
// hooks and in what a link leads to. Not the end of what leads git to a repository, which must be
// written to, and no directory that holds the link.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/root.h>

#include "base/outcome.h"
#include "policy/path_rules.h"
#include "search/interruption.h"
#include "search/link_trail.h"
#include "search/protected_paths.h"

namespace paddock::search {

class ProtectedCollection {
public:
    // `root` must pass no link. All must outlive this.
    ProtectedCollection(const Root& root, const policy::PathRules& rules,
                        Interruption& interruption)
        : root_(root), rules_(rules), interruption_(interruption) {}

    // The strictest protection of a path counts.
    void add(std::string path, const policy::Decision& decision, ProtectedKind kind,
             std::string named_by = {});

    // A link that is not itself to be followed: it only leads to what is.
    void add_link(const std::string& path, std::string_view rule, std::string named_by);

    // Those that are there, in order of path. Once, after all was added.
    std::vector<ProtectedPath> take();

    // Some are missing, pins above all: telling which names matter takes more than
    // limits::kPinJudgedBytesMax, or the interruption has come.
    bool is_cut() const noexcept { return is_cut_; }

private:
    // What of a path lies below a directory above it, as far as the names matter.
    struct Tail {
        std::string_view leaf;
        policy::Access access;     // of the path
        std::string likeness;      // of what the rules treat alike the same
        std::string names{};       // between them: those that are kept, kAnyName for the others
        std::size_t given_up = 0;  // so many of those follow the directory at once
    };
    using Seen = std::set<std::pair<std::string_view, std::string>>;
    using Covers = std::map<std::string_view, std::optional<Protection>>;

    void add(ProtectedPath added);
    void look(const std::string& path);
    void follow(const ProtectedPath& entry);
    void follow_links_in(const ProtectedPath& directory);
    std::string standing_for(const std::string& path) const;
    void add_pins();
    void add_pins_above(std::string_view path, const ProtectedPath& entry, Seen& seen);
    bool may_go_on();
    void pin(const std::string& directory, const std::string& rule);
    Tail tail_of(std::string_view path);
    bool depends_on_name(std::string_view at, const Tail& tail);
    // What protects all that is below.
    std::optional<Protection> cover_of(std::string_view directory, Covers& covers) const;

    const Root& root_;
    const policy::PathRules& rules_;
    Interruption& interruption_;
    bool is_cut_ = false;
    std::map<std::string, ProtectedPath> found_;
    std::vector<std::string> unseen_;          // not looked at yet
    std::set<std::string> on_the_way_;         // links that were added as such
    std::map<std::string, std::string> ends_;  // of links, each with one link that leads there
    std::map<std::string, std::size_t> likenesses_;  // by PathRules::likeness_of, numbered
    std::size_t judged_bytes_ = 0;                   // of paths, for pins
};

}  // namespace paddock::search
