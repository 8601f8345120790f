// A patch text, line by line: what its grammars share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "text/lines.h"
#include "text/patch.h"

namespace paddock::text {

class PatchReader {
public:
    explicit PatchReader(std::string_view text) : lines_(text), end_(lines_.size()) {}

    bool done(std::size_t ahead = 0) const noexcept { return at_ + ahead >= end_; }
    std::size_t number() const noexcept { return at_ + 1; }
    void skip(std::size_t count = 1) noexcept { at_ += count; }

    // The line `ahead` of the current one without its ending; empty beyond the end.
    std::string_view line(std::size_t ahead = 0) const noexcept {
        return done(ahead) ? std::string_view() : body_of(lines_[at_ + ahead]);
    }
    bool starts_with(std::string_view beginning, std::size_t ahead = 0) const noexcept {
        return line(ahead).starts_with(beginning);
    }

    // The patch ends before this line, 0-based.
    void end_at(std::size_t line) noexcept { end_ = line; }
    std::size_t end() const noexcept { return end_; }

    // Takes the ending of the current line for that of the whole patch: if it is CRLF, a CR at the
    // end of a hunk's line is no part of the file either.
    void learn_ending() noexcept { crlf_ = ending_of(lines_[at_]) == "\r\n"; }

    // The current line without LF, with the CR if that belongs to the file.
    std::string_view file_line() const noexcept {
        const std::string_view line = lines_[at_];
        if (crlf_) return body_of(line);
        return line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0));
    }

    PatchFailure malformed(std::string_view what) const {
        return {
            .code = Code::kInvalidArgument,
            .patch_line = number(),
            .detail = "line " + std::to_string(number()) + " of the patch: " + std::string(what)};
    }

private:
    Lines lines_;
    std::size_t at_ = 0;
    std::size_t end_;
    bool crlf_ = false;
};

}  // namespace paddock::text
