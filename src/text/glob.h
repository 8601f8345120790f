// Path globs, as people and models write them: "*.c", "src/**/*.{cc,h}", "**/test_?.py".
//
//   ?  *        one character; any number of them; never "/"
//   **          as a whole name: any number of directories (path_pattern.h)
//   [a-z] [!a]  a character of a set, see char_class.h; "[^a]" is "[!a]"
//   {a,b/c,}    one of these; may be nested, empty and hold slashes
//   \x          the character x
//
// A final "/" asks for a directory. "./" at the start and "." and empty names are dropped, ".."
// takes back the name before it. Dots, "-" and "!" at the start mean nothing special.
//
// A Glob cannot leave the root: what is absolute or climbs out lexically, in any alternative, is
// refused as path_escape, and so is ".." after "**". Only ".." itself (or escaped, "\.\.") climbs;
// "[.][.]" and "@(..)" are patterns for names, and since no walk ever meets the name "..", they
// lead nowhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "text/path_pattern.h"

namespace paddock::text {

struct GlobOptions {
    bool ignore_case = false;  // ASCII letters
    bool any_depth = false;    // a pattern without "/" (one at the end aside) matches at any depth
};

class Glob {
public:
    // Errors: path_escape; limit_reached (kGlob... in limits.h); invalid_argument for a pattern
    // that is empty, holds a NUL byte, or is malformed, with the reason. Bytes that are not UTF-8
    // match themselves.
    static Outcome<Glob> compile(std::string_view pattern, GlobOptions options = {});

    // `path` is relative to the root, normalised, without a final slash.
    bool matches(std::string_view path, bool is_directory) const noexcept;

    // Matches the path, taken for a directory, or one above it.
    bool covers(std::string_view path) const noexcept;

    // False if nothing below `directory` (empty: the root) can match: a walk need not enter it.
    bool may_match_below(std::string_view directory) const noexcept;

    // False if no path that ends in this name can match.
    bool may_end_in(std::string_view name) const noexcept;

private:
    struct Alternative {
        PathPattern pattern;
        bool directories_only = false;
    };

    static Outcome<Alternative> compile_one(std::string_view pattern, GlobOptions options);

    std::vector<Alternative> alternatives_;
};

// The patterns that "a{b,c}" stands for, "ab" and "ac", in order. Brackets and escapes are left as
// they are. Errors: invalid_argument, limit_reached.
Outcome<std::vector<std::string>> expand_braces(std::string_view pattern);

// The pattern that matches this path and nothing else.
std::string literal_pattern(std::string_view path);

}  // namespace paddock::text
