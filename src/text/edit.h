// Exact replacement of text in a file's content: the engine of edit_file.
//
// Matching happens as if every line ended with LF, in the content and in the strings; the lone CR
// is an ordinary byte. Only bytes that differ between old_string and new_string are replaced, so
// every other byte stays: CRLF, mixed endings, byte order mark, final newline. A newline that comes
// in takes the ending of the line that it replaces, else of the nearest line.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/error.h>

#include "text/lines.h"

namespace paddock::text {

// Views of a line with some differences left out: what people and models get wrong when they copy
// text. For finding a place only; what is written is never folded.

// Without blanks, tabs and CR at the end; at both ends.
std::string_view trim_end(std::string_view line) noexcept;
std::string_view trim(std::string_view line) noexcept;

// Typographic quotes, dashes, spaces and the ellipsis as ASCII; zero-width characters dropped.
std::string fold_punctuation(std::string_view text);

// Every run of blanks and tabs as one blank, none at the start or end of a line.
std::string fold_blanks(std::string_view text);

// No blanks and tabs at the end of any line.
std::string fold_line_ends(std::string_view text);

// ASCII letters in lower case.
std::string fold_case(std::string_view text);

// Where in a text the lines may be that somebody was looking for and did not find.
//
// A hint for a message, never a place to write to. Lines are compared without white space, quotes,
// dashes and case; the block with the most such lines in the right order wins, else the line that
// shares most of its letter triples with the longest wanted one. Time grows with the size of the
// text, not with the product.
struct Block {
    std::size_t first = 0;  // line, from 0
    std::size_t count = 0;
};

// Nothing if no block is similar enough to be of help.
std::optional<Block> closest_block(const Lines& content, const Lines& wanted);

// A heading and a short diff from `wanted` to the closest block of `content`; empty if there is
// none. Both with LF endings. At most about kClosestBytesMax bytes.
std::string show_closest(std::string_view content, std::string_view wanted);

// Why a text was not found in a file, for whoever wrote it: likely causes and the closest place.
// `content` and `wanted` with LF endings, `wanted` not in `content`; `original` is the file before
// earlier edits of the same call. A few sentences and a short diff; never empty.
std::string explain_miss(std::string_view content, std::string_view wanted,
                         std::string_view original);

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
