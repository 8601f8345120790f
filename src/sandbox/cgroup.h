// The control group of a session: limits for all its commands together, and an end for all of them
// at once that none can dodge.
//
// It is made below the group of this process, or beside it, where the host allows that and has the
// controllers there already. Nothing else of the host's groups is changed. Without controllers it
// still ends processes, which the low rung has use for.
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
    UniqueFd memory_events_;
    UniqueFd process_events_;
};

// In the directory of a group that has the controllers.
Done set_group_limits(int group, const CommandLimits& limits);

// The number behind `name` in an open events file ("oom_kill 3"); 0 if there is none. Allocates
// nothing.
std::uint64_t event_count(int events, std::string_view name) noexcept;

}  // namespace paddock::sandbox
