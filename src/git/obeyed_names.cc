#include "git/obeyed_names.h"

#include <array>
#include <limits>
#include <string>

#include "base/text.h"
#include "fs/rel_path.h"
#include "text/names.h"

namespace paddock::git {

using fs::parent_of;

bool is_called(std::string_view name, std::string_view wanted) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return name.size() == wanted.size() &&
           std::equal(name.begin(), name.end(), wanted.begin(),
                      [&](char a, char b) { return lower(a) == lower(b); });
}

bool is_index(std::string_view name) {
    constexpr std::string_view kShared = "sharedindex.";
    return is_called(name, "index") || is_called(name.substr(0, kShared.size()), kShared);
}

std::optional<JudgedFile> judged_file(std::string_view path) {
    const std::string_view name = fs::leaf_of(path);
    const std::string_view directory = parent_of(path);
    if (is_one_of(kConfigs, name)) return JudgedFile{directory, kConfigRule};
    if (is_index(name)) return JudgedFile{directory, kIndexRule};
    if (is_called(name, kRerereList)) return JudgedFile{directory, kRerereRule};
    const std::string_view objects = parent_of(directory);
    if (is_one_of(kAlternates, name) && is_called(fs::leaf_of(directory), "info") &&
        is_called(fs::leaf_of(objects), "objects")) {
        return JudgedFile{parent_of(objects), kAlternatesRule};
    }
    return std::nullopt;
}

Refusal sealed(std::string_view rule) { return Refusal{PathAccess::kReadOnly, std::string(rule)}; }

Refusal not_readable(std::string_view path) {
    return Refusal{PathAccess::kReadOnly, std::string(kUnreadRule),
                   text::quote_in_sentence(path, " ,;") +
                       ". Make it readable, or remove the setting or link that leads there"};
}

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

bool is_worktree_of_submodule(std::string_view git_directory, std::string_view path) {
    constexpr std::string_view kModules = ".git/modules/";
    const std::size_t at = git_directory.find(kModules);
    if (at == git_directory.npos || (at > 0 && git_directory[at - 1] != '/')) return false;
    if (path.starts_with('/') || goes_up_from_a_name(path)) return false;
    const std::string_view inner = git_directory.substr(at);
    auto ups = std::count(inner.begin(), inner.end(), '/') + 1;
    for (; path.starts_with("../"); path.remove_prefix(3)) --ups;
    if (ups != 0 || path.empty() || path == "..") return false;
    // Files that are checked out there would be hooks.
    for (std::string_view above = path; !above.empty(); above = parent_of(above)) {
        if (is_called(leaf_of(above), ".git")) return false;
    }
    return true;
}

bool is_usual_worktree(std::string_view git_directory, std::string_view path) {
    constexpr std::string_view kModules = ".git/modules/";
    const std::size_t at = git_directory.find(kModules);
    while (path.starts_with("../")) path.remove_prefix(3);
    return at != git_directory.npos && path == git_directory.substr(at + kModules.size());
}

std::string_view first_named(std::string_view path, std::string_view pattern) {
    if (pattern.starts_with("**/")) pattern.remove_prefix(3);
    for (auto i = std::count(pattern.begin(), pattern.end(), '/'); i > 0; --i)
        path = parent_of(path);
    return path;
}

namespace {

constexpr std::size_t kNoDepth = std::numeric_limits<std::size_t>::max();

// With those of kClosedDirectories and kConfigs, all that the two questions look for.
constexpr std::array<std::string_view, 5> kTelling = {".git", ".paddock", "paddock", "worktrees",
                                                      "commondir"};

}  // namespace

OrdinaryNames::OrdinaryNames(const Judge& judge, std::string_view directory)
    : judge_(judge), telling_depth_(is_ordinary_place(directory) ? kNoDepth : 0) {}

bool OrdinaryNames::include(const WalkEntry& entry) {
    if (entry.depth <= telling_depth_) telling_depth_ = kNoDepth;
    if (telling_depth_ == kNoDepth && !is_ordinary(entry.name)) telling_depth_ = entry.depth;
    return telling_depth_ == kNoDepth;
}

bool OrdinaryNames::is_ordinary(std::string_view name) const {
    const bool is_telling = is_one_of(kTelling, name) || is_one_of(kClosedDirectories, name) ||
                            is_one_of(kConfigs, name);
    return !is_telling && !judge_.rules_.may_restrict_by(name);
}

// Settings of git lead to nothing in it, and no name on the way there is telling.
bool OrdinaryNames::is_ordinary_place(std::string_view directory) const {
    for (std::string_view at = directory; !at.empty(); at = fs::parent_of(at)) {
        if (!is_ordinary(fs::leaf_of(at))) return false;
    }
    if (!judge_.base_.empty() && is_within(judge_.base_, directory)) return false;
    const auto touches = [&](const std::string& each) {
        return is_within(each, directory) || is_within(directory, each);
    };
    return !judge_.judge_any_obeyed(fs::joined(directory, "x"), Judge::By::kAny, touches);
}

}  // namespace paddock::git
