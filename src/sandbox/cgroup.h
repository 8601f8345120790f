// The control group of a session: limits for all its commands together, and an end for all of them
// at once that none can dodge.
//
// It is made below the group of this process, or beside it, where the host allows that and has the
// controllers there already, or where the group is delegated to this process alone: see hand_down.
// Nothing else of the host's groups is changed. Without controllers it still ends processes, which
// the low level has use for.
//
// A process that confines itself later ends what is in the group all the same; to remove it as well
// it needs Access::kRemoveDirectories for parent().
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <paddock/shell.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sandbox {

class SessionGroup {
public:
    // Without controllers it is made only if `even_without_limits`. Errors: not_available.
    static Outcome<SessionGroup> make(const CommandLimits& limits, bool even_without_limits);

    SessionGroup(const SessionGroup&) = delete;
    SessionGroup& operator=(const SessionGroup&) = delete;
    SessionGroup(SessionGroup&&) = default;
    SessionGroup& operator=(SessionGroup&&) = delete;
    ~SessionGroup();  // ends what is in it, and removes it

    Done add(pid_t process);

    int parent() const noexcept { return parent_.get(); }  // the directory it is in

    bool has_limits() const noexcept { return memory_events_.valid(); }

    // For event_count; invalid without limits.
    int memory_events() const noexcept { return memory_events_.get(); }
    int process_events() const noexcept { return process_events_.get(); }

private:
    SessionGroup(UniqueFd parent, UniqueFd group, std::string name)
        : parent_(std::move(parent)), group_(std::move(group)), name_(std::move(name)) {}

    UniqueFd parent_;
    UniqueFd group_;
    std::string name_;
    UniqueFd kill_;  // invalid before Linux 5.14
    UniqueFd memory_events_;
    UniqueFd process_events_;
};

// Makes `group`, the directory of this process's own, give controllers to groups below it. While it
// holds a process it cannot, so this process goes to a leaf below it, and stays there. Refused
// (not_available) if the group holds others; after any failure all is as it was.
Done hand_down(int group, const CommandLimits& limits);

// In the directory of a group that has the controllers.
Done set_group_limits(int group, const CommandLimits& limits);

// The number behind `name` in an open events file ("oom_kill 3"); 0 if there is none. Allocates
// nothing.
std::uint64_t event_count(int events, std::string_view name) noexcept;

}  // namespace paddock::sandbox
