// What one file gave, kept until it can be delivered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/grep.h"
#include "search/searcher.h"

namespace paddock::search {

// What is kept of a file's lines.
struct Wanted {
    GrepMode mode = GrepMode::kContent;
    std::uint64_t lines_max = UINT64_MAX;
    std::uint64_t lines_before = 0;  // that are only counted; the others come behind them
    std::size_t line_bytes_max = 0;
    const Matcher* matcher = nullptr;  // says which part of a longer line to keep
    std::size_t margin = 0;            // bytes around that part that are kept too
};

class FileResult final : public Sink {
public:
    explicit FileResult(const Wanted& wanted) : wanted_(&wanted) {}
    FileResult(const FileResult&) = delete;
    FileResult& operator=(const FileResult&) = delete;
    FileResult(FileResult&&) noexcept;
    FileResult& operator=(FileResult&&) noexcept;
    ~FileResult() override = default;

    Next line(const Line& line) override;
    void set_binary();

    // Adds what a later part of the same file gave, whose first line is number `newlines` + 1.
    void append(FileResult&& later, std::uint64_t newlines);

    // Context alone means that there was no room any more for the match that it belongs to.
    bool matched() const noexcept { return matches_ > 0 || !lines_.empty(); }
    bool full() const noexcept;  // more would not be kept

    // There may be more lines than are held of one file, and the failure that says so.
    bool overflowed() const noexcept;
    static Failure overflow() noexcept;

    std::uint64_t lines_before() const noexcept { return lines_before_; }  // met
    std::size_t bytes() const noexcept;
    GrepFile view(std::string_view path) const;

private:
    std::size_t shown_from(const Line& line) const;

    struct Kept {
        Line::Kind kind;
        std::uint64_t number;
        std::uint64_t bytes;
        std::size_t skipped;
        std::size_t begin;   // in text_, of the part with what is around it
        std::size_t before;  // bytes before the part
        std::size_t length;
        std::size_t length_around;
    };

    const Wanted* wanted_;
    bool binary_ = false;
    std::uint64_t matches_ = 0;
    std::uint64_t lines_before_ = 0;
    std::vector<Kept> lines_;
    std::string text_;
};

}  // namespace paddock::search
