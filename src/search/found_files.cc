#include "search/found_files.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>
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
    const auto comes_first = [](const File& a, const File& b) {
        return std::tie(b.modified, a.block, a.begin) < std::tie(a.modified, b.block, b.begin);
    };
    // As they are after a fresh checkout, or from an archive.
    if (!std::is_sorted(files_.begin(), files_.end(), comes_first)) {
        std::sort(files_.begin(), files_.end(), comes_first);
    }
    if (files_.size() <= count) return;
    FoundFiles kept;
    for (const File& file : std::span(files_).first(count)) {
        kept.add(file.type, file.modified, [&](std::string& text) { text += path(file); });
    }
    *this = std::move(kept);
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
