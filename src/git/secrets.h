// Which existing files are secrets of the owner's: those that bear such a name, that the session
// did not make, and that nobody can read from the repository anyway.
//
// A file that was free once stays so if the session writes to it: a command that changes a tracked
// ".env.test" goes on working with it. If somebody else does, it is asked of again.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <paddock/root.h>

#include "git/tracked.h"

namespace paddock::git {

class Secrets {
public:
    // Did this session write to it?
    using IsWritten = std::function<bool(const Stat& stat)>;

    // `root` passes no link.
    Secrets(Root root, IsWritten is_written)
        : root_(std::move(root)), is_written_(std::move(is_written)) {}

    // Of an object whose name the default rules deny, and that the session did not make.
    bool is_secret(const std::string& path, const Stat& stat);

private:
    using Clock = std::chrono::steady_clock;

    struct Version {
        std::chrono::nanoseconds changed{};
        std::uint64_t size = 0;
        bool operator==(const Version&) const = default;
    };

    const Root root_;
    const IsWritten is_written_;
    std::mutex mutex_;
    std::unique_ptr<TrackedFiles> tracked_;  // for a moment: files are often asked of together
    Clock::time_point tracked_since_{};
    std::map<std::pair<std::uint64_t, std::int64_t>, Version> free_{};  // by inode and birth
};

}  // namespace paddock::git
