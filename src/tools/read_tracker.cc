#include <paddock/read_tracker.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <list>
#include <map>
#include <mutex>

#include <paddock/limits.h>

#include "sys/io.h"

namespace paddock {
namespace {

// Content kept to show what changed since a file was read: of one file, and of all.
constexpr std::size_t kTrackedContentBytesMax = std::size_t{256} << 10;
constexpr std::size_t kTrackedBytesMax = std::size_t{16} << 20;

using Hash = std::pair<std::uint64_t, std::uint64_t>;
using Key = std::pair<std::uint64_t, std::uint64_t>;

Key key_of(const Identity& file) { return {file.device, file.inode}; }

}  // namespace

struct ReadTracker::Memory {
    struct Entry {
        std::optional<Key> file;  // absent: another file has taken its inode
        std::string path;
        Hash hash;
        std::optional<std::string> content;
    };
    using Entries = std::list<Entry>;  // the newest first

    // Seeded, so that no file's author can aim at a collision.
    Hash hash_of(std::string_view content) const {
        const auto hash = XXH3_128bits_withSeed(content.data(), content.size(), seed);
        return {hash.high64, hash.low64};
    }

    const Entry* by_file(const Identity& file) const {
        const auto it = files.find(key_of(file));
        return it == files.end() ? nullptr : &*it->second;
    }

    const Entry* by_path(std::string_view path) const {
        const auto it = paths.find(path);
        return it == paths.end() ? nullptr : &*it->second;
    }

    void forget(Entries::iterator entry) {
        if (entry->content) kept_bytes -= entry->content->size();
        if (entry->file) files.erase(*entry->file);
        paths.erase(entry->path);
        entries.erase(entry);
    }

    void renew(Entries::iterator entry, const Hash& hash, std::optional<std::string> content) {
        if (entry->content) kept_bytes -= entry->content->size();
        if (content) kept_bytes += content->size();
        entry->hash = hash;
        entry->content = std::move(content);
        entries.splice(entries.begin(), entries, entry);
        make_room();
    }

    // The same content of the same file once more: nothing but its turn is new.
    bool mark_again(const Identity& file, std::string_view path, const Hash& hash) {
        const std::lock_guard lock(mutex);
        const auto it = paths.find(path);
        if (it == paths.end() || it->second->file != key_of(file)) return false;
        if (it->second->hash != hash || !it->second->content) return false;
        entries.splice(entries.begin(), entries, it->second);
        return true;
    }

    void mark(const Identity& file, std::string_view path, const Hash& hash,
              std::optional<std::string> content) {
        const std::lock_guard lock(mutex);
        if (const auto it = paths.find(path); it != paths.end()) {
            if (it->second->file == key_of(file))
                return renew(it->second, hash, std::move(content));
            forget(it->second);
        }
        if (const auto it = files.find(key_of(file)); it != files.end()) it->second->file.reset();
        if (content) kept_bytes += content->size();
        entries.push_front({key_of(file), std::string(path), hash, std::move(content)});
        files[key_of(file)] = entries.begin();
        paths[entries.front().path] = entries.begin();
        make_room();
    }

    void make_room() {
        while (entries.size() > limits::kTrackedFilesMax) forget(std::prev(entries.end()));
        for (auto it = entries.rbegin(); kept_bytes > kTrackedBytesMax && it != entries.rend();
             ++it) {
            if (it->content) kept_bytes -= it->content->size();
            it->content.reset();
        }
    }

    mutable std::mutex mutex;
    std::uint64_t seed = 0;
    Entries entries;
    std::map<Key, Entries::iterator> files;
    std::map<std::string, Entries::iterator, std::less<>> paths;
    std::size_t kept_bytes = 0;
};

ReadTracker::ReadTracker() : memory_(std::make_unique<Memory>()) {
    if (const auto random = sys::random_u64()) memory_->seed = *random;
}

ReadTracker::~ReadTracker() = default;

void ReadTracker::mark_read(const Identity& file, std::string_view path, std::string_view content) {
    const Hash hash = memory_->hash_of(content);
    if (memory_->mark_again(file, path, hash)) return;
    std::optional<std::string> kept;
    if (content.size() <= kTrackedContentBytesMax) kept = content;
    memory_->mark(file, path, hash, std::move(kept));
}

struct ReadTracker::Passing::State {
    explicit State(std::uint64_t seed) {
        // Else the reset may take what an earlier state left in this memory for its own secret.
        XXH3_INITSTATE(&hash);
        XXH3_128bits_reset_withSeed(&hash, seed);
    }

    XXH3_state_t hash;
    std::optional<std::string> content{std::in_place};
};

ReadTracker::Passing::Passing(const ReadTracker& tracker)
    : state_(std::make_unique<State>(tracker.memory_->seed)) {}

ReadTracker::Passing::~Passing() = default;

void ReadTracker::Passing::add(std::string_view piece) {
    XXH3_128bits_update(&state_->hash, piece.data(), piece.size());
    auto& content = state_->content;
    if (!content) return;
    if (content->size() + piece.size() > kTrackedContentBytesMax) {
        content.reset();
    } else {
        *content += piece;
    }
}

void ReadTracker::mark_read(const Identity& file, std::string_view path, Passing&& content) {
    const auto hash = XXH3_128bits_digest(&content.state_->hash);
    memory_->mark(file, path, {hash.high64, hash.low64}, std::move(content.state_->content));
}

bool ReadTracker::has_been_read(const Identity& file, std::string_view path,
                                std::string_view content) const {
    const Hash hash = memory_->hash_of(content);
    const std::lock_guard lock(memory_->mutex);
    const Memory::Entry* const by_file = memory_->by_file(file);
    const Memory::Entry* const by_path = memory_->by_path(path);
    return (by_file != nullptr && by_file->hash == hash) ||
           (by_path != nullptr && by_path->hash == hash);
}

bool ReadTracker::knows_content(std::string_view content) const {
    const Hash hash = memory_->hash_of(content);
    const std::lock_guard lock(memory_->mutex);
    return std::any_of(memory_->entries.begin(), memory_->entries.end(),
                       [&](const Memory::Entry& entry) { return entry.hash == hash; });
}

std::optional<ReadTracker::Remembered> ReadTracker::last_read(std::string_view path) const {
    const std::lock_guard lock(memory_->mutex);
    const Memory::Entry* entry = memory_->by_path(path);
    if (entry == nullptr) return std::nullopt;
    return Remembered{entry->content};
}

}  // namespace paddock
