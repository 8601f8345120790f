#include "sandbox/sysv_objects.h"

#include <array>

#include "sys/memory.h"

namespace paddock::sandbox {
namespace {

constexpr std::uint64_t kObjectBytes = 512;
constexpr std::uint64_t kSemaphoreBytes = 64;
constexpr std::uint64_t kQueuedMessageBytes = 64;  // beyond its text

constexpr std::array<const char*, 3> kFiles{"sysvipc/shm", "sysvipc/sem", "sysvipc/msg"};

// Key, id and permissions begin every line; the first line has names.
bool parse_object(std::string_view line, SysvObject& object) {
    using Kind = SysvObject::Kind;
    if (next_word(line) == "key") return false;
    object.id = next_number<int>(line);
    object.owner = 0;
    next_word(line);  // permissions
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
    next_word(line);  // size
    object.owner = next_number<pid_t>(line);
    next_word(line);  // who attached last
    if (next_number<std::uint64_t>(line) > 0) return false;
    for (int skipped = 0; skipped < 7; ++skipped) next_word(line);  // users, groups, times
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

}  // namespace paddock::sandbox
