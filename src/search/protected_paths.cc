#include "search/protected_paths.h"

#include <utility>

#include "fs/rel_path.h"
#include "search/git_layout.h"
#include "search/interruption.h"
#include "search/pinned_directory.h"
#include "search/protected_collection.h"
#include "sys/name.h"

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
    return is_repository || decision.inside_git ? Decision{} : decision;
}

constexpr std::string_view kHooks = "hooks";

bool passes_git_directory(std::string_view path) {
    for (auto name = fs::take_component(path); !name.empty(); name = fs::take_component(path)) {
        if (is_git_directory_name(name)) return true;
    }
    return false;
}

// By its text, so of several links one after the other the one that matters. Rules spare branches;
// a link that leads there would have them obeyed as a part of the project. Packages have thousands
// of links, and nobody works there.
template <class ReadText>
bool leads_into_git(std::string_view link, ReadText read_text) {
    constexpr std::string_view kPackages = "node_modules/";
    if (passes_git_directory(link) || link.find(kPackages) != link.npos) return false;
    const Outcome<std::string> text = read_text();
    return text && passes_git_directory(*text);
}

EntryInterest choose(int directory, const PathRules& rules, std::string_view path,
                     std::string_view name, FileType type) {
    EntryInterest interest;
    const Access access = decide_named(rules, path, type).access;
    interest.enter = access != Access::kDeny;
    interest.note = is_git_name(name, type);
    const std::string_view parent = parent_of(path);
    if (type == FileType::kSymlink && !interest.note) {
        const auto text = [&] { return sys::readlinkat(directory, std::string(name).c_str()); };
        interest.note = access != Access::kAllow || !rules.restricted_below(path).empty() ||
                        leads_into_git(path, text);
    }
    // What its directory stands for need not be noted.
    if (!interest.note && access != Access::kAllow) {
        interest.note =
            parent.empty() || decide_named(rules, parent, FileType::kDirectory).access != access;
    }
    if (interest.note) return interest;
    interest.harmless = type == FileType::kSocket || may_be_remote_file(path, type) ||
                        (type == FileType::kSymlink && leaf_of(parent) == kHooks);
    interest.note = interest.harmless;
    return interest;
}

// The usual directory of hooks need not be listed for them every time.
void add_links_of_hooks(ProtectedCollection& collection, const NotableMap& notable,
                        const GitPart& hooks, const Decision& decision) {
    const auto found = notable.find(hooks.path);
    if (found == notable.end()) return;
    for (const NotableEntry& entry : found->second) {
        if (entry.type != FileType::kSymlink || is_sample_hook(entry.name)) continue;
        collection.add(joined(hooks.path, entry.name), decision, ProtectedKind::kNamed,
                       hooks.named_by);
    }
}

ProtectedKind kind_of(GitPart::Kind kind) {
    return kind == GitPart::Kind::kConfig  ? ProtectedKind::kGitConfig
           : kind == GitPart::Kind::kHooks ? ProtectedKind::kGitHooks
                                           : ProtectedKind::kGitPointer;
}

// A link in the place of a directory whose name matters: what lies behind it has protected names.
void add_below_link(ProtectedCollection& collection, const PathRules& rules,
                    const std::string& link) {
    for (const PathRules::Below& below : rules.restricted_below(link)) {
        const std::string path = below.path.empty() ? std::string() : joined(link, below.path);
        const Decision decision = rules.decide(path);
        if (!path.empty() && decision.access == Access::kAllow) continue;
        collection.add_link(link, below.pattern, {});
        if (!path.empty()) collection.add(path, decision, ProtectedKind::kNamed, link);
    }
}

// As if it belonged to a ".git" in the place of its git directory.
Decision decide_part(const PathRules& rules, const GitPart& part) {
    const Decision own = rules.decide(part.path);
    if (own.by_operator) return own;
    if (is_git_directory_name(leaf_of(part.path))) return own;
    Decision decision = rules.decide(name_in_dot_git(part));
    if (own.access == Access::kDeny && decision.access != Access::kAllow) decision = own;
    return decision;
}

}  // namespace

ProtectedPaths::ProtectedPaths(const Root& root, const policy::PathRules& rules, std::string home)
    : root_(root),
      rules_(rules),
      home_(std::move(home)),
      snapshot_(root,
                [&rules](int directory, std::string_view path, std::string_view name,
                         FileType type) { return choose(directory, rules, path, name, type); }) {}

void ProtectedPaths::note_socket(const std::string& path) {
    const auto stat = root_.lstat(path);
    if (!stat || stat->type != FileType::kSocket) return;
    ProtectedPath socket;
    socket.path = path;
    socket.protection = Protection::kHidden;
    socket.stat = *stat;
    sockets_.push_back(std::move(socket));
}

Outcome<std::vector<ProtectedPath>> ProtectedPaths::find(std::chrono::milliseconds time_max,
                                                         const IsKnown& is_known) {
    Interruption interruption(time_max, {});
    PADDOCK_TRY(snapshot_.look(std::chrono::system_clock::now(), &interruption));
    NotableMap notable;
    snapshot_.each_notable([&](const std::string& path, const std::vector<NotableEntry>& entries) {
        notable.emplace(path, entries);
    });
    ProtectedCollection collection(root_, rules_, interruption);
    sockets_.clear();
    for (const auto& [directory, entries] : notable) {
        for (const NotableEntry& entry : entries) {
            if (interruption.requested()) return kUnfinishedLook;
            const std::string path = joined(directory, entry.name);
            if (entry.type == FileType::kSocket) note_socket(path);
            const Decision decision = decide_named(rules_, path, entry.type);
            if (decision.access != Access::kAllow) {
                collection.add(path, decision, ProtectedKind::kNamed);
            } else if (entry.type == FileType::kSymlink) {
                add_below_link(collection, rules_, path);
                const Decision git = rules_.decide(joined(directory, ".git"));
                const auto text = [&] {
                    return PinnedDirectory(root_, directory).link_text(entry.name);
                };
                const bool is_led = git.access != Access::kAllow && leads_into_git(path, text);
                if (is_led) collection.add_link(path, git.pattern, {});
            }
        }
    }
    const GitParts parts = git_parts(root_, notable, home_, {is_known, &interruption});
    is_cut_ = parts.is_cut;
    is_flooded_ = parts.is_flooded;
    for (const GitPart& part : parts.all) {
        const Decision decision = decide_part(rules_, part);
        if (decision.access == Access::kAllow) continue;
        collection.add(part.path, decision, kind_of(part.kind), part.named_by);
        if (leaf_of(part.path) == kHooks) add_links_of_hooks(collection, notable, part, decision);
    }
    auto list = collection.take();
    is_cut_ = is_cut_ || collection.is_cut();
    return list;
}

}  // namespace paddock::search
