#include "search/found_files.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace paddock::search {

void FoundFiles::expect(std::size_t files, std::size_t path_bytes) {
    files_.reserve(files_.size() + files);
    blocks_.emplace_back().reserve(path_bytes);
}

void FoundFiles::append(FoundFiles&& later, std::size_t count) {
    count = std::min(count, later.files_.size());
    if (count == 0) return;
    for (File file : std::span(later.files_).first(count)) {
        file.block += blocks_.size();
        files_.push_back(file);
    }
    std::move(later.blocks_.begin(), later.blocks_.end(), std::back_inserter(blocks_));
}

void FoundFiles::keep_newest(std::size_t count) {
    struct Key {  // moves more quickly than a file
        std::chrono::nanoseconds modified;
        std::size_t index;
    };
    std::vector<Key> keys;
    keys.reserve(files_.size());
    for (const File& file : files_) keys.push_back({file.modified, keys.size()});
    // Most are of the same time after a fresh checkout, or from an archive.
    std::stable_sort(keys.begin(), keys.end(),
                     [](const Key& a, const Key& b) { return a.modified > b.modified; });
    if (keys.size() > count) {
        FoundFiles kept;
        for (const Key& key : std::span(keys).first(count)) {
            const File& file = files_[key.index];
            kept.add(file.type, file.modified, [&](std::string& text) { text += path(file); });
        }
        *this = std::move(kept);
        return;
    }
    std::vector<File> sorted;
    sorted.reserve(keys.size());
    for (const Key& key : keys) sorted.push_back(files_[key.index]);
    files_ = std::move(sorted);
}

std::size_t FoundFiles::bytes() const noexcept {
    std::size_t bytes = files_.capacity() * sizeof(File);
    for (const std::string& block : blocks_) bytes += sizeof(std::string) + block.capacity();
    return bytes;
}

FoundFile FoundFiles::operator[](std::size_t i) const noexcept {
    const File& file = files_[i];
    return {path(file), file.type, file.modified};
}

}  // namespace paddock::search
