#include "git/settings_paths.h"

#include <set>
#include <utility>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"
#include "git/config.h"

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

std::vector<std::string> paths_obeyed_by(const Root& root, const std::string& git_directory,
                                         const std::string& worktree, std::string_view home) {
    std::set<std::string> obeyed;
    std::vector<std::string> configs = {fs::joined(git_directory, "config"),
                                        fs::joined(git_directory, "config.worktree")};
    for (std::size_t i = 0; i < configs.size() && i < kIncludedFilesMax; ++i) {
        const auto text = root.read_file(configs[i], limits::kGitConfigBytesMax);
        if (!text) continue;
        const auto settings = parse_git_config(*text);
        if (!settings) continue;
        for (const GitSetting& setting : *settings) {
            if (!setting.value) continue;
            if (setting.is_include()) {
                auto file = resolve_setting(root, fs::parent_of(configs[i]), *setting.value, home);
                if (!file || file->empty() || !obeyed.insert(*file).second) continue;
                configs.push_back(std::move(*file));
            } else if (setting.key == "core.hookspath") {
                auto hooks = resolve_setting(root, worktree, *setting.value, home);
                // A directory with the repository in it cannot be sealed.
                if (!hooks || hooks->empty() || is_within(git_directory, *hooks)) continue;
                obeyed.insert(std::move(*hooks));
            }
        }
    }
    return {obeyed.begin(), obeyed.end()};
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
