#include "git/settings_paths.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <paddock/limits.h>

#include "base/text.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"
#include "git/config.h"

namespace paddock::git {
namespace {

// Names on the way, those in the texts of links included: more is nobody's configuration.
constexpr int kStepsMax = 512;

// Where to begin and how to go on from there; false if the way leads outside.
bool begin(const TreeView& tree, std::string_view way, std::string& at, std::string& pending) {
    if (way.starts_with('/')) {
        const auto below = fs::strip_root(way, fs::state_of(tree.root()).rules);
        if (!below) return false;
        way = *below;
        at.clear();
    }
    pending = std::string(way) + pending;
    return true;
}

}  // namespace

bool is_not_there(const Failure& failure) {
    return failure.code == Code::kNotFound || failure.code == Code::kNotADirectory;
}

LinkTrail follow_links(const TreeView& tree, std::string_view path) {
    LinkTrail trail;
    std::string at;  // as far as it goes, without a link
    std::string pending;
    std::size_t there = std::string::npos;  // so much of `at`, where the name after it is missing
    if (!begin(tree, path, at, pending)) return trail;
    for (int steps = 0; steps < kStepsMax; ++steps) {
        std::string_view rest = pending;
        const std::string name(fs::take_component(rest));
        pending = std::string(rest);
        if (name.empty()) {
            trail.end = at;
            return trail;
        }
        if (name == ".") continue;
        if (name == "..") {
            if (at.empty()) return trail;
            at = std::string(fs::parent_of(at));
            if (at.size() <= there) there = std::string::npos;
            continue;
        }
        const std::size_t above = at.size();
        at = fs::joined(at, name);
        if (there != std::string::npos) continue;
        const auto stat = tree.lstat(at);
        if (!stat && !is_not_there(stat.error())) {
            trail.unread = at;
            return trail;
        }
        if (!stat) there = above;
        if (!stat || stat->type != FileType::kSymlink) continue;
        if (trail.links.size() == limits::kSymlinksMax) return trail;
        const auto link = tree.readlink(at);
        if (!link) {
            trail.unread = at;
            return trail;
        }
        trail.links.push_back(at);
        at = std::string(fs::parent_of(at));
        if (!begin(tree, link->text, at, pending)) return trail;
    }
    trail.unread = std::string(path);
    return trail;
}

namespace {

// Of one repository: an included file may include others, in a circle too.
constexpr std::size_t kIncludedFilesMax = 64;

// "~user/", "%(prefix)/" and ":(optional)" are git's own: what they stand for is not known here.
bool has_other_meaning(std::string_view path) {
    return (path.starts_with('~') && !path.starts_with("~/")) || path.starts_with("%(") ||
           path.starts_with(":(");
}

std::string whole_path(std::string_view from, std::string_view path) {
    return path.starts_with('/') ? std::string(path) : fs::joined(from, path);
}

class ObeyedSearch {
public:
    ObeyedSearch(const TreeView& tree, std::string worktree, std::string git_directory,
                 std::string_view home)
        : tree_(tree),
          worktree_(std::move(worktree)),
          git_directory_(std::move(git_directory)),
          home_(home) {}

    ObeyedPaths find() && {
        const std::string common = common_directory();
        configs_ = {fs::joined(common, "config"), fs::joined(git_directory_, "config.worktree")};
        for (std::size_t i = 0; i < configs_.size(); ++i) {
            if (i == kIncludedFilesMax) {
                miss(configs_[i]);
                break;
            }
            read(std::string(configs_[i]));
        }
        follow_links_in(fs::joined(common, "hooks"));
        return found();
    }

    ObeyedPaths find_hooks(const std::set<std::string>& relative_hooks) && {
        for (const std::string& hooks : relative_hooks) obey_hooks(hooks);
        return found();
    }

private:
    ObeyedPaths found() {
        return {.all = {obeyed_.begin(), obeyed_.end()},
                .git_directory = git_directory_,
                .relative_hooks = std::move(relative_hooks_),
                .unread = unread_,
                .leads_outside = leads_outside_};
    }

    void miss(std::string_view path) {
        if (unread_.empty()) unread_ = path.empty() ? "." : path;
    }

    std::string common_directory() {
        const std::string file = fs::joined(git_directory_, "commondir");
        const auto pointer = tree_.read_file(file, kPointerBytesMax);
        if (!pointer && !is_not_there(pointer.error())) miss(file);
        const auto target = pointer ? pointer_target(*pointer, "commondir") : std::nullopt;
        if (pointer && (!target || tree_.is_being_written(file))) miss(file);
        if (!target) return git_directory_;
        const LinkTrail trail = follow_links(tree_, whole_path(git_directory_, *target));
        if (!trail.unread.empty()) miss(trail.unread);
        leads_outside_ = !trail.end;
        return trail.end.value_or(git_directory_);
    }

    // Does the path pass a link, which the root refuses? Then where it ends, if that is inside.
    std::optional<std::string> end_behind_links(const Error& error, const std::string& path) {
        if (error.code != Code::kPathEscape) return path;
        auto end = end_of(path);
        if (end && *end == path) miss(path);
        return end;
    }

    void read(const std::string& config) {
        const auto text = tree_.read_file(config, limits::kGitConfigBytesMax);
        if (!text) {
            const auto end = end_behind_links(text.error(), config);
            if (!end) return;
            if (*end != config) return read(*end);
            const bool is_directory = text.error().code == Code::kIsADirectory;
            if (!is_directory && !is_not_there(text.error())) miss(config);
            return;
        }
        const auto settings = parse_git_config(*text);
        if (!settings) {
            // Git refuses other bad text too, and does nothing there.
            if (settings.error().code == Code::kTooLarge || text->find('\0') != text->npos) {
                miss(config);
            }
            return;
        }
        const std::string from(fs::parent_of(config));
        for (const GitSetting& setting : *settings) {
            if (!setting.value) continue;
            if (setting.is_include()) {
                auto file = obey(from, *setting.value);
                if (file && is_new(*file)) configs_.push_back(std::move(*file));
            } else if (setting.key == "core.hookspath") {
                obey_hooks(*setting.value);
                keep_relative(*setting.value);
            }
        }
    }

    void obey_hooks(std::string_view path) {
        if (const auto hooks = obey(worktree_, path)) follow_links_in(*hooks);
    }

    void keep_relative(std::string_view hooks) {
        constexpr std::string_view kOptional = ":(optional)";
        if (hooks.starts_with(kOptional)) hooks.remove_prefix(kOptional.size());
        const bool is_relative = !hooks.starts_with('/') && !hooks.starts_with('~');
        if (is_relative && !has_other_meaning(hooks)) relative_hooks_.emplace_back(hooks);
    }

    bool is_new(const std::string& config) const {
        return std::find(configs_.begin(), configs_.end(), config) == configs_.end();
    }

    void follow_links_in(const std::string& hooks) {
        const auto listing = tree_.list(hooks.empty() ? "." : hooks);
        if (!listing) {
            const auto end = end_behind_links(listing.error(), hooks);
            if (!end) return;
            if (*end != hooks) return follow_links_in(*end);
            if (!is_not_there(listing.error())) miss(hooks);
            return;
        }
        if (listing->truncated) miss(hooks);
        for (const ListEntry& entry : listing->entries) {
            if (entry.type == FileType::kUnknown) miss(fs::joined(hooks, entry.name));
            if (entry.type != FileType::kSymlink || entry.name.ends_with(".sample")) continue;
            (void)end_of(fs::joined(hooks, entry.name));
        }
    }

    // Where the path of a setting ends, if that is inside. It is obeyed, there or not.
    std::optional<std::string> obey(std::string_view from, std::string_view path) {
        if (path.empty()) return std::nullopt;
        if (has_other_meaning(path)) {
            miss(path);
            return std::nullopt;
        }
        if (path.starts_with("~/") && home_.empty()) return std::nullopt;
        auto end = end_of(path.starts_with("~/") ? fs::joined(home_, path.substr(2))
                                                 : whole_path(from, path));
        if (end) add(*end);
        return end;
    }

    // Where a path leads by links in any part of it; nothing if that is outside, or not known. If
    // there are links, they and the end are obeyed as well.
    std::optional<std::string> end_of(const std::string& path) {
        LinkTrail trail = follow_links(tree_, path);
        if (!trail.unread.empty()) miss(trail.unread);
        if (trail.links.empty()) return std::move(trail.end);
        for (const std::string& link : trail.links) add(link);
        if (trail.end) add(*trail.end);
        return std::move(trail.end);
    }

    // A directory with the repository in it cannot be sealed.
    void add(const std::string& path) {
        if (!path.empty() && path != "." && !is_within(git_directory_, path)) obeyed_.insert(path);
    }

    const TreeView& tree_;
    const std::string worktree_;
    const std::string git_directory_;
    const std::string_view home_;
    std::vector<std::string> configs_;
    std::set<std::string> obeyed_;
    std::vector<std::string> relative_hooks_;
    std::string unread_;
    bool leads_outside_ = false;
};

}  // namespace

std::optional<std::string> resolve_git_path(const TreeView& tree, std::string_view from,
                                            std::string_view path) {
    if (path.empty()) return std::nullopt;
    fs::PathRules rules = fs::state_of(tree.root()).rules;
    rules.absolute = AbsolutePaths::kInside;
    rules.dotdot = DotDot::kNormalize;
    auto led =
        fs::parse_path(path.front() == '/' ? std::string(path) : fs::joined(from, path), rules);
    if (!led) return std::nullopt;
    return std::move(led->text);
}

ObeyedPaths paths_obeyed_in(const TreeView& tree, const std::string& directory,
                            std::string_view home) {
    std::string git = fs::joined(directory, ".git");
    const auto stat = tree.lstat(git);
    if (!stat) {
        // By a path that passes a link nothing is asked of but what is not there.
        if (stat.error().code == Code::kPathEscape) return {};
        if (!is_not_there(stat.error())) return {.unread = std::move(git)};
        // A bare one, perhaps.
        std::string objects = fs::joined(directory, "objects");
        const auto bare = tree.lstat(objects);
        if (bare) return paths_obeyed_by(tree, directory, directory, home);
        if (!is_not_there(bare.error())) return {.unread = std::move(objects)};
        // That of a worktree, where git can be run as well.
        if (tree.lstat(fs::joined(directory, "commondir"))) {
            return paths_obeyed_by(tree, directory, directory, home);
        }
        return {};
    }
    if (stat->type == FileType::kDirectory) return paths_obeyed_by(tree, git, directory, home);
    std::string to = git;
    if (stat->type != FileType::kSymlink) {
        // Git takes no other file for a pointer.
        if (stat->type != FileType::kRegular) return {.is_by_pointer = true};
        const auto content = tree.read_file(git, kPointerBytesMax);
        if (!content) return {.is_by_pointer = true, .unread = std::move(git)};
        const auto target = pointer_target(*content, ".git");
        if (!target || tree.is_being_written(git)) {
            return {.is_by_pointer = true, .unread = std::move(git)};
        }
        to = whole_path(directory, *target);
    }
    LinkTrail trail = follow_links(tree, to);
    if (!trail.end) {
        return {.is_by_pointer = true, .unread = std::move(trail.unread), .leads_outside = true};
    }
    auto obeyed = paths_obeyed_by(tree, *trail.end, directory, home);
    obeyed.is_by_pointer = true;
    return obeyed;
}

std::vector<LeadingRepository> leading_repositories(const TreeView& tree,
                                                    const std::vector<std::string>& directories,
                                                    std::string_view home) {
    std::vector<ObeyedPaths> found;
    std::set<std::string> hooks;
    for (const std::string& directory : directories) {
        found.push_back(paths_obeyed_in(tree, directory, home));
        hooks.insert(found.back().relative_hooks.begin(), found.back().relative_hooks.end());
    }
    std::vector<LeadingRepository> leading;
    for (std::size_t i = 0; i < directories.size(); ++i) {
        const std::string& directory = directories[i];
        ObeyedPaths& obeyed = found[i];
        const bool leads = !obeyed.all.empty() || !obeyed.unread.empty();
        // A pointer may come to lead to any of them.
        if (obeyed.is_by_pointer) {
            auto others = hooks_obeyed_from(tree, directory, hooks).all;
            std::move(others.begin(), others.end(), std::back_inserter(obeyed.all));
        }
        std::erase_if(obeyed.all, [&](const auto& each) { return is_within(each, directory); });
        if (!leads && obeyed.all.empty()) continue;
        leading.push_back({directory, std::move(obeyed.git_directory), std::move(obeyed.all),
                           std::move(obeyed.unread), std::move(obeyed.relative_hooks)});
    }
    return leading;
}

ObeyedPaths hooks_obeyed_from(const TreeView& tree, const std::string& worktree,
                              const std::set<std::string>& relative_hooks) {
    return ObeyedSearch(tree, worktree, fs::joined(worktree, ".git"), {})
        .find_hooks(relative_hooks);
}

ObeyedPaths paths_obeyed_by(const TreeView& tree, const std::string& git_directory,
                            const std::string& worktree, std::string_view home) {
    return ObeyedSearch(tree, worktree, git_directory, home).find();
}

std::optional<std::string> pointer_target(std::string_view content, std::string_view name) {
    constexpr std::string_view kBegin = "gitdir: ";
    if (name == ".git") {
        if (!content.starts_with(kBegin)) return std::nullopt;
        content.remove_prefix(kBegin.size());
    }
    while (content.ends_with('\n') || content.ends_with('\r')) content.remove_suffix(1);
    if (content.empty()) return std::nullopt;
    return std::string(content);
}

}  // namespace paddock::git
