// Exact replacement of text in a file's content: the engine of edit_file.
//
// Matching happens as if every line ended with LF, in the content and in the strings; the lone CR
// is an ordinary byte. Only bytes that differ between old_string and new_string are replaced, so
// every other byte stays: CRLF, mixed endings, byte order mark, final newline. A newline that comes
// in takes the ending of the line that it replaces, else of the nearest line.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/error.h>

namespace paddock::text {

struct Edit {
    std::string_view old_string;
    std::string_view new_string;
    bool replace_all = false;
};

// What one edit replaced, in the content that it saw.
struct Replaced {
    std::size_t count = 0;
    std::vector<std::size_t> lines;  // 1-based, of the first kLineNumbersMax matches
};

struct Edited {
    std::string content;
    std::vector<Replaced> edits;  // as many as were asked for
};

struct EditFailure {
    Code code = Code::kInternal;
    std::size_t edit = 0;                 // which one, from 0
    std::size_t matches = 0;              // ambiguous_match: how many, kMatchesCountedMax at most
    std::vector<std::size_t> lines = {};  // ambiguous_match: where, 1-based, the first ones
    std::string detail = {};              // what is wrong and what to do
};

// Applies all edits in order, each to the result of the one before, or none. Errors:
//   no_match          old_string is not there; detail has likely causes and the closest place
//   ambiguous_match   it is there more than once (overlaps count) and replace_all is not set
//   invalid_argument  no edits, an empty old_string, old_string and new_string equal
//   too_large, limit_reached   content or result above kTextBytesMax, more than kEditsMax edits
//   cancelled         `is_over`, which is asked before each of them, says so
tl::expected<Edited, EditFailure> apply_edits(std::string_view content, std::span<const Edit> edits,
                                              const std::function<bool()>& is_over = {});

}  // namespace paddock::text
