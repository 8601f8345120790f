// Many paths with their times, in two blocks of memory: a search finds tens of thousands, on
// several threads, and a string for each would cost more than reading the directories.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>

namespace paddock::search {

struct FoundFile {
    std::string_view path;  // relative to the root; valid until the list changes
    FileType type = FileType::kUnknown;
    std::chrono::nanoseconds modified{};  // 0 where no times were asked for
};

class FoundFiles {
public:
    // `write(text)` appends the path to `text`.
    template <class Write>
    void add(FileType type, std::chrono::nanoseconds modified, Write write) {
        const std::size_t begin = paths_.size();
        write(paths_);
        const auto bytes = static_cast<std::uint32_t>(paths_.size() - begin);
        files_.push_back({modified, begin, bytes, type});
    }

    // Those of `later`, at most `count` of them, behind the ones here.
    void append(const FoundFiles& later, std::size_t count);

    // Sorts by time, of equal ones the first that came first, and forgets all but the first
    // `count`.
    void keep_newest(std::size_t count);

    std::size_t size() const noexcept { return files_.size(); }
    std::size_t bytes() const noexcept;  // in memory
    FoundFile operator[](std::size_t i) const noexcept;

private:
    struct File {
        std::chrono::nanoseconds modified;
        std::size_t begin;  // in paths_; those that came later are further back
        std::uint32_t bytes;
        FileType type;
    };

    std::string paths_;
    std::vector<File> files_;
};

}  // namespace paddock::search
