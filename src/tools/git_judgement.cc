#include "tools/git_judgement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "search/git_layout.h"

namespace paddock::tools {
namespace {

using Settings = std::vector<git::GitSetting>;

// "name/..": git goes up from where the name leads, which a link makes another place than the text
// says. What git writes itself has ".." at its beginning only.
bool goes_up_from_a_name(std::string_view path) {
    bool named = false;
    while (!path.empty()) {
        const std::string_view part = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), part.size() + 1));
        if (part == ".." && named) return true;
        named = named || (!part.empty() && part != "." && part != "..");
    }
    return false;
}

// A directory or nothing yet, without a link on the way.
bool stays_inside(const Root& root, std::string_view from, std::string_view path) {
    if (goes_up_from_a_name(path)) return false;
    const auto led = search::led_inside(root, from, path);
    if (!led) return false;
    if (led->empty()) return true;
    const auto there = root.lstat(*led);
    return there ? there->type == FileType::kDirectory : there.error().code == Code::kNotFound;
}

// By its text: whatever repository lies inside is judged itself. A bare one has no worktree.
bool is_place_inside(const Root& root, std::string_view git_directory, std::string_view path) {
    const bool is_bare = !search::is_git_directory_name(fs::leaf_of(git_directory));
    const std::string_view from = is_bare ? git_directory : fs::parent_of(git_directory);
    return !goes_up_from_a_name(path) && search::led_inside(root, from, path);
}

}  // namespace

bool leads_to_repository(const Root& root, const std::string& path) {
    const auto content = root.read_file(path, limits::kPathBytesMax);
    if (!content) return false;
    const auto written = search::pointer_target(*content, fs::leaf_of(path));
    if (!written || goes_up_from_a_name(*written)) return false;
    const auto target = search::led_inside(root, fs::parent_of(path), *written);
    if (!target) return false;
    const auto has = [&](const char* name) {
        return root.lstat(fs::joined(*target, name)).has_value();
    };
    // Git follows one commondir: what that leads to must have the parts itself.
    const bool may_share = search::is_git_directory_name(fs::leaf_of(path));
    return has("HEAD") && ((has("objects") && has("refs")) || (may_share && has("commondir")));
}

bool redirects_repository(const Root& root, const std::string& path) {
    if (search::is_git_directory_name(fs::leaf_of(path))) return false;
    const auto has = [&](const char* name) {
        const auto there = root.lstat(fs::joined(fs::parent_of(path), name));
        return there || there.error().code != Code::kNotFound;
    };
    return has("config") || has("objects");
}

Outcome<JudgedConfig> judge_config_file(const Root& root, const std::string& path,
                                        std::string_view trusted, git::Trusted fate) {
    JudgedConfig judged;
    const auto before = git::parse_git_config(trusted).value_or(Settings());
    auto content = root.read_file(path, limits::kGitConfigBytesMax);
    if (!content && content.error().code != Code::kTooLarge) {
        return static_cast<const Failure&>(content.error());
    }
    if (!content) {
        judged.verdict.unreadable = true;
        judged.verdict.cleaned = git::print_git_config(before);
        return judged;
    }
    const auto leads_inside = [&](std::string_view to, git::PathFrom from) {
        const std::string_view git_directory = fs::parent_of(path);
        return from == git::PathFrom::kWorktree ? is_place_inside(root, git_directory, to)
                                                : stays_inside(root, git_directory, to);
    };
    judged.verdict = git::judge_git_config(*content, before, fate, leads_inside);
    if (judged.verdict.is_clean()) judged.text = std::move(*content);
    return judged;
}

}  // namespace paddock::tools
