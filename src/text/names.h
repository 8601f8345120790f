// Names of files for people and models: how they are shown, and which one was most likely meant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::text {

// How names are shown to models and people so that they can be given back: plain ones verbatim, the
// others in double quotes with C escapes, exactly as git prints them: "a\377b\t".
//
// The form is exact both ways. A name is quoted if it is not UTF-8 or holds a control character, a
// double quote, a backslash, or a character that is invisible or reorders text; and, unlike git's,
// if in a list it would read as something else: with a space at the beginning or end of a
// component, two spaces in a row, or " -> ". A text is taken as
// quoted only if it is letter for letter what quote_if_needed prints; "foo.txt" with the quotes is
// therefore a name that holds two quotes.

std::string quote_if_needed(std::string_view name);

// For a name of unknown origin inside of a sentence: quoted also if it holds a single quote, a
// bracket or one of `also`, by which it could read as a part of the sentence. Only to be shown.
std::string quote_in_sentence(std::string_view name, std::string_view also = {});

// The name of which `text` is the quoted form; nothing if it is none, so that `text` itself is the
// name: unquote(t).value_or(t). A name with a NUL byte has no quoted form that is accepted.
std::optional<std::string> unquote(std::string_view text);

// What `text`, the inside of double quotes, means by git's escapes; nothing if one is malformed or
// stands for NUL. Takes more than quote_if_needed prints.
std::optional<std::string> unescape(std::string_view text);

// The names that somebody most likely meant.
// The word that was most likely meant; empty if none is near. A word is near if a third of its
// letters (one at least, eight at most) would have to change, or if it begins with what was typed.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& valid);

// Up to `most` names of files, nearest first: the same but for case; the same stem with another
// extension; with so many other letters as above, in the stem too; one stem beginning with the
// other, if that is not much shorter.
// Equal ranks keep the order of `candidates`. Never `wanted` itself.
std::vector<std::string> similar_names(std::string_view wanted,
                                       std::span<const std::string> candidates, std::size_t most);

}  // namespace paddock::text
