#include "sandbox/process_table.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "sys/io.h"
#include "sys/open.h"

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
    if (!parse_number(next_field(rest), process.parent)) return false;
    // Field 20 is the number of threads, 22 the time of start; the parent was the fourth.
    for (int skipped = 5; skipped < 20; ++skipped) next_field(rest);
    unsigned threads = 0;
    if (!parse_number(next_field(rest), threads)) return false;
    next_field(rest);
    process.is_over = (process.state == 'Z' && threads <= 1) || process.state == 'X';
    process.descends = false;
    if (!parse_number(next_field(rest), process.started)) return false;
    std::uint64_t addresses = 0;
    if (!parse_number(next_field(rest), addresses)) return false;
    process.shows_memory = addresses > 0;
    return parse_number(next_field(rest), process.resident_pages);
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
        if (!parse_number((*entry)->name, id) || id == process.id) continue;
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
        if (!parse_number(entry->name, id)) continue;
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

}  // namespace paddock::sandbox
