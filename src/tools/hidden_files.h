// What a search through the whole workspace finds for its session: the files that it must not see
// (secrets of the owner's, what the operator denies, sockets of the host, journals), and the
// repositories whose settings lead elsewhere. A directory that the search cannot enter may hold a
// secret: it is hidden whole, unless the session made it.
//
// The tools ask of each path (is_secret), so for them nothing is ever late. From commands a file is
// hidden by covering it, which takes a search through the whole workspace. There is one before the
// first command, and another in the background when a command starts and the last one is old. What
// the owner makes in between is covered with the next one. The tools wait for a search of which
// they know (expect_search) before they change anything.
// The secrets filter learns the values in files that are hidden, unless these lie in a directory
// that is hidden whole.
//
// Threads: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include <paddock/root.h>

#include "base/outcome.h"
#include "git/judge.h"
#include "git/tracked.h"
#include "policy/path_rules.h"
#include "sandbox/view_plan.h"
#include "search/entries.h"
#include "secrets/scanner.h"

namespace paddock::tools {

// By entries of such a name a search finds repositories.
bool leads_to_repository(std::string_view name);
// Their directories, relative to where the search began.
std::vector<std::string> repositories_among(const std::vector<search::FoundEntry>& entries);

class HiddenFiles {
public:
    // Has this session made the object / written to it?
    struct BySession {
        std::function<bool(const Stat& stat)> made;
        std::function<bool(const Stat& stat)> written;
    };

    // `root`: what tools work in, with the workspace at `base`. `workspace` passes no link. `rules`
    // must outlive this. `home`: see git::Judge::Facts. `scanner` may be null.
    HiddenFiles(const Root& root, std::string base, Root workspace, const policy::PathRules& rules,
                std::string home, const BySession& by_session,
                const secrets::SecretScanner* scanner = nullptr);

    // Of an object of the root whose name the default rules deny, and that the session did not
    // make.
    bool is_secret(const std::string& path, const Stat& stat);

    // Was it found by a search, whatever it is called by now?
    bool holds(const Handle& file) const;

    // A file that is covered because a rule denies its path.
    struct Ruled {
        std::string path;  // relative to the workspace
        std::string rule;
        bool has_more_names = false;  // by which rules hide it too
    };
    // Those whose path `fits`, as it is now. Of a link to a hidden file the path is the link's.
    std::vector<Ruled> covered_by_rule(
        const std::function<bool(std::string_view path)>& fits) const;

    // What is to be covered and is not yet, relative to the workspace. A part if it was cancelled.
    Outcome<std::vector<sandbox::Protection>> find(const std::stop_token& cancel = {});
    // What find() gave is covered. One thread at a time calls the two.
    void set_covered();

    // There will be a find() soon / not after all.
    void expect_search();
    void end_search();
    void wait_for_search() const;  // for a first one that is expected
    // As the last search found them, relative to the root. Waits for a first one that is expected.
    std::shared_ptr<const git::Repositories> repositories() const;
    // The directories of those in the workspace, relative to it.
    std::vector<std::string> repository_directories() const;

private:
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;  // device, inode, birth
    static Key key_of(const Stat& stat);

    bool is_hidden(const std::string& path, const Stat& stat);
    struct Found {
        bool is_covered = false;
        std::set<std::string> ruled_paths{};  // none: hidden for another reason than a rule
    };

    // `ruled_path`: of Found.
    void hide(std::string_view path, sandbox::Shield shield,
              std::vector<sandbox::Protection>& hidden, std::string_view ruled_path = {});
    void learn_values(const std::string& path);
    void keep_path(Found& found, std::string_view path);
    bool is_still(const Key& key, const std::string& path) const;
    bool is_below_hidden(std::string_view path) const;
    void look_at_repositories(const std::vector<search::FoundEntry>& entries);
    std::optional<std::string> end_of_link(const std::string& path) const;

    const Root root_;
    const std::string base_;
    const Root workspace_;
    const policy::PathRules& rules_;
    const std::string home_;
    const std::function<bool(const Stat& stat)> is_own_;
    git::Secrets secrets_;
    const secrets::SecretScanner* const scanner_;
    std::map<Key, std::pair<std::chrono::nanoseconds, std::uint64_t>>
        learned_{};  // by find() alone
    mutable std::shared_mutex mutex_;
    std::map<Key, Found> found_{};
    std::size_t paths_kept_ = 0;
    bool hides_directories_ = false;
    std::shared_ptr<const git::Repositories> repositories_ =
        std::make_shared<const git::Repositories>();
    bool is_expected_ = false;
    mutable std::condition_variable_any searched_;
};

// Where no gate stands before the workspace (an old kernel, a foreign listener): what is sealed and
// exists is bound read-only, journals are emptied, and paddock reports what of both is new or
// changed.
//
// Found by the rules, and by the shape of git directories (git/judge.h). One thread at a time.
class SealedWatch {
public:
    // `workspace` passes no link. `rules` must outlive this. `home`: see git::Judge::Facts.
    SealedWatch(Root workspace, const policy::PathRules& rules, const std::string& home);

    // What is there now.
    Outcome<std::vector<sandbox::Protection>> before();

    // What is new or has changed since the first before(), or since the last time.
    Outcome<std::vector<std::string>> after();

private:
    using Found = std::map<std::string, Stat>;

    Outcome<Found> find() const;
    bool is_sealed(const std::string& path) const;

    const Root workspace_;
    const policy::PathRules& rules_;
    const std::vector<std::string> sealed_;  // by the settings of the workspace's own repository
    std::optional<Found> known_;
};

}  // namespace paddock::tools
