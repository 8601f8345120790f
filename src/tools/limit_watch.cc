#include "tools/limit_watch.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <paddock/limits.h>

#include "sys/stat.h"

namespace paddock::tools {
namespace {

constexpr sandbox::ProcessId kNoCommand = 0;

}  // namespace

bool wait_for_next_check(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, stop, limits::kCommandCheckPause, [] { return false; });
    return !stop.stop_requested();
}

LimitWatch::Before LimitWatch::look_before() {
    const std::lock_guard lock(checking_);
    return {look_at_disk(), endings_};
}

void LimitWatch::began(sandbox::ProcessId command, const Before& before) {
    const std::lock_guard lock(checking_);
    begun_[command] = before;
}

LimitWatch::Check LimitWatch::check_of(sandbox::ProcessId command) {
    const std::lock_guard lock(checking_);
    const auto begun = begun_.extract(command);
    const Before start = begun ? begun.mapped() : Before{look_at_disk(), endings_};
    return [this, command, before = start]() mutable { return check(command, before); };
}

std::uint64_t LimitWatch::shortage() const {
    const auto disk = sys::file_system(session_.workspace);
    if (!disk) return 0;
    return session_.disk_reserve - std::min(disk->free_bytes, session_.disk_reserve);
}

LimitWatch::Overfill LimitWatch::look_at_disk() {
    Overfill now{shortage(), session_.excess(limits::kDiskWatchPause)};
    if (now.excess > 0) now.excess = session_.excess(std::chrono::milliseconds(0));
    if (session_.home != nullptr && session_.home->is_measured()) {
        now.home = session_.home->excess_now_and_then();
    }
    return now;
}

std::optional<EndedBy> LimitWatch::disk_limit(Overfill& before) {
    if (shortage() > before.shortage) return EndedBy::kDiskReserve;
    if (session_.excess(limits::kDiskWatchPause) > before.excess) return EndedBy::kQuota;
    if (session_.home == nullptr) return std::nullopt;
    const std::uint64_t excess = session_.home->excess_now_and_then();
    if (!before.home) before.home = excess;
    if (excess > *before.home) return EndedBy::kHome;
    return std::nullopt;
}

void LimitWatch::take_in_endings(sandbox::ProcessId command, Before& before) const {
    if (before.endings == endings_) return;
    if (command == kNoCommand || !before.is_spared) before.disk = after_ending_;
    before.endings = endings_;
    before.is_spared = true;
}

std::optional<EndedBy> LimitWatch::check(sandbox::ProcessId command, Before& before) {
    const std::lock_guard lock(checking_);
    take_in_endings(command, before);
    const auto census = session_.warden.census();
    // The warden is one of them.
    if (census && census->alive + 1 >= session_.processes_max) {
        return judge(EndedBy::kProcesses, census->largest, command);
    }
    if (census && census->exceeds_memory) {
        return judge(EndedBy::kMemory, census->most_memory, command);
    }
    const auto limit = disk_limit(before.disk);
    if (!limit) return std::nullopt;
    const bool is_left_guilty = census && census->left > 0 && !before.is_spared;
    return judge(*limit, is_left_guilty ? kNoCommand : command, command);
}

std::optional<EndedBy> LimitWatch::judge(EndedBy limit, sandbox::ProcessId guilty,
                                         sandbox::ProcessId asking) {
    if (guilty != kNoCommand) return guilty == asking ? std::optional(limit) : std::nullopt;
    const auto ended = session_.warden.kill_left();
    if (ended && *ended == 0) return std::nullopt;
    ++endings_;
    after_ending_ = look_at_disk();
    session_.tell(limit);
    return std::nullopt;
}

void LimitWatch::look_after_left() {
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
    wanted_.notify_one();
    if (watcher_.joinable()) return;
    try {
        watcher_ = std::jthread([this](const std::stop_token& stop) { watch_left(stop); });
    } catch (const std::system_error&) {
        const std::lock_guard checking(checking_);
        (void)judge(EndedBy::kUnattended, kNoCommand, kNoCommand);
    }
}

bool LimitWatch::is_any_left() {
    const auto census = session_.warden.census();
    return census && census->left > 0;
}

void LimitWatch::watch_left(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wanted_.wait(lock, stop, [this] { return std::exchange(is_wanted_, false); })) {
        lock.unlock();
        const Check check = check_of(kNoCommand);
        while (is_any_left() && wait_for_next_check(stop)) (void)check();
        lock.lock();
    }
}

}  // namespace paddock::tools
