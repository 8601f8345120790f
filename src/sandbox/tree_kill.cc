#include "sandbox/tree_kill.h"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "sys/signal.h"

namespace paddock::sandbox {

Outcome<std::uint32_t> TreeKiller::kill_descendants(int proc, pid_t ancestor) {
    doomed_count_ = 0;
    for (int pass = 0; pass < limits::kKillPassesMax; ++pass) {
        const std::size_t before = doomed_count_;
        PADDOCK_TRY(kill_new_ones(proc, ancestor));
        if (doomed_count_ == before) return static_cast<std::uint32_t>(doomed_count_);
    }
    return refuse(Code::kLimitReached, {}, EAGAIN);
}

Done TreeKiller::kill_new_ones(int proc, pid_t ancestor) {
    PADDOCK_TRY(table_.scan(proc));
    table_.mark_descendants(ancestor);
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
