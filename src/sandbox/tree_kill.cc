#include "sandbox/tree_kill.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "sys/child.h"
#include "sys/signal.h"
#include "sys/socket.h"

namespace paddock::sandbox {

Outcome<std::uint32_t> TreeKiller::kill_descendants(int proc, pid_t ancestor,
                                                    std::span<const pid_t> spared) {
    constexpr int kPauseMs = 1;
    doomed_count_ = 0;
    bool was_still = false;
    int waits = 0;
    for (int pass = 0; pass < limits::kKillPassesMax;) {
        const std::size_t before = doomed_count_;
        PADDOCK_TRY(kill_new_ones(proc, ancestor, spared));
        const bool has_new = doomed_count_ != before;
        if (!has_new && (was_still || waits >= limits::kKillWaitsMax)) {
            return static_cast<std::uint32_t>(doomed_count_);
        }
        was_still = is_still(proc, ancestor);
        if (has_new) {
            ++pass;
        } else if (!was_still) {
            ++waits;
            (void)sys::wait_ready({}, kPauseMs);
        }
    }
    return refuse(Code::kLimitReached, {}, EAGAIN);
}

// In the last scan. A signal takes a moment to arrive, in which one more process can be made.
bool TreeKiller::is_still(int proc, pid_t ancestor) noexcept {
    const std::span<const SeenProcess> seen = table_.seen();
    return std::all_of(seen.begin(), seen.end(), [&](const SeenProcess& process) {
        if (process.id == ancestor) {
            return ancestor == sys::own_id() || process.is_over || is_stopped(proc, process);
        }
        return !process.descends || process.is_over;
    });
}

bool TreeKiller::is_stopped(int proc, const SeenProcess& process) noexcept {
    constexpr std::string_view kStopped = "Tt";
    const pid_t thread = thread_with_memory(proc, process, reader_);
    if (thread == process.id) return kStopped.find(process.state) != kStopped.npos;
    const auto seen = look_at_process(proc, thread);
    return seen && kStopped.find(seen->state) != kStopped.npos;
}

Done TreeKiller::kill_new_ones(int proc, pid_t ancestor, std::span<const pid_t> spared) {
    PADDOCK_TRY(table_.scan(proc, reader_));
    table_.mark_descendants(ancestor, spared);
    for (const SeenProcess& process : table_.seen()) {
        if (!process.descends || is_doomed(process)) continue;
        PADDOCK_TRY(doom(proc, process));
    }
    return {};
}

bool TreeKiller::is_doomed(const SeenProcess& process) const noexcept {
    return std::any_of(doomed_.begin(), doomed_.begin() + static_cast<long>(doomed_count_),
                       [&](const Doomed& known) {
                           return known.id == process.id && known.started == process.started;
                       });
}

Done TreeKiller::doom(int proc, const SeenProcess& process) {
    const auto held = sys::hold_process(process.id);
    if (!held) return held.error().os_error == ESRCH ? Done() : Done(held.error());
    const auto still = look_at_process(proc, process.id);
    if (!still || still->started != process.started) return {};
    if (const auto sent = sys::send_signal(held->get(), SIGKILL); !sent) {
        if (sent.error().os_error != ESRCH) return sent.error();
    }
    if (doomed_count_ == doomed_.size()) return refuse(Code::kLimitReached, {}, E2BIG);
    doomed_[doomed_count_++] = {process.id, process.started};
    return {};
}

}  // namespace paddock::sandbox
