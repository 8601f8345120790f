// The files of a workspace that its session must not see: secrets of the owner's, what the
// operator denies, and sockets of the host.
//
// The tools ask of each path (is_secret), so for them nothing is ever late. From commands a file is
// hidden by covering it, which takes a search through the whole workspace. There is one before the
// first command, and another in the background when a command starts and the last one is old. What
// the owner makes in between is covered with the next one.
//
// Threads: any.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include <paddock/root.h>

#include "base/outcome.h"
#include "git/secrets.h"
#include "policy/path_rules.h"
#include "sandbox/protection.h"

namespace paddock::tools {

class HiddenFiles {
public:
    // Is this object the session's own?
    using IsOwn = std::function<bool(const Stat& stat)>;

    // `root`: what tools work in, with the workspace at `base`. `workspace` passes no link. `rules`
    // must outlive this.
    HiddenFiles(const Root& root, std::string base, Root workspace, const policy::PathRules& rules,
                IsOwn is_own);

    // Of an object of the root whose name the default rules deny, and that the session did not
    // make.
    bool is_secret(const std::string& path, const Stat& stat);

    // Was it found by a search, whatever it is called by now?
    bool holds(const Handle& file) const;

    // What is to be covered and is not yet, relative to the workspace. A part if it was cancelled.
    Outcome<std::vector<sandbox::Protection>> find(const std::stop_token& cancel = {});
    // What find() gave is covered. One thread at a time calls the two.
    void set_covered();

private:
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;  // device, inode, birth
    static Key key_of(const Stat& stat);

    bool is_hidden(const std::string& path, const Stat& stat);
    std::optional<std::string> end_of_link(const std::string& path) const;

    const Root root_;
    const std::string base_;
    const Root workspace_;
    const policy::PathRules& rules_;
    const IsOwn is_own_;
    git::Secrets secrets_;
    mutable std::shared_mutex mutex_;
    std::map<Key, bool> found_{};  // is it covered?
};

}  // namespace paddock::tools
