#include "search/found_files.h"

#include <algorithm>
#include <span>
#include <utility>

namespace paddock::search {

void FoundFiles::append(const FoundFiles& later, std::size_t count) {
    count = std::min(count, later.files_.size());
    for (File file : std::span(later.files_).first(count)) {
        file.begin += paths_.size();
        files_.push_back(file);
    }
    if (count > 0) paths_ += later.paths_;
}

void FoundFiles::keep_newest(std::size_t count) {
    std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) {
        return a.modified != b.modified ? a.modified > b.modified : a.begin < b.begin;
    });
    if (files_.size() <= count) return;
    FoundFiles kept;
    for (const File& file : std::span(files_).first(count)) {
        const std::string_view path = std::string_view(paths_).substr(file.begin, file.bytes);
        kept.add(file.type, file.modified, [&](std::string& text) { text += path; });
    }
    *this = std::move(kept);
}

std::size_t FoundFiles::bytes() const noexcept {
    return paths_.capacity() + files_.capacity() * sizeof(File);
}

FoundFile FoundFiles::operator[](std::size_t i) const noexcept {
    const File& file = files_[i];
    return {std::string_view(paths_).substr(file.begin, file.bytes), file.type, file.modified};
}

}  // namespace paddock::search
