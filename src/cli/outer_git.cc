#include "cli/outer_git.h"

#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <paddock/root.h>

#include "base/within.h"
#include "cli/host_environment.h"
#include "cli/input.h"
#include "git/config.h"
#include "git/link_trail.h"
#include "git/settings_paths.h"
#include "policy/path_rules.h"
#include "sys/stat.h"

namespace paddock::cli {
namespace {

constexpr int kIncludeDepthMax = 10;  // git's own
constexpr std::size_t kRulesMax = 256;
constexpr std::size_t kHooksMax = 4096;
constexpr int kReadsMax = 1024;

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

    // In the order in which git reads them.
    std::vector<std::string> configs() const {
        std::vector<std::string> all;
        if (!git.empty()) all.push_back(git + "/config");
        if (!home.empty()) all.push_back(home + "/.gitconfig");
        return all;
    }
    std::string expanded(const std::string& path) const {
        return path.starts_with("~/") ? home + path.substr(1) : path;
    }

private:
    std::string usual_directory() const {
        const std::string xdg(host_variable("XDG_CONFIG_HOME"));
        if (!xdg.empty()) return xdg + "/git";
        return home.empty() ? std::string() : home + "/.config/git";
    }
};

struct Repository {
    std::string worktree;
    std::string directory;  // git's, as it is led there
};

// What the user's git can reach, to look at.
Result<Root> host_root() {
    RootOptions options;
    options.every_mount = permit::EveryMount{"links outside lead git where they like"};
    auto root = Root::open("/", options);
    if (!root) return root;
    return root->linkless().read_only();
}

class OuterGit {
public:
    // `inside`: the workspace, a real path.
    OuterGit(Root workspace, Root host, std::string inside)
        : workspace_(std::move(workspace)), host_(std::move(host)), inside_(std::move(inside)) {}

    std::vector<PathRule> rules() && {
        const std::vector<Repository> repositories = outer_repositories();
        for (const std::string& config : user_.configs()) {
            read(config, {});
            read(config, inside_);
            for (const Repository& outer : repositories) read(config, outer.worktree);
        }
        for (const Repository& outer : repositories) {
            const std::string pointer = outer.directory + "/commondir";
            const auto target = git::pointer_target(content_of(pointer), "commondir");
            if (target) protect(pointer);
            const std::string common = from_directory(outer.directory, target.value_or("."));
            read(common + "/config", outer.worktree);
            read(outer.directory + "/config.worktree", outer.worktree);
            protect_hooks(common + "/hooks");
        }
        return std::move(rules_);
    }

private:
    // Those in whose work trees the workspace lies, unless git's directory lies inside. Git takes
    // the nearest; what makes it pass one over can be inside, so all count.
    std::vector<Repository> outer_repositories() {
        std::vector<Repository> found;
        for (std::string at = inside_;; at.resize(at.rfind('/'))) {
            std::string path = at + "/.git";
            const auto target = git::pointer_target(content_of(path), ".git");
            if (target) protect(path);
            if (target) path = from_directory(at, *target);
            const auto real = sys::real_path(path.c_str());
            if (real && !is_within(*real, inside_)) found.push_back({at, path});
            if (at.empty()) return found;
        }
    }

    // `worktree`: where a relative path of hooks begins; empty: in any.
    void read(const std::string& config, const std::string& worktree, int depth = 0) {
        reads_ = depth == 0 ? 0 : reads_ + 1;
        if (depth > kIncludeDepthMax || reads_ > kReadsMax) return;
        protect(config);
        // By real paths: a file that includes itself can do so in any number of spellings. What it
        // includes is looked for where it is found, which may be a link in another directory.
        const std::string directory = config.substr(0, config.rfind('/') + 1);
        const auto real = sys::real_path(config.c_str());
        const auto base = sys::real_path(directory.c_str());
        if (!real || !base || !read_.emplace(*real, *base, worktree).second) return;
        const auto settings = git::parse_git_config(content_of(config));
        if (!settings) return;
        std::string hooks;  // git obeys the last
        for (const git::GitSetting& setting : *settings) {
            const std::string value = user_.expanded(setting.value.value_or(""));
            if (setting.key == "core.hookspath") hooks = value;
            if (!setting.is_include() || value.empty()) continue;
            const std::string included = from_directory(directory, value);
            read(included, worktree, depth + 1);
        }
        if (hooks.empty()) return;
        if (hooks.starts_with('/') || !worktree.empty())
            return protect_hooks(from_directory(worktree, hooks));
        const auto path = git::resolve_git_path(workspace_, {}, hooks);
        if (path && !path->empty()) add("**/" + text::literal_pattern(*path));
    }

    // Where it lies or would lie, and each link on the way: who may replace one leads git away.
    void protect(const std::string& absolute) {
        if (!protected_.insert(absolute).second) return;
        const git::LinkTrail trail = git::follow_links(host_, absolute);
        for (const std::string& link : trail.links) add_inside("/" + link);
        if (trail.end) add_inside("/" + *trail.end);
        if (const auto real = sys::real_path(absolute.c_str())) add_inside(*real);
    }

    // With what the links in it lead to: those are the scripts that git runs.
    void protect_hooks(const std::string& directory) {
        protect(directory);
        const auto real = sys::real_path(directory.c_str());
        if (!real || *real == "/") return;
        const auto listing = host_.list(real->substr(1), kHooksMax);
        if (!listing) return;
        for (const ListEntry& entry : listing->entries) {
            if (entry.type != FileType::kSymlink || entry.name.ends_with(".sample")) continue;
            protect(*real + "/" + entry.name);
        }
    }

    void add_inside(const std::string& canonical) {
        if (canonical == inside_ || !is_within(canonical, inside_)) return;
        add("/" + text::literal_pattern(std::string_view(canonical).substr(inside_.size() + 1)));
    }

    // A path that no pattern can hold gets no rule.
    void add(const std::string& pattern) {
        const PathRule rule{pattern, PathAccess::kReadOnly};
        if (rules_.size() == kRulesMax || !patterns_.insert(pattern).second) return;
        if (policy::PathRules::compile({}, {&rule, 1})) rules_.push_back(rule);
    }

    const Root workspace_;
    const Root host_;
    const std::string inside_;
    const User user_;
    std::set<std::string> protected_;
    std::set<std::tuple<std::string, std::string, std::string>> read_;  // with base and worktree
    int reads_ = 0;  // of what one config includes
    std::set<std::string> patterns_;
    std::vector<PathRule> rules_;
};

}  // namespace

std::string git_excludes() {
    const User user;
    std::string file;
    for (const std::string& config : user.configs()) {
        const auto settings = git::parse_git_config(content_of(config));
        if (!settings) continue;
        for (const git::GitSetting& setting : *settings) {
            if (setting.key == "core.excludesfile") file = setting.value.value_or("");
        }
    }
    if (file.empty()) return user.git.empty() ? std::string() : content_of(user.git + "/ignore");
    file = user.expanded(file);
    return file.starts_with('/') ? content_of(file) : std::string();
}

std::vector<PathRule> rules_of_outer_git(const std::string& root) {
    auto inside = sys::real_path(root.c_str());
    auto workspace = Root::open(root);
    auto host = host_root();
    if (!inside || !workspace || !host) return {};
    return OuterGit(std::move(*workspace), std::move(*host), std::move(*inside)).rules();
}

}  // namespace paddock::cli
