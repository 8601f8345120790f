#include "tools/limit_watch.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "journal/journal.h"
#include "sys/files.h"
#include "sys/process.h"

namespace paddock::tools {
namespace {

// How often a quota is measured while a command runs: each time is a walk over the tree.
constexpr std::chrono::seconds kDiskWatchPause{1};

constexpr std::uint64_t kBlock = 4096;

}  // namespace

// An empty file takes a block too, so that they cannot be made without end.
std::uint64_t in_disk_blocks(std::uint64_t bytes) {
    const bool has_rest = bytes % kBlock != 0 || bytes == 0;
    return (bytes / kBlock + (has_rest ? 1 : 0)) * kBlock;
}

DiskUse::DiskUse(Root root, std::string directory, std::optional<std::uint64_t> bytes_max,
                 Journal journal)
    : root_(std::move(root)),
      directory_(std::move(directory)),
      bytes_max_(bytes_max),
      journal_(journal) {}

// Could more lie in it than when all was seen? Others' directories and mounts are not closed by a
// command, and what was closed at the first measurement hides no more than it did then, unless
// somebody had it open in between.
bool DiskUse::hides_something(const WalkEntry& entry, Code why) {
    if (why == Code::kMountCrossing || why == Code::kNotFound) return false;
    auto closed = sys::node_at(entry.directory, std::string(entry.name).c_str());
    if (!closed) closed = sys::node(entry.directory);  // which can be listed and no more
    if (!closed) return true;
    const Stat& stat = closed->stat;
    if (why == Code::kPermissionDenied && stat.uid != sys::effective_user()) return false;
    // What lies too deep is not closed: it can grow and shows no change.
    if (!measured_ && why == Code::kPermissionDenied) closed_before_.push_back(stat);
    return std::none_of(closed_before_.begin(), closed_before_.end(), [&](const Stat& known) {
        return known.identity == stat.identity && known.changed == stat.changed;
    });
}

Result<void> DiskUse::measure() {
    const auto begin = Clock::now();
    if (!measured_) closed_before_.clear();
    Seen now;
    bool is_all = true;
    const std::size_t start = directory_ == "." ? 0 : directory_.size() + 1;
    const Status walked = root_.walk(directory_, [&](const WalkEntry& entry) {
        if (journal_ == Journal::kLeftOut &&
            journal::is_journal_path(entry.path.substr(std::min(start, entry.path.size())))) {
            return WalkAction::kSkip;
        }
        if (entry.failure != nullptr) {
            if (hides_something(entry, entry.failure->code)) is_all = false;
            return WalkAction::kContinue;
        }
        std::uint64_t bytes = 0;
        if (entry.type == FileType::kRegular) {
            const auto node = sys::node_at(entry.directory, std::string(entry.name).c_str());
            if (node) bytes = node->stat.size;
            if (!node && hides_something(entry, node.error().code)) is_all = false;
        }
        now.bytes += in_disk_blocks(bytes);
        return WalkAction::kContinue;
    });
    if (!walked && !measured_) return walked.error();
    const auto disk = sys::file_system(root_.fd());
    now.free = disk ? disk->free_bytes : all_.free;
    if (!measured_ || (walked && is_all)) all_ = now;
    const std::uint64_t lost = all_.free - std::min(now.free, all_.free);
    used_ = std::max(now.bytes, all_.bytes + lost);
    measured_ = begin;
    took_ = Clock::now() - begin;
    return {};
}

Result<void> DiskUse::claim(std::uint64_t bytes, std::optional<std::uint64_t> replaced) {
    if (!bytes_max_) return {};
    const std::uint64_t more = in_disk_blocks(bytes);
    const std::uint64_t less = replaced ? in_disk_blocks(*replaced) : 0;
    if (more <= less) return {};
    const std::lock_guard lock(mutex_);
    const auto fits = [&] { return used_ <= *bytes_max_ && more - less <= *bytes_max_ - used_; };
    const bool is_old = !measured_ || Clock::now() - *measured_ > kDiskMeasureAge;
    if (is_old || !fits()) {
        if (auto done = measure(); !done) return done;
    }
    if (!fits()) {
        return as_error(refuse(Code::kQuotaExceeded, "the workspace has reached its quota"),
                        "write", {});
    }
    used_ += more - less;
    return {};
}

std::uint64_t DiskUse::excess(std::chrono::milliseconds age_max) {
    if (!bytes_max_) return 0;
    const std::lock_guard lock(mutex_);
    const bool is_old = !measured_ || Clock::now() - *measured_ > age_max;
    if (is_old && !measure()) return 0;
    return used_ > *bytes_max_ ? used_ - *bytes_max_ : 0;
}

std::uint64_t DiskUse::excess_now_and_then() {
    constexpr int kShare = 20;
    std::chrono::milliseconds age_max = kDiskWatchPause;
    {
        const std::lock_guard lock(mutex_);
        age_max = std::max(age_max,
                           std::chrono::duration_cast<std::chrono::milliseconds>(kShare * took_));
    }
    return excess(age_max);
}

bool DiskUse::is_measured() {
    const std::lock_guard lock(mutex_);
    return measured_.has_value();
}

namespace {

constexpr sandbox::ProcessId kNoCommand = 0;

}  // namespace

bool wait_for_next_check(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, stop, kCommandCheckPause, [] { return false; });
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
    Overfill now{shortage(), session_.excess(kDiskWatchPause)};
    if (now.excess > 0) now.excess = session_.excess(std::chrono::milliseconds(0));
    if (session_.home != nullptr && session_.home->is_measured()) {
        now.home = session_.home->excess_now_and_then();
    }
    return now;
}

std::optional<EndedBy> LimitWatch::disk_limit(Overfill& before) {
    if (shortage() > before.shortage) return EndedBy::kDiskReserve;
    if (session_.excess(kDiskWatchPause) > before.excess) return EndedBy::kQuota;
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
