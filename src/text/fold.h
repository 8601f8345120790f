// Views of a line with some differences left out: what people and models get wrong when they copy
// text. For finding a place only; what is written is never folded.
#pragma once

#include <string>
#include <string_view>

namespace paddock::text {

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

}  // namespace paddock::text
