#include "tools/limit_watch.h"

#include <utility>

#include <paddock/limits.h>

#include "sys/stat.h"

namespace paddock::tools {
namespace {

constexpr sandbox::ProcessId kNoCommand = 0;

bool has_reserve(int workspace, bool otherwise) {
    const auto disk = sys::file_system(workspace);
    return disk ? disk->free_bytes >= limits::kDiskReserveBytes : otherwise;
}

}  // namespace

bool wait_for_next_check(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, stop, limits::kCommandCheckPause, [] { return false; });
    return !stop.stop_requested();
}

LimitWatch::Check LimitWatch::check_of(sandbox::ProcessId command) {
    const std::lock_guard lock(checking_);
    return [this, command, before = look_at_disk()]() mutable { return check(command, before); };
}

LimitWatch::DiskBefore LimitWatch::look_at_disk() {
    DiskBefore before{has_reserve(session_.workspace, false),
                      session_.disk.excess(limits::kDiskWatchPause), endings_};
    if (before.excess > 0) before.excess = session_.disk.excess(std::chrono::milliseconds(0));
    return before;
}

std::optional<EndedBy> LimitWatch::disk_limit(const DiskBefore& before) {
    if (before.had_reserve && !has_reserve(session_.workspace, true)) {
        return EndedBy::kDiskReserve;
    }
    if (session_.disk.excess(limits::kDiskWatchPause) > before.excess) return EndedBy::kQuota;
    return std::nullopt;
}

std::optional<EndedBy> LimitWatch::check(sandbox::ProcessId command, DiskBefore& before) {
    const std::lock_guard lock(checking_);
    if (before.endings != endings_) before = look_at_disk();
    const auto census = session_.warden.census();
    if (!census) return std::nullopt;
    // The warden is one of them.
    if (census->alive + 1 >= session_.processes_max) {
        return judge(EndedBy::kProcesses, census->largest, command);
    }
    const auto limit = disk_limit(before);
    if (!limit) return std::nullopt;
    return judge(*limit, census->left > 0 ? kNoCommand : command, command);
}

std::optional<EndedBy> LimitWatch::judge(EndedBy limit, sandbox::ProcessId guilty,
                                         sandbox::ProcessId asking) {
    if (guilty != kNoCommand) return guilty == asking ? std::optional(limit) : std::nullopt;
    const auto ended = session_.warden.kill_left();
    if (ended && *ended == 0) return std::nullopt;
    ++endings_;
    session_.tell(limit);
    return std::nullopt;
}

void LimitWatch::look_after_left() {
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
    wanted_.notify_one();
    if (watcher_.joinable()) return;
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch_left(stop); });
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
