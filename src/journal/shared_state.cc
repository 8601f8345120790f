#include "journal/shared_state.h"

#include <array>
#include <cstddef>
#include <new>

#include <paddock/limits.h>

namespace paddock::journal {

// Zeroed memory is an empty one. The calls are stored one higher, so that call 0 is known too.
struct SharedState::Entry {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint32_t> made;
    std::atomic<std::uint32_t> copied;
};

struct SharedState::Table {
    Counters counters;
    std::array<Entry, limits::kJournalInodesMax> entries;
};

namespace {

// Places that are looked at for one inode. At a load of seven eighths 32 are nearly always enough.
constexpr std::size_t kProbesMax = 32;

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

// 0: it cannot be told from one that takes over its number.
std::uint64_t key_of(const Stat& stat) {
    const auto birth = static_cast<std::uint64_t>(stat.created.count());
    if (birth == 0) return 0;
    const std::uint64_t key =
        mixed(mixed(mixed(stat.identity.device) + stat.identity.inode) + birth);
    return key == 0 ? 1 : key;
}

}  // namespace

Outcome<SharedState> SharedState::make() {
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    PADDOCK_ASSIGN(memory, sys::Memory::map_shared(sizeof(Table)));
    return SharedState(std::move(memory));
}

SharedState::Table& SharedState::table() const noexcept {
    return *std::launder(static_cast<Table*>(memory_.get()));
}

SharedState::Counters& SharedState::counters() const noexcept { return table().counters; }

const SharedState::Entry* SharedState::find(const Stat& stat) const noexcept {
    const std::uint64_t key = key_of(stat);
    if (key == 0) return nullptr;
    for (std::size_t i = 0; i < kProbesMax; ++i) {
        const Entry& entry = table().entries[(key + i) % limits::kJournalInodesMax];
        const std::uint64_t found = entry.key.load(std::memory_order_acquire);
        if (found == key) return &entry;
        if (found == 0) return nullptr;
    }
    return nullptr;
}

SharedState::Entry* SharedState::find_or_add(const Stat& stat) noexcept {
    const std::uint64_t key = key_of(stat);
    if (key == 0) return nullptr;
    for (std::size_t i = 0; i < kProbesMax; ++i) {
        Entry& entry = table().entries[(key + i) % limits::kJournalInodesMax];
        std::uint64_t found = 0;
        if (entry.key.compare_exchange_strong(found, key) || found == key) return &entry;
    }
    return nullptr;
}

void SharedState::note_made(const Stat& stat, std::uint32_t call) noexcept {
    if (Entry* entry = find_or_add(stat)) entry->made.store(call + 1, std::memory_order_release);
}

void SharedState::note_copied(const Stat& stat, std::uint32_t call) noexcept {
    if (Entry* entry = find_or_add(stat)) entry->copied.store(call + 1, std::memory_order_release);
}

bool SharedState::is_made(const Stat& stat) const noexcept {
    const Entry* entry = find(stat);
    return entry != nullptr && entry->made.load(std::memory_order_acquire) != 0;
}

bool SharedState::is_made_by(const Stat& stat, std::uint32_t call) const noexcept {
    const Entry* entry = find(stat);
    return entry != nullptr && entry->made.load(std::memory_order_acquire) == call + 1;
}

bool SharedState::is_copied(const Stat& stat) const noexcept {
    const Entry* entry = find(stat);
    return entry != nullptr && entry->copied.load(std::memory_order_acquire) != 0;
}

bool SharedState::is_copied_by(const Stat& stat, std::uint32_t call) const noexcept {
    const Entry* entry = find(stat);
    return entry != nullptr && entry->copied.load(std::memory_order_acquire) == call + 1;
}

}  // namespace paddock::journal
