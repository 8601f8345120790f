// Which existing files are secrets of the owner's: those that bear such a name, that the session
// did not make, and that nobody can read from the repository anyway.
//
// A file that was free once stays so for the session, whatever is written to it: a command that
// changes a tracked ".env.test" goes on working with it.
//
// Threads: any.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <paddock/root.h>

#include "git/tracked.h"

namespace paddock::git {

class Secrets {
public:
    // `root` passes no link.
    explicit Secrets(Root root) : root_(std::move(root)) {}

    // Of an object whose name the default rules deny, and that the session did not make.
    bool is_secret(const std::string& path, const Stat& stat);

private:
    using Clock = std::chrono::steady_clock;

    const Root root_;
    std::mutex mutex_;
    std::unique_ptr<TrackedFiles> tracked_;  // for a moment: files are often asked of together
    Clock::time_point tracked_since_{};
    std::set<std::pair<std::uint64_t, std::int64_t>> free_{};  // inode and birth
};

}  // namespace paddock::git
