#include "sandbox/processes.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>

#include "sys/files.h"
#include "sys/io.h"
#include "sys/process.h"
#include "sys/signal.h"
#include "sys/socket.h"

namespace paddock::sandbox {
namespace {

std::string_view next_field(std::string_view& rest) {
    const std::string_view field = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    return field;
}

}  // namespace

bool parse_stat(std::span<const char> line, SeenProcess& process) noexcept {
    std::string_view rest(line.data(), line.size());
    const std::size_t name_end = rest.rfind(')');
    if (name_end == std::string_view::npos || rest.size() < name_end + 4) return false;
    rest.remove_prefix(name_end + 2);
    const std::string_view state = next_field(rest);
    if (state.size() != 1) return false;
    process.state = state[0];
    if (!sys::parse_number(next_field(rest), process.parent)) return false;
    // Field 20 is the number of threads, 22 the time of start; the parent was the fourth.
    for (int skipped = 5; skipped < 20; ++skipped) next_field(rest);
    unsigned threads = 0;
    if (!sys::parse_number(next_field(rest), threads)) return false;
    next_field(rest);
    process.is_over = (process.state == 'Z' && threads <= 1) || process.state == 'X';
    process.descends = false;
    if (!sys::parse_number(next_field(rest), process.started)) return false;
    std::uint64_t addresses = 0;
    if (!sys::parse_number(next_field(rest), addresses)) return false;
    process.shows_memory = addresses > 0;
    return sys::parse_number(next_field(rest), process.resident_pages);
}

Outcome<SeenProcess> look_at_process(int proc, pid_t id) {
    char path[32];
    char* end = std::to_chars(path, path + 16, id).ptr;
    std::memcpy(end, "/stat", sizeof "/stat");
    PADDOCK_ASSIGN(file, sys::openat(proc, path, O_RDONLY));
    char line[1024];
    PADDOCK_ASSIGN(size, sys::read(file.get(), line, sizeof line));
    SeenProcess process;
    process.id = id;
    if (!parse_stat({line, size}, process)) return Failure::from_errno(ESRCH);
    return process;
}

pid_t thread_with_memory(int proc, const SeenProcess& process, sys::DirReader& reader) {
    if (process.shows_memory) return process.id;
    char path[32];
    char* end = std::to_chars(path, path + 16, process.id).ptr;
    std::memcpy(end, "/task", sizeof "/task");
    const auto threads = sys::openat(proc, path, O_RDONLY | O_DIRECTORY);
    if (!threads) return process.id;
    reader.reset();
    for (;;) {
        const auto entry = reader.next(threads->get());
        if (!entry || *entry == nullptr) return process.id;
        pid_t id = 0;
        if (!sys::parse_number((*entry)->name, id) || id == process.id) continue;
        const auto thread = look_at_process(proc, id);
        if (thread && thread->shows_memory) return id;
    }
}

Done ProcessTable::scan(int proc, sys::DirReader& reader) {
    count_ = 0;
    reader.reset();
    PADDOCK_TRY(sys::seek_entry(proc, 0));
    for (;;) {
        PADDOCK_ASSIGN(entry, reader.next(proc));
        if (entry == nullptr) return {};
        pid_t id = 0;
        if (!sys::parse_number(entry->name, id)) continue;
        const auto process = look_at_process(proc, id);
        if (!process) continue;
        if (count_ == seen_.size()) return refuse(Code::kLimitReached, {}, E2BIG);
        seen_[count_++] = *process;
    }
}

// /proc lists by number.
SeenProcess* ProcessTable::find(pid_t id) noexcept {
    const std::span<SeenProcess> all = seen();
    const auto at = std::lower_bound(all.begin(), all.end(), id,
                                     [](const SeenProcess& p, pid_t i) { return p.id < i; });
    return at != all.end() && at->id == id ? &*at : nullptr;
}

void ProcessTable::mark_descendants(pid_t ancestor, std::span<const pid_t> spared) noexcept {
    const std::span<SeenProcess> all(seen_.data(), count_);
    for (SeenProcess& process : all) process.descends = false;
    const auto is_spared = [&](pid_t id) {
        return std::find(spared.begin(), spared.end(), id) != spared.end();
    };
    const auto is_marked = [&](pid_t id) {
        const SeenProcess* const seen = find(id);
        return seen != nullptr && seen->descends;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (SeenProcess& process : all) {
            if (process.descends || process.id == ancestor) continue;
            if (process.parent != ancestor && !is_marked(process.parent)) continue;
            if (is_spared(process.id)) continue;
            process.descends = true;
            changed = true;
        }
    }
}

std::uint32_t ProcessTable::marked_alive() const noexcept {
    const auto alive = std::count_if(seen().begin(), seen().end(), [](const SeenProcess& process) {
        return process.descends && !process.is_over;
    });
    return static_cast<std::uint32_t>(alive);
}

std::uint64_t ProcessTable::marked_memory() const noexcept {
    std::uint64_t bytes = 0;
    for (const SeenProcess& process : seen()) {
        if (process.descends) bytes += process.memory_bytes;
    }
    return bytes;
}

std::uint64_t ProcessTable::memory_of_tree(pid_t ancestor) noexcept {
    mark_descendants(ancestor);
    for (SeenProcess& process : seen()) {
        if (process.id == ancestor) process.descends = true;
    }
    return marked_memory();
}

Outcome<std::uint32_t> TreeKiller::kill_descendants(int proc, pid_t ancestor,
                                                    std::span<const pid_t> spared) {
    constexpr int kPauseMs = 1;
    doomed_count_ = 0;
    bool was_still = false;
    int waits = 0;
    for (int pass = 0; pass < kKillPassesMax;) {
        const std::size_t before = doomed_count_;
        PADDOCK_TRY(kill_new_ones(proc, ancestor, spared));
        const bool has_new = doomed_count_ != before;
        if (!has_new && (was_still || waits >= kKillWaitsMax)) {
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
