#include "cli/outer_git.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <paddock/root.h>

#include "base/text.h"
#include "cli/input.h"
#include "cli/workspace_options.h"
#include "fs/rel_path.h"
#include "git/config.h"
#include "git/judge.h"
#include "git/settings_paths.h"
#include "policy/path_rules.h"
#include "search/entries.h"
#include "sys/files.h"
#include "tools/hidden_files.h"

namespace paddock::cli {
namespace {

constexpr int kIncludeDepthMax = 10;  // git's own
constexpr std::size_t kRulesMax = 256;
constexpr std::size_t kHooksMax = 4096;
constexpr int kReadsMax = 1024;

// Of a regular file: nothing else ends for certain. Nothing if it could not be read; what is not
// there is empty.
std::optional<std::string> read_content(const std::string& path) {
    const auto real = sys::real_path(path.c_str());
    const auto stat = real ? sys::stat_path(real->c_str()) : Outcome<Stat>(real.error());
    if (!stat) return git::is_not_there(stat.error()) ? std::optional(std::string()) : std::nullopt;
    if (stat->type == FileType::kDirectory) return std::string();
    if (stat->type != FileType::kRegular) return std::nullopt;
    auto text = read_input(*real);
    return text ? std::optional(std::move(*text)) : std::nullopt;
}

std::string content_of(const std::string& path) { return read_content(path).value_or(""); }

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
    options.every_mount = permit::EveryMount{"links outside the workspace can lead git anywhere"};
    auto root = Root::open("/", options);
    if (!root) return root;
    return root->linkless().read_only();
}

class OuterGit {
public:
    // `inside`: the workspace, a real path.
    OuterGit(const Root& workspace, Root host, std::string inside, Identity identity)
        : workspace_(workspace.linkless()),
          host_(std::move(host)),
          inside_(std::move(inside)),
          identity_(identity) {}

    std::vector<PathRule> rules(InnerRepositories inner) && {
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
        const bool is_every = inner == InnerRepositories::kAll;
        const std::vector<std::string> own{""};
        for (const std::string& each : is_every ? repositories_in(workspace_) : own) {
            read_inner(each);
        }
        return std::move(rules_);
    }

private:
    // The session follows the settings of a repository inside by itself, as far as it can look:
    // not through files outside that they include, and not by ways that begin outside. What cannot
    // be read here either may lead anywhere in its directory, which then is sealed.
    void read_inner(const std::string& directory) {
        const std::string worktree = directory.empty() ? inside_ : inside_ + "/" + directory;
        known_ = git::paths_obeyed_in(workspace_, directory, user_.home).all;
        is_inner_ = true;
        is_missed_ = false;
        std::string git = worktree + "/.git";
        const auto real = sys::real_path(git.c_str());
        const auto stat = real ? sys::stat_path(real->c_str()) : Outcome<Stat>(real.error());
        if (!stat && git::is_not_there(stat.error())) git = worktree;
        if (stat && stat->type == FileType::kRegular) {
            const auto content = read_content(git);
            const auto target = content ? git::pointer_target(*content, ".git") : std::nullopt;
            if (target) git = from_directory(worktree, *target);
            is_missed_ = !content;
        }
        const auto pointer = read_content(git + "/commondir");
        const auto target = pointer ? git::pointer_target(*pointer, "commondir") : std::nullopt;
        const std::string common = from_directory(git, target.value_or("."));
        is_missed_ = is_missed_ || !pointer;
        read(common + "/config", worktree);
        read(git + "/config.worktree", worktree);
        protect_links_in(common + "/hooks");
        if (is_missed_) seal(directory);
        known_.clear();
        is_inner_ = false;
    }

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
        if (depth > kIncludeDepthMax) return;
        if (reads_ > kReadsMax) return miss();
        // The judge knows that of a repository inside by its shape.
        if (!is_inner_ || depth > 0) protect(config);
        // By real paths: a file that includes itself can do so in any number of spellings. What it
        // includes is looked for where it is found, which may be a link in another directory.
        const std::string directory = config.substr(0, config.rfind('/') + 1);
        const auto real = sys::real_path(config.c_str());
        const auto base = sys::real_path(directory.c_str());
        if (!real && !git::is_not_there(real.error())) miss();
        if (!real || !base || !read_.emplace(*real, *base, worktree).second) return;
        const auto text = read_content(config);
        if (!text) return miss();
        const auto settings = git::parse_git_config(*text);
        // Git refuses other bad text too, and does nothing there.
        if (!settings &&
            (settings.error().code == Code::kTooLarge || text->find('\0') != text->npos))
            miss();
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
        if (path && !path->empty()) (void)add("**/" + text::literal_pattern(*path));
    }

    // Where it lies or would lie, and each link on the way: who may replace one leads git away.
    void protect(const std::string& absolute) {
        if (!protected_.insert(absolute).second) return;
        const git::LinkTrail trail = git::follow_links(host_, absolute);
        for (const std::string& link : trail.links) add_inside("/" + link);
        if (trail.end) add_inside("/" + *trail.end);
        if (!trail.unread.empty()) {
            add_inside("/" + trail.unread);
            miss();
        }
        if (const auto real = sys::real_path(absolute.c_str())) add_inside(*real);
    }

    // With what the links in it lead to: those are the scripts that git runs.
    void protect_hooks(const std::string& directory) {
        protect(directory);
        protect_links_in(directory);
    }

    void protect_links_in(const std::string& directory) {
        const auto real = sys::real_path(directory.c_str());
        if (!real && !git::is_not_there(real.error())) miss();
        if (!real || *real == "/") return;
        const auto listing = host_.list(real->substr(1), kHooksMax);
        if (listing ? listing->truncated : !git::is_not_there(listing.error())) miss();
        if (!listing) return;
        for (const ListEntry& entry : listing->entries) {
            if (entry.type != FileType::kSymlink || entry.name.ends_with(".sample")) continue;
            protect(*real + "/" + entry.name);
        }
    }

    void add_inside(const std::string& canonical) {
        const auto path = path_inside(canonical);
        if (!path || path->empty()) return;
        const bool is_known = std::any_of(known_.begin(), known_.end(),
                                          [&](const auto& each) { return is_within(*path, each); });
        if (!is_known && !add("/" + text::literal_pattern(*path))) miss();
    }

    // The workspace may be mounted in other places too.
    std::optional<std::string> path_inside(const std::string& canonical) const {
        if (is_within(canonical, inside_)) {
            return canonical == inside_ ? "" : canonical.substr(inside_.size() + 1);
        }
        for (std::size_t end = canonical.size(); end != 0 && end != canonical.npos;
             end = canonical.rfind('/', end - 1)) {
            const auto stat = sys::stat_path(canonical.substr(0, end).c_str());
            if (!stat || stat->identity != identity_) continue;
            return end == canonical.size() ? "" : canonical.substr(end + 1);
        }
        return std::nullopt;
    }

    void miss() { is_missed_ = true; }

    // However many rules there are: none would mean that nothing is obeyed there. Where no pattern
    // can name it, what can be named above.
    void seal(std::string_view directory) {
        PathRule rule{"**", PathAccess::kReadOnly};
        for (; !directory.empty(); directory = fs::parent_of(directory)) {
            const PathRule named{"/" + text::literal_pattern(directory), PathAccess::kReadOnly};
            if (!policy::PathRules::compile({}, {&named, 1})) continue;
            rule = named;
            break;
        }
        rules_.push_back(std::move(rule));
    }

    // A path that no pattern can hold gets no rule: false.
    bool add(const std::string& pattern) {
        const PathRule rule{pattern, PathAccess::kReadOnly};
        if (patterns_.contains(pattern)) return true;
        if (patterns_.size() == kRulesMax || !policy::PathRules::compile({}, {&rule, 1})) {
            return false;
        }
        patterns_.insert(pattern);
        rules_.push_back(rule);
        return true;
    }

    const Root workspace_;
    const Root host_;
    const std::string inside_;
    const Identity identity_;
    const User user_;
    // While a repository inside is read: what the judge knows of it, and was all else read?
    bool is_inner_ = false;
    bool is_missed_ = false;
    std::vector<std::string> known_;
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

GitAuthor git_author() {
    GitAuthor author;
    for (const std::string& config : User().configs()) {
        const auto settings = git::parse_git_config(content_of(config));
        if (!settings) continue;
        for (const git::GitSetting& setting : *settings) {
            if (setting.key == "user.name") author.name = setting.value.value_or("");
            if (setting.key == "user.email") author.email = setting.value.value_or("");
        }
    }
    return author;
}

std::vector<std::string> repositories_in(const Root& root) {
    const auto choose = [](std::string_view path, std::string_view name, FileType type) {
        const bool is_passed_over = git::is_any_journal(path) || git::is_object_store(path);
        return search::Interest{.take = tools::leads_to_repository(name),
                                .enter = type == FileType::kDirectory && !is_passed_over};
    };
    const auto found = search::find_entries(root, choose);
    return found ? tools::repositories_among(found->all) : std::vector<std::string>();
}

std::vector<PathRule> rules_of_outer_git(const std::string& root, InnerRepositories inner) {
    const std::vector<PathRule> sealed{{"**", PathAccess::kReadOnly}};  // nobody could look
    auto inside = sys::real_path(root.c_str());
    if (!inside) return sealed;
    // By its real name alone: the gate knows no other.
    auto workspace = Root::open(*inside);
    auto host = host_root();
    const auto stat = sys::stat_path(inside->c_str());
    if (!stat || !workspace || !host) return sealed;
    return OuterGit(*workspace, std::move(*host), std::move(*inside), stat->identity).rules(inner);
}

}  // namespace paddock::cli
