#include "cli/outer_git.h"

#include <set>
#include <string_view>
#include <utility>

#include <paddock/root.h>

#include "base/within.h"
#include "cli/host_environment.h"
#include "cli/input.h"
#include "policy/git_config.h"
#include "policy/path_rules.h"
#include "search/git_layout.h"
#include "sys/stat.h"

namespace paddock::cli {
namespace {

constexpr int kIncludeDepthMax = 10;  // git's own
constexpr std::size_t kRulesMax = 256;

// Of a regular file: nothing else ends for certain.
std::string content_of(const std::string& path) {
    const auto real = sys::real_path(path.c_str());
    const auto stat = real ? sys::stat_path(real->c_str()) : Outcome<Stat>(real.error());
    if (!stat || stat->type != FileType::kRegular) return {};
    return read_input(*real).value_or("");
}

std::string from_directory(const std::string& directory, const std::string& path) {
    return path.starts_with('/') ? path : directory + "/" + path;
}

struct User {
    std::string home{host_variable("HOME")};
    std::string git = usual_directory();

    std::vector<std::string> configs() const { return {git + "/config", home + "/.gitconfig"}; }
    std::string expanded(const std::string& path) const {
        return path.starts_with("~/") ? home + path.substr(1) : path;
    }

private:
    std::string usual_directory() const {
        const std::string xdg(host_variable("XDG_CONFIG_HOME"));
        return (xdg.empty() ? home + "/.config" : xdg) + "/git";
    }
};

struct Repository {
    std::string worktree;
    std::string directory;  // git's
};

// Those in whose work trees this directory, a real path, lies, unless git's directory lies inside.
// Git takes the nearest; what makes it pass one over can be inside, so all count.
std::vector<Repository> outer_repositories(const std::string& inside) {
    std::vector<Repository> found;
    for (std::string at = inside;; at.resize(at.rfind('/'))) {
        std::string path = at + "/.git";
        const auto target = search::pointer_target(content_of(path), ".git");
        if (target) path = from_directory(at, *target);
        const auto directory = sys::real_path(path.c_str());
        if (directory && !is_within(*directory, inside)) found.push_back({at, *directory});
        if (at.empty()) return found;
    }
}

// As a pattern that matches nothing else.
std::string literal(std::string_view path) {
    constexpr std::string_view kSpecial = "*?[]{},\\";
    std::string pattern;
    for (const char c : path) {
        if (kSpecial.find(c) != kSpecial.npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

class OuterGit {
public:
    OuterGit(const Root& root, const User& user) : root_(root), user_(user) {}

    // `worktree`: where a relative path of hooks begins; empty: in any.
    void read(const std::string& config, const std::string& worktree, int depth = 0) {
        // By its real path: a file that includes itself can do so in any number of spellings.
        const auto real = sys::real_path(config.c_str());
        if (!real || depth > kIncludeDepthMax || !read_.emplace(*real, worktree).second) return;
        const auto settings = policy::parse_git_config(content_of(config));
        if (!settings) return;
        std::string hooks;  // git obeys the last
        for (const policy::GitSetting& setting : *settings) {
            const std::string value = user_.expanded(setting.value.value_or(""));
            if (setting.key == "core.hookspath") hooks = value;
            if (!setting.is_include() || value.empty()) continue;
            const std::string included = from_directory(config.substr(0, config.rfind('/')), value);
            protect(included);
            read(included, worktree, depth + 1);
        }
        if (hooks.empty()) return;
        if (hooks.starts_with('/') || !worktree.empty())
            return protect(from_directory(worktree, hooks));
        const auto path = search::led_inside(root_, {}, hooks);
        if (path && !path->empty()) add("**/" + literal(*path));
    }

    std::vector<PathRule> rules() && { return std::move(rules_); }

private:
    // Also where its links lead.
    void protect(const std::string& absolute) {
        const auto real = sys::real_path(absolute.c_str());
        for (const std::string& name : {absolute, real.value_or(absolute)}) {
            const auto path = search::led_inside(root_, {}, name);
            if (path && !path->empty()) add("/" + literal(*path));
        }
    }

    // A path that no pattern can hold, one that is not UTF-8 for example, gets no rule.
    void add(const std::string& pattern) {
        const PathRule rule{pattern, PathAccess::kReadOnly};
        if (rules_.size() == kRulesMax || !patterns_.insert(pattern).second) return;
        if (policy::PathRules::compile({}, {&rule, 1})) rules_.push_back(rule);
    }

    const Root& root_;
    const User& user_;
    std::set<std::pair<std::string, std::string>> read_;  // configs, each with a worktree
    std::set<std::string> patterns_;
    std::vector<PathRule> rules_;
};

}  // namespace

std::string git_excludes() {
    const User user;
    if (user.home.empty()) return {};
    std::string file;
    for (const std::string& config : user.configs()) {
        const auto settings = policy::parse_git_config(content_of(config));
        if (!settings) continue;
        for (const policy::GitSetting& setting : *settings) {
            if (setting.key == "core.excludesfile") file = setting.value.value_or("");
        }
    }
    if (file.empty()) return content_of(user.git + "/ignore");
    file = user.expanded(file);
    return file.starts_with('/') ? content_of(file) : std::string();
}

std::vector<PathRule> rules_of_outer_git(const std::string& root) {
    const auto inside = sys::real_path(root.c_str());
    const auto opened = Root::open(root);
    if (!inside || !opened) return {};
    const User user;
    OuterGit git(*opened, user);
    if (!user.home.empty()) {
        for (const std::string& config : user.configs()) git.read(config, {});
    }
    for (const Repository& outer : outer_repositories(*inside)) {
        const auto common =
            search::pointer_target(content_of(outer.directory + "/commondir"), "commondir");
        git.read(from_directory(outer.directory, common.value_or(".")) + "/config", outer.worktree);
        git.read(outer.directory + "/config.worktree", outer.worktree);
    }
    return std::move(git).rules();
}

}  // namespace paddock::cli
