#include "search/protected_paths.h"

#include <iterator>
#include <map>
#include <utility>

#include "fs/rel_path.h"
#include "search/git_layout.h"
#include "search/link_trail.h"

namespace paddock::search {
namespace {

using fs::joined;
using fs::leaf_of;
using fs::parent_of;
using policy::Access;
using policy::Decision;
using policy::PathRules;

// What a rule says about a name. The default rules about git are left to the layout, which knows a
// repository from a branch called "config".
Decision decide_named(const PathRules& rules, std::string_view path, FileType type) {
    const Decision decision = rules.decide(path);
    if (decision.by_operator || decision.access == Access::kAllow) return decision;
    const bool is_repository = type == FileType::kDirectory && is_git_directory_name(leaf_of(path));
    return is_repository || decision.pattern.starts_with("**/.git/") ? Decision{} : decision;
}

EntryInterest choose(const PathRules& rules, std::string_view path, std::string_view name,
                     FileType type) {
    EntryInterest interest;
    const Access access = decide_named(rules, path, type).access;
    interest.enter = access != Access::kDeny && !is_object_store(path);
    interest.note = is_git_name(name, type) || type == FileType::kSocket;
    if (interest.note || access == Access::kAllow) return interest;
    // What its directory stands for need not be noted.
    const std::string_view parent = parent_of(path);
    interest.note =
        parent.empty() || decide_named(rules, parent, FileType::kDirectory).access != access;
    return interest;
}

ProtectedKind kind_of(GitPart::Kind kind) {
    return kind == GitPart::Kind::kConfig  ? ProtectedKind::kGitConfig
           : kind == GitPart::Kind::kHooks ? ProtectedKind::kGitHooks
                                           : ProtectedKind::kGitPointer;
}

// As if it belonged to a ".git" in the place of its git directory.
Decision decide_part(const PathRules& rules, const GitPart& part) {
    const Decision own = rules.decide(part.path);
    if (own.by_operator) return own;
    if (is_git_directory_name(leaf_of(part.path))) return own;
    const std::string_view name = part.kind == GitPart::Kind::kConfig  ? "config"
                                  : part.kind == GitPart::Kind::kHooks ? "hooks"
                                                                       : "commondir";
    const std::string dot_git = joined(parent_of(part.git_directory), ".git");
    Decision decision = rules.decide(joined(dot_git, name));
    if (own.access == Access::kDeny && decision.access != Access::kAllow) decision = own;
    return decision;
}

// The paths found so far, each with the strictest protection.
class Collection {
public:
    Collection(const Root& root, const PathRules& rules) : root_(root), rules_(rules) {}

    void add(std::string path, const Decision& decision, ProtectedKind kind,
             std::string named_by = {}) {
        ProtectedPath added;
        added.protection =
            decision.access == Access::kDeny ? Protection::kHidden : Protection::kReadOnly;
        added.kind = kind;
        added.rule = decision.pattern;
        added.named_by = std::move(named_by);
        added.path = path;
        const auto [at, is_new] = found_.emplace(std::move(path), added);
        if (!is_new && at->second.kind == ProtectedKind::kNamed) at->second.kind = kind;
    }

    // Looks at each. Who follows a path that passes a link is led by the link, so that is protected
    // too, whether the path itself leads to something or not.
    void look() {
        std::vector<ProtectedPath> links;
        for (auto at = found_.begin(); at != found_.end();) {
            ProtectedPath& entry = at->second;
            const auto stat = root_.lstat(entry.path);
            if (!stat && stat.error().code == Code::kPathEscape) add_links_to(entry, links);
            if (stat) entry.stat = *stat;
            at = is_there(entry, stat) ? std::next(at) : found_.erase(at);
        }
        for (ProtectedPath& link : links) found_.emplace(link.path, std::move(link));
    }

    // Directories whose name makes a rule match.
    void add_pins() {
        std::map<std::string, ProtectedPath> pins;
        for (const auto& [path, of] : found_) {
            for (std::string_view at = parent_of(path); !at.empty(); at = parent_of(at)) {
                if (found_.count(std::string(at)) != 0 || !depends_on_name(path, at)) continue;
                const auto stat = root_.lstat(at);
                if (!stat) continue;
                ProtectedPath pin;
                pin.path = at;
                pin.protection = Protection::kPinned;
                pin.stat = *stat;
                pin.rule = of.rule;
                pins.emplace(pin.path, std::move(pin));
            }
        }
        found_.merge(pins);
    }

    std::vector<ProtectedPath> take() {
        std::vector<ProtectedPath> taken;
        for (auto& [path, entry] : found_) {
            if (!is_covered(entry)) taken.push_back(entry);
        }
        return taken;
    }

private:
    // What has gone meanwhile is none; what lies too deep to be named is one all the same. Where a
    // pointer leads only a link is one: of a directory the parts are.
    static bool is_there(const ProtectedPath& entry, const Result<Stat>& stat) {
        if (!stat) return stat.error().code == Code::kInvalidPath;
        const bool is_led_to = entry.kind == ProtectedKind::kGitPointer && !entry.named_by.empty();
        return !is_led_to || stat->type == FileType::kSymlink;
    }

    // With what makes the entry one in turn, so that nobody judges them before.
    void add_links_to(const ProtectedPath& entry, std::vector<ProtectedPath>& links) const {
        for (const std::string& path : follow_links(root_, entry.path).links) {
            const auto stat = root_.lstat(path);
            if (!stat) continue;
            ProtectedPath link;
            link.path = path;
            link.rule = entry.rule;
            link.stat = *stat;
            link.named_by = entry.named_by;
            links.push_back(std::move(link));
        }
    }

    // Would the path be less protected if the directory `at` above it were called otherwise?
    bool depends_on_name(const std::string& path, std::string_view at) const {
        const Access access = rules_.decide(path).access;
        if (access == Access::kAllow) return false;
        const std::string renamed = joined(parent_of(at), "\x01") + path.substr(at.size());
        const Access then = rules_.decide(renamed).access;
        return then != access && then != Access::kDeny;
    }

    bool is_covered(const ProtectedPath& entry) const {
        for (std::string_view at = parent_of(entry.path); !at.empty(); at = parent_of(at)) {
            const auto above = found_.find(std::string(at));
            if (above == found_.end() || above->second.protection == Protection::kPinned) continue;
            if (above->second.protection == Protection::kHidden) return true;
            if (entry.protection != Protection::kHidden) return true;
        }
        return false;
    }

    const Root& root_;
    const PathRules& rules_;
    std::map<std::string, ProtectedPath> found_;
};

}  // namespace

ProtectedPaths::ProtectedPaths(const Root& root, const policy::PathRules& rules)
    : root_(root),
      rules_(rules),
      snapshot_(root, [&rules](std::string_view path, std::string_view name, FileType type) {
          return choose(rules, path, name, type);
      }) {}

void ProtectedPaths::note_socket(const std::string& path) {
    const auto stat = root_.lstat(path);
    if (!stat || stat->type != FileType::kSocket) return;
    ProtectedPath socket;
    socket.path = path;
    socket.protection = Protection::kHidden;
    socket.stat = *stat;
    sockets_.push_back(std::move(socket));
}

Outcome<std::vector<ProtectedPath>> ProtectedPaths::find() {
    PADDOCK_TRY(snapshot_.look());
    NotableMap notable;
    snapshot_.each_notable([&](const std::string& path, const std::vector<NotableEntry>& entries) {
        notable.emplace(path, entries);
    });
    Collection collection(root_, rules_);
    sockets_.clear();
    for (const auto& [directory, entries] : notable) {
        for (const NotableEntry& entry : entries) {
            const std::string path = joined(directory, entry.name);
            if (entry.type == FileType::kSocket) note_socket(path);
            const Decision decision = decide_named(rules_, path, entry.type);
            if (decision.access == Access::kAllow) continue;
            collection.add(path, decision, ProtectedKind::kNamed);
        }
    }
    for (const GitPart& part : git_parts(root_, notable)) {
        const Decision decision = decide_part(rules_, part);
        if (decision.access == Access::kAllow) continue;
        collection.add(part.path, decision, kind_of(part.kind), part.named_by);
    }
    collection.look();
    collection.add_pins();
    return collection.take();
}

}  // namespace paddock::search
