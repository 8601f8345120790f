// Where in a text the lines may be that somebody was looking for and did not find.
//
// A hint for a message, never a place to write to. Lines are compared without white space, quotes,
// dashes and case; the block with the most such lines in the right order wins, else the line that
// shares most of its letter triples with the longest wanted one. Time grows with the size of the
// text, not with the product.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "text/lines.h"

namespace paddock::text {

struct Block {
    std::size_t first = 0;  // line, from 0
    std::size_t count = 0;
};

// Nothing if no block is similar enough to be of help.
std::optional<Block> closest_block(const Lines& content, const Lines& wanted);

// A heading and a short diff from `wanted` to the closest block of `content`; empty if there is
// none. Both with LF endings. At most about kClosestBytesMax bytes.
std::string show_closest(std::string_view content, std::string_view wanted);

}  // namespace paddock::text
