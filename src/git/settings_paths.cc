#include "git/settings_paths.h"

#include <set>
#include <utility>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"
#include "git/config.h"
#include "git/link_trail.h"

namespace paddock::git {
namespace {

// Of one repository: an included file may include others, in a circle too.
constexpr std::size_t kIncludedFilesMax = 64;

std::optional<std::string> resolve_setting(const Root& root, std::string_view from,
                                           std::string_view path, std::string_view home) {
    constexpr std::string_view kHome = "~/";
    if (!path.starts_with(kHome)) return resolve_git_path(root, from, path);
    if (home.empty()) return std::nullopt;
    return resolve_git_path(root, from, fs::joined(home, path.substr(kHome.size())));
}

class ObeyedSearch {
public:
    ObeyedSearch(const Root& root, std::string worktree, std::string git_directory,
                 std::string_view home)
        : root_(root),
          worktree_(std::move(worktree)),
          git_directory_(std::move(git_directory)),
          home_(home) {}

    std::vector<std::string> find() && {
        std::string common = git_directory_;
        if (const auto pointer = root_.read_file(fs::joined(common, "commondir"), kPointerBytesMax))
            if (const auto target = pointer_target(*pointer, "commondir"))
                common = resolve_git_path(root_, git_directory_, *target).value_or(common);
        configs_ = {fs::joined(common, "config"), fs::joined(git_directory_, "config.worktree")};
        for (std::size_t i = 0; i < configs_.size() && i < kIncludedFilesMax; ++i) {
            read(configs_[i]);
        }
        follow_links_in(fs::joined(common, "hooks"));
        return {obeyed_.begin(), obeyed_.end()};
    }

private:
    void read(const std::string& config) {
        const auto text = root_.read_file(config, limits::kGitConfigBytesMax);
        // The root passes no link: follow it, and read what is there.
        if (!text && text.error().code != Code::kNotFound) {
            if (const std::string end = end_of(config); end != config) read(end);
        }
        if (!text) return;
        const std::string from(fs::parent_of(config));
        const auto settings = parse_git_config(*text);
        if (!settings) return;
        for (const GitSetting& setting : *settings) {
            if (!setting.value) continue;
            if (setting.is_include()) {
                auto file = resolve_setting(root_, from, *setting.value, home_);
                if (file && add(*file)) configs_.push_back(std::move(*file));
            } else if (setting.key == "core.hookspath") {
                const auto hooks = resolve_setting(root_, worktree_, *setting.value, home_);
                if (hooks && add(*hooks)) follow_links_in(*hooks);
            }
        }
    }

    void follow_links_in(const std::string& hooks) {
        const auto listing = root_.list(hooks);
        if (!listing && listing.error().code != Code::kNotFound) {
            if (const std::string end = end_of(hooks); end != hooks) follow_links_in(end);
        }
        if (!listing) return;
        for (const ListEntry& entry : listing->entries) {
            if (entry.type != FileType::kSymlink || entry.name.ends_with(".sample")) continue;
            (void)end_of(fs::joined(hooks, entry.name));
        }
    }

    // Of a link: where it leads, which is obeyed as well, and so is each link on the way.
    std::string end_of(const std::string& path) {
        const auto stat = root_.lstat(path);
        if (!stat || stat->type != FileType::kSymlink) return path;
        const LinkTrail trail = follow_links(root_, path);
        for (const std::string& link : trail.links) {
            if (link != path) (void)add(link);
        }
        if (trail.end) (void)add(*trail.end);
        return trail.end.value_or(path);
    }

    // A directory with the repository in it cannot be sealed.
    bool add(const std::string& path) {
        if (path.empty() || path == "." || is_within(git_directory_, path)) return false;
        return obeyed_.insert(path).second;
    }

    const Root& root_;
    const std::string worktree_;
    const std::string git_directory_;
    const std::string_view home_;
    std::vector<std::string> configs_;
    std::set<std::string> obeyed_;
};

}  // namespace

std::optional<std::string> resolve_git_path(const Root& root, std::string_view from,
                                            std::string_view path) {
    if (path.empty()) return std::nullopt;
    fs::PathRules rules = fs::state_of(root).rules;
    rules.absolute = AbsolutePaths::kInside;
    rules.dotdot = DotDot::kNormalize;
    auto led =
        fs::parse_path(path.front() == '/' ? std::string(path) : fs::joined(from, path), rules);
    if (!led) return std::nullopt;
    return std::move(led->text);
}

ObeyedPaths paths_obeyed_in(const Root& root, const std::string& directory, std::string_view home) {
    std::string git = fs::joined(directory, ".git");
    const auto stat = root.lstat(git);
    if (!stat) {
        // A bare one, perhaps.
        if (!root.lstat(fs::joined(directory, "objects"))) return {};
        return {paths_obeyed_by(root, directory, directory, home)};
    }
    if (stat->type == FileType::kDirectory) return {paths_obeyed_by(root, git, directory, home)};
    std::optional<std::string> led;
    if (stat->type == FileType::kSymlink) {
        led = follow_links(root, git).end;
    } else if (const auto content = root.read_file(git, kPointerBytesMax)) {
        const auto target = pointer_target(*content, ".git");
        if (target) led = resolve_git_path(root, directory, *target);
    }
    if (!led) return {{}, true};
    return {paths_obeyed_by(root, *led, directory, home), true};
}

std::vector<std::string> paths_obeyed_by(const Root& root, const std::string& git_directory,
                                         const std::string& worktree, std::string_view home) {
    return ObeyedSearch(root, worktree, git_directory, home).find();
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
