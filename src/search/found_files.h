// Many paths with their times, in few blocks of memory: a search finds tens of thousands, on
// several threads, and a string for each would cost more than reading the directories. A block is
// filled by one thread and then handed on, never copied.
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
    // There is about to be added so much.
    void expect(std::size_t files, std::size_t path_bytes);

    // `write(text)` appends the path to `text`.
    template <class Write>
    void add(FileType type, std::chrono::nanoseconds modified, Write write) {
        if (blocks_.empty()) blocks_.emplace_back();
        std::string& block = blocks_.back();
        const std::size_t begin = block.size();
        write(block);
        const auto bytes = static_cast<std::uint32_t>(block.size() - begin);
        files_.push_back({modified, blocks_.size() - 1, begin, bytes, type});
    }

    // Those of `later`, at most `count` of them, behind the ones here.
    void append(FoundFiles&& later, std::size_t count);

    // Sorts by time, of equal ones the first that came first, and forgets all but the first
    // `count`.
    void keep_newest(std::size_t count);

    std::size_t size() const noexcept { return files_.size(); }
    std::size_t bytes() const noexcept;  // in memory
    FoundFile operator[](std::size_t i) const noexcept;

private:
    struct File {
        std::chrono::nanoseconds modified;
        std::size_t block;  // those that came later are in a later one, or further back
        std::size_t begin;
        std::uint32_t bytes;
        FileType type;
    };
    std::string_view path(const File& file) const noexcept {
        return std::string_view(blocks_[file.block]).substr(file.begin, file.bytes);
    }

    std::vector<std::string> blocks_;
    std::vector<File> files_;
};

}  // namespace paddock::search
