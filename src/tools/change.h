// What a change by Files is made of; the steps of a copy, and what it has made.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>

namespace paddock::tools {

struct FileContent {
    std::string path;  // canonical
    Stat stat;
    std::string bytes;
};

// The right to replace or create one file: it passed the rules and the tracker.
struct Change {
    std::string path;                // canonical
    std::optional<FileContent> old;  // absent: there is no such file yet
};

// A name that cannot be had while something else has it: a file where it needs a directory, or a
// directory in its place. Both canonical.
struct Blocked {
    std::string path;
    std::string by;
};

// What a new file takes after, as WriteOptions has it.
struct Model {
    std::string_view path{};  // empty: nothing
    bool is_optional = false;
};

struct Copied {
    struct Directory {
        std::string path;
        Mode mode;  // that it is to have
    };
    std::size_t files = 0;
    std::vector<Directory> made;  // each before what is in it
    std::size_t left_out = 0;     // special files, links that lead outside, what may not be read
    std::string left_out_names;   // the first of them, and why
};

}  // namespace paddock::tools
