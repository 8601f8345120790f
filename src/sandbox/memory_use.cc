#include "sandbox/memory_use.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "sandbox/processes.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/memory.h"
#include "sys/process.h"

namespace paddock::sandbox {
namespace {

constexpr std::uint64_t kObjectBytes = 512;
constexpr std::uint64_t kSemaphoreBytes = 64;
constexpr std::uint64_t kQueuedMessageBytes = 64;  // beyond its text

constexpr std::array<const char*, 3> kFiles{"sysvipc/shm", "sysvipc/sem", "sysvipc/msg"};

// Key, id and permissions begin every line; the first line has names.
bool parse_object(std::string_view line, SysvObject& object) {
    using Kind = SysvObject::Kind;
    if (sys::next_word(line) == "key") return false;
    object.id = next_number<int>(line);
    object.owner = 0;
    sys::next_word(line);  // permissions
    if (object.kind == Kind::kSemaphores) {
        object.bytes = kObjectBytes + next_number<std::uint64_t>(line) * kSemaphoreBytes;
        return true;
    }
    if (object.kind == Kind::kQueue) {
        object.bytes = kObjectBytes + next_number<std::uint64_t>(line);
        object.bytes += next_number<std::uint64_t>(line) * kQueuedMessageBytes;
        object.owner = next_number<pid_t>(line);
        return true;
    }
    sys::next_word(line);  // size
    object.owner = next_number<pid_t>(line);
    sys::next_word(line);  // who attached last
    if (next_number<std::uint64_t>(line) > 0) return false;
    for (int skipped = 0; skipped < 7; ++skipped) sys::next_word(line);  // users, groups, times
    object.bytes = next_number<std::uint64_t>(line);
    object.bytes += next_number<std::uint64_t>(line);  // in swap
    return true;
}

}  // namespace

bool SysvObjects::next(SysvObject& object) {
    for (;;) {
        if (!lines_) {
            if (next_kind_ == kFiles.size()) return false;
            lines_.emplace(proc_, kFiles[next_kind_++]);
        }
        object.kind = static_cast<SysvObject::Kind>(next_kind_ - 1);
        for (std::string_view line; lines_->next(line);) {
            if (parse_object(line, object)) return true;
        }
        lines_.reset();
    }
}

std::uint64_t sysv_bytes(int proc) {
    std::uint64_t bytes = 0;
    SysvObjects objects(proc);
    for (SysvObject object; objects.next(object);) bytes += object.bytes;
    return bytes;
}

Done remove_object(const SysvObject& object) {
    switch (object.kind) {
        case SysvObject::Kind::kSegment: return sys::remove_shared_segment(object.id);
        case SysvObject::Kind::kSemaphores: return sys::remove_semaphores(object.id);
        case SysvObject::Kind::kQueue: return sys::remove_queue(object.id);
    }
    return {};
}

std::uint32_t remove_all_objects(int proc) {
    std::uint32_t removed = 0;
    SysvObjects objects(proc);
    for (SysvObject object; objects.next(object);) {
        if (remove_object(object)) ++removed;
    }
    return removed;
}

namespace {

constexpr std::uint64_t kKilobyte = 1024;

// A mapping in the kernel, with its part of the tree that holds it.
constexpr std::uint64_t kMappingBytes = 256;

// For one file of one process: a process may have as many mappings and descriptors as it likes.
class FilePatience {
public:
    bool is_over() noexcept {
        constexpr unsigned kAsked = 256;
        constexpr std::clock_t kMost = CLOCKS_PER_SEC / 50;
        return ++count_ % kAsked == 0 && std::clock() - began_ > kMost;
    }

private:
    const std::clock_t began_ = std::clock();
    unsigned count_ = 0;
};

// "<id>/<name>" in /proc.
class ProcessFile {
public:
    ProcessFile(pid_t id, std::string_view name) {
        char* end = std::to_chars(path_, path_ + 16, id).ptr;
        *end++ = '/';
        *std::copy(name.begin(), name.end(), end) = '\0';
    }
    const char* path() const noexcept { return path_; }

private:
    char path_[48];
};

struct MemoryField {
    std::string_view name;  // with its colon
    std::uint64_t bytes = 0;
};

// "Name:   12 kB" for each of `fields` that the file has. False: it has none.
bool read_fields(int proc, const char* path, std::span<MemoryField> fields) {
    KernelLines lines(proc, path);
    bool has_any = false;
    for (std::string_view line; lines.next(line);) {
        const std::string_view name = sys::next_word(line);
        for (MemoryField& field : fields) {
            if (field.name != name) continue;
            field.bytes = next_number<std::uint64_t>(line) * kKilobyte;
            has_any = true;
        }
    }
    return has_any;
}

std::uint64_t mappings_max(int proc) {
    constexpr std::uint64_t kDefault = 65530;
    std::uint64_t most = 0;
    std::string_view line;
    KernelLines lines(proc, "sys/vm/max_map_count");
    return lines.next(line) && sys::parse_number(line, most) ? most : kDefault;
}

// The bound, if it takes long to count them.
std::uint64_t mapping_bytes(int proc, const SeenProcess& process) {
    KernelLines lines(proc, ProcessFile(process.memory_shown_by, "maps").path());
    FilePatience patience;
    std::uint64_t count = 0;
    for (std::string_view line; lines.next(line); ++count) {
        if (patience.is_over()) return process.mapping_bytes;
    }
    return count == 0 ? process.mapping_bytes : count * kMappingBytes;
}

SeenProcess* find_living(ProcessTable& table, pid_t id) {
    SeenProcess* const process = table.find(id);
    return process == nullptr || process->is_over ? nullptr : process;
}

// Has it the memory of another process that was counted in this pass? Between fork and exec some
// children borrow that of their parent. Two threads that have none are the same to the kernel: this
// one has some, if it shows some afterwards.
bool borrows_counted_pages(int proc, const SeenProcess& process, const SeenProcess& other) {
    if (other.pages != SeenProcess::Pages::kCounted) return false;
    if (!sys::have_same_memory(process.memory_shown_by, other.memory_shown_by)) return false;
    const auto still = look_at_process(proc, process.memory_shown_by);
    return still && still->shows_memory;
}

}  // namespace

bool may_hold_more(int proc, const ProcessTable& table, std::uint64_t bytes, bool own_objects) {
    std::array<MemoryField, 5> host{
        {{"Shmem:"}, {"SwapTotal:"}, {"SwapFree:"}, {"PageTables:"}, {"SUnreclaim:"}}};
    if (!read_fields(proc, "meminfo", host)) return true;
    const auto [shared, swap, free_swap, page_tables, objects] = host;
    std::uint64_t sum = shared.bytes + page_tables.bytes + objects.bytes;
    sum += swap.bytes - std::min(swap.bytes, free_swap.bytes);
    if (own_objects) sum += sysv_bytes(proc);
    const std::uint64_t page = sys::page_bytes();
    for (const SeenProcess& process : table.seen()) {
        if (!process.descends || process.is_over) continue;
        if (!process.shows_memory) return true;  // other threads of it may live
        sum += process.resident_pages * page;
    }
    return sum > bytes;
}

Done MemoryUse::begin(int proc, sys::DirReader& reader, pid_t ancestor, std::uint64_t limit,
                      bool own_objects) {
    phase_ = Phase::kDone;
    PADDOCK_TRY(table_.scan(proc, reader));
    table_.mark_descendants(ancestor);
    std::array<MemoryField, 1> shared{{{"Shmem:"}}};
    (void)read_fields(proc, "meminfo", shared);
    unseen_memfds_ = shared[0].bytes;
    mappings_max_ = mappings_max(proc);
    own_objects_ = own_objects;
    limit_ = limit;
    total_ = abandoned_bytes_ = unowned_bytes_ = 0;
    memfd_count_ = next_ = 0;
    began_ = Clock::now();
    work_ = {};
    processor_time_ = 0;
    phase_ = Phase::kBounds;
    return {};
}

bool MemoryUse::go_on(int proc, sys::DirReader& reader, Clock::time_point until) {
    const Clock::time_point begin = Clock::now();
    while (is_under_way() && Clock::now() < until) {
        const std::clock_t before = std::clock();
        step(proc, reader);
        processor_time_ += std::clock() - before;
    }
    const bool is_first = work_ == Clock::duration::zero();
    work_ += Clock::now() - begin;
    if (is_under_way()) return false;
    if (!is_first && exceeds_limit()) forget_ended(proc);
    return true;
}

// Between slices somebody may have been ended for it: nobody else is to be blamed.
void MemoryUse::forget_ended(int proc) noexcept {
    for (SeenProcess& process : table_.seen()) {
        if (!process.descends || process.is_over) continue;
        const auto now = look_at_process(proc, process.id);
        if (now && !now->is_over && now->started == process.started) continue;
        total_ -= process.memory_bytes;
        process.memory_bytes = 0;
    }
}

// A busy machine is no reason to give up early: what counts is the work.
bool MemoryUse::is_out_of_time() const noexcept {
    constexpr std::chrono::milliseconds kWork{400};
    constexpr std::chrono::seconds kTime{4};  // where the kernel makes it wait
    constexpr std::clock_t kPerMillisecond = CLOCKS_PER_SEC / 1000;
    return processor_time_ > kWork.count() * kPerMillisecond || Clock::now() - began_ > kTime;
}

void MemoryUse::step(int proc, sys::DirReader& reader) {
    const std::span<SeenProcess> seen = table_.seen();
    while (next_ < seen.size() && (!seen[next_].descends || seen[next_].is_over)) ++next_;
    if (next_ == seen.size()) return end_phase(proc);
    SeenProcess& process = seen[next_++];
    if (phase_ == Phase::kBounds) return bound(proc, reader, process);
    if (phase_ == Phase::kShares) count_family(proc, process);
    if (phase_ == Phase::kMemfdPages && process.shared_bytes > 0) {
        const std::uint64_t counted = std::min(process.shared_bytes, memfd_pages(proc, process));
        replace(process, process.page_bytes, process.page_bytes - counted);
    }
    if (!exceeds_limit() || is_out_of_time()) phase_ = Phase::kDone;
}

void MemoryUse::end_phase(int proc) noexcept {
    next_ = 0;
    if (phase_ == Phase::kBounds) {
        if (own_objects_) count_objects(proc);
        total_ = table_.marked_memory() + abandoned_bytes_ + unowned_bytes_;
        phase_ = exceeds_limit() && !is_out_of_time() ? Phase::kShares : Phase::kDone;
    } else {
        const bool is_last = phase_ == Phase::kMemfdPages || memfd_count_ == 0;
        phase_ = is_last ? Phase::kDone : Phase::kMemfdPages;
    }
}

std::uint64_t MemoryUse::of_left(pid_t ancestor, std::span<const pid_t> leaders) noexcept {
    table_.mark_descendants(ancestor, leaders);
    return table_.marked_memory() + abandoned_bytes_;
}

SeenProcess* MemoryUse::find_marked(pid_t id) noexcept {
    SeenProcess* const process = find_living(table_, id);
    return process == nullptr || !process->descends ? nullptr : process;
}

void MemoryUse::replace(SeenProcess& process, std::uint64_t& part, std::uint64_t by) noexcept {
    process.memory_bytes += by - part;
    total_ += by - part;
    part = by;
}

// As if it shared nothing.
void MemoryUse::bound(int proc, sys::DirReader& reader, SeenProcess& process) {
    process.pages = SeenProcess::Pages::kNotShown;
    process.memory_bytes = process.shared_bytes = 0;
    process.memory_shown_by = thread_with_memory(proc, process, reader);
    count_memfds(proc, reader, process);
    std::array<MemoryField, 5> shown{
        {{"RssAnon:"}, {"RssShmem:"}, {"VmSwap:"}, {"VmPTE:"}, {"VmSize:"}}};
    if (!read_fields(proc, ProcessFile(process.memory_shown_by, "status").path(), shown)) return;
    const auto [own, shared, swapped, tables, addresses] = shown;
    process.pages = SeenProcess::Pages::kBounded;
    process.page_bytes = own.bytes + shared.bytes + swapped.bytes;
    process.table_bytes = tables.bytes;
    const std::uint64_t mappings = std::min(mappings_max_, addresses.bytes / sys::page_bytes());
    process.mapping_bytes = mappings * kMappingBytes;
    process.memory_bytes += process.page_bytes + process.table_bytes + process.mapping_bytes;
}

bool MemoryUse::is_known(const Identity& memfd) const noexcept {
    const auto end = memfds_.begin() + static_cast<long>(memfd_count_);
    return std::find(memfds_.begin(), end, memfd) != end;
}

// Those that do not fit are counted for each descriptor.
bool MemoryUse::remember(const Identity& memfd) noexcept {
    if (is_known(memfd)) return false;
    if (memfd_count_ < memfds_.size()) memfds_[memfd_count_++] = memfd;
    return true;
}

// Where nobody looks there can be as many as all processes of the host share.
void MemoryUse::count_memfds(int proc, sys::DirReader& reader, SeenProcess& process) {
    if (!is_out_of_time() && add_memfds(proc, reader, process)) return;
    process.memory_bytes += std::exchange(unseen_memfds_, 0);
}

// A memfd holds its pages while it is open, mapped or not. Reading the link in /proc asks no file
// system, so a file system that hangs does not hold up the count. False: there are too many
// descriptors.
bool MemoryUse::add_memfds(int proc, sys::DirReader& reader, SeenProcess& process) {
    constexpr std::string_view kMemfd = "/memfd:";
    const auto opened = sys::openat(proc, ProcessFile(process.memory_shown_by, "fd").path(),
                                    O_RDONLY | O_DIRECTORY);
    if (!opened) return true;
    reader.reset();
    for (FilePatience patience; !patience.is_over();) {
        const auto entry = reader.next(opened->get());
        if (!entry || *entry == nullptr) return true;
        std::array<char, kMemfd.size()> start;
        const auto size = sys::read_link_at(opened->get(), (*entry)->name, start);
        if (!size || std::string_view(start.data(), *size) != kMemfd) continue;
        const auto held = sys::space_behind(opened->get(), (*entry)->name);
        if (held && held->bytes > 0 && remember(held->identity))
            process.memory_bytes += held->bytes;
    }
    return false;
}

// A parent comes before its children, also where its number is higher.
void MemoryUse::count_family(int proc, SeenProcess& process) {
    while (process.pages == SeenProcess::Pages::kBounded) {
        SeenProcess* next = &process;
        for (;;) {
            SeenProcess* const parent = find_marked(next->parent);
            if (parent == nullptr || parent->id < next->id ||
                parent->pages != SeenProcess::Pages::kBounded) {
                break;
            }
            next = parent;
        }
        count_shares(proc, *next);
    }
}

void MemoryUse::count_shares(int proc, SeenProcess& process) {
    process.pages = SeenProcess::Pages::kCounted;
    const SeenProcess* const parent = find_marked(process.parent);
    if (parent != nullptr && borrows_counted_pages(proc, process, *parent)) {
        for (std::uint64_t* part :
             {&process.page_bytes, &process.table_bytes, &process.mapping_bytes}) {
            replace(process, *part, 0);
        }
        return;
    }
    replace(process, process.mapping_bytes, mapping_bytes(proc, process));
    std::array<MemoryField, 3> shares{{{"Pss_Anon:"}, {"Pss_Shmem:"}, {"SwapPss:"}}};
    const ProcessFile rollup(process.memory_shown_by, "smaps_rollup");
    if (!read_fields(proc, rollup.path(), shares)) return;
    const auto [own, shared, swapped] = shares;
    process.shared_bytes = shared.bytes;
    replace(process, process.page_bytes, own.bytes + shared.bytes + swapped.bytes);
}

// Of its pages: those of memfds that were counted by a descriptor, as far as there is time to look.
std::uint64_t MemoryUse::memfd_pages(int proc, const SeenProcess& process) const {
    KernelLines lines(proc, ProcessFile(process.memory_shown_by, "smaps").path());
    std::uint64_t bytes = 0;
    bool is_of_memfd = false;
    FilePatience patience;
    for (std::string_view line; lines.next(line) && !patience.is_over();) {
        const bool is_field = line.starts_with("Pss:");
        const std::string_view first = sys::next_word(line);
        if (is_field) {
            if (is_of_memfd) bytes += next_number<std::uint64_t>(line) * kKilobyte;
        } else if (first.find('-') != first.npos) {
            // A mapping: addresses, permissions, offset, device, inode, path.
            for (int skipped = 0; skipped < 2; ++skipped) sys::next_word(line);
            const std::string_view device = sys::next_word(line);
            const std::size_t colon = std::min(device.find(':'), device.size());
            unsigned major = 0;
            unsigned minor = 0;
            std::from_chars(device.data(), device.data() + colon, major, 16);
            if (colon < device.size()) {
                std::from_chars(device.data() + colon + 1, device.data() + device.size(), minor,
                                16);
            }
            is_of_memfd =
                is_known({gnu_dev_makedev(major, minor), next_number<std::uint64_t>(line)});
        }
    }
    return bytes;
}

// Segments that somebody is attached to are among the pages of that process.
void MemoryUse::count_objects(int proc) {
    SysvObjects objects(proc);
    for (SysvObject object; objects.next(object);) {
        const bool is_segment = object.kind == SysvObject::Kind::kSegment;
        SeenProcess* const owner = find_marked(object.owner);
        std::uint64_t& nobody = is_segment ? abandoned_bytes_ : unowned_bytes_;
        (owner != nullptr ? owner->memory_bytes : nobody) += object.bytes;
    }
}

std::uint32_t remove_abandoned_segments(int proc, ProcessTable& table) {
    std::uint32_t removed = 0;
    SysvObjects objects(proc);
    for (SysvObject object; objects.next(object);) {
        if (object.kind != SysvObject::Kind::kSegment) continue;
        if (find_living(table, object.owner) != nullptr) continue;
        if (remove_object(object)) ++removed;
    }
    return removed;
}

}  // namespace paddock::sandbox
