// Rows and values that tools find. The text for models is printed from the same rows. The secrets
// filter has replaced secrets in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <paddock/handle.h>

namespace paddock::tools {

// A line of a file.
struct Line {
    std::int64_t number = 0;  // from 1; negative: from the end of the file
    std::size_t begin = 0;    // in Lines::text
    std::size_t size = 0;
    std::uint64_t cut = 0;   // read_file: bytes left out at its end
    bool is_match = true;    // grep: not only context
    bool after_gap = false;  // grep: lines were left out before it
};

// Lines, and their text in one string: many lines stay cheap.
struct Lines {
    std::string text;
    std::vector<Line> rows;

    std::string_view text_of(const Line& line) const noexcept {
        return std::string_view(text).substr(line.begin, line.size);
    }
};

// Of read_file. No lines: the file is empty.
struct FileLines {
    Lines lines;
    bool numbered = true;  // in the text for models
};

// Of grep. Paths are shown as paddock::displayable has them, here and below.
struct MatchedFile {
    std::string path;
    bool binary = false;                   // it matches, but its lines are not text
    std::optional<std::uint64_t> count{};  // of matching lines, if they were only counted
    Lines lines{};
};

struct Matches {
    std::vector<MatchedFile> files;
    bool by_line = false;  // lines were asked for
};

// Of glob.
struct FoundPaths {
    std::vector<std::string> paths;  // of directories with a slash at the end
};

// Of list_directory.
struct ListedEntry {
    std::size_t depth = 0;  // 0: in the directory itself
    std::string name;       // of a directory with a slash at its end
    FileType type = FileType::kUnknown;
    std::optional<std::uint64_t> size{};
    std::string target{};  // of a link
    std::string remark{};  // why a directory was not entered
};

struct ListedDirectory {
    std::string path;  // with a slash at its end
    std::vector<ListedEntry> entries;
};

// Of file_info.
struct NamedValue {
    std::string name;  // "hard links"
    std::variant<std::string, std::uint64_t> value;
};

struct FileInfo {
    std::vector<NamedValue> values;
};

using Found =
    std::variant<std::monostate, FileLines, Matches, FoundPaths, ListedDirectory, FileInfo>;

}  // namespace paddock::tools
