// The answer of a tool as people see it: with colours and columns on a terminal, plain in a pipe;
// and as data for programs.
//
// On a terminal, and wherever colours go, only what is displayable is shown: no file name and no
// content can send an escape sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/tools.h>

#include "cli/terminal.h"
#include "json/value.h"

namespace paddock::cli {

// The answer of a tool, taken apart again to be shown in another form. What people and programs get
// is made of the text that has passed the secrets filter, so nothing can get around it.
//
// All views are into the text.

// A closing remark in brackets, behind an empty line.
struct Remarked {
    std::string_view body;
    std::string_view remark;  // without its brackets; empty: there is none
};
Remarked split_remark(std::string_view text);

struct NumberedLine {
    std::optional<std::int64_t> number;  // negative: from the end of the file
    bool matches = false;                // not only context
    bool after_gap = false;              // lines were left out before it
    std::string_view text;
};

// Of read_file. A secret that was cut out may have taken a number with it. Empty if there is no
// number at all: then the text is about the file, not of it.
std::vector<NumberedLine> numbered_lines(std::string_view body);

// Of grep.
struct MatchedFile {
    std::string_view path;
    bool binary = false;
    std::optional<std::uint64_t> count;
    std::vector<NumberedLine> lines;
};
enum class MatchForm : std::uint8_t { kLines, kFiles, kCounts };
std::vector<MatchedFile> matched_files(std::string_view body, MatchForm form);

// Of list_directory.
struct ListedEntry {
    std::size_t depth = 0;
    std::string_view name;  // quoted where it is not plain; of a directory with its slash
    char type = '-';        // '-' file, 'd' directory, 'l' link, 's' special
    std::optional<std::uint64_t> size;  // of a file
    std::string_view target;            // of a link
    std::string_view remark;            // "not entered", "fifo"
};
struct ListedDirectory {
    std::string_view path;  // with its slash, quoted where it is not plain
    std::vector<ListedEntry> entries;
};
ListedDirectory listed_directory(std::string_view body);

// Of file_info: "name: value" on each line.
struct NamedValue {
    std::string_view name;
    std::string_view value;
};
std::vector<NamedValue> named_values(std::string_view body);

// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

struct Look {
    bool terminal = false;
    bool detailed = false;  // in a pipe too, what else only a terminal shows
    bool titled = false;    // one of several answers: says what it is about
    bool follows = false;   // another one
    Paint paint;

    // For a line of unknown origin.
    std::string line(std::string_view text) const;
};

struct Shown {
    std::string out;          // for standard output
    std::string aside{};      // for standard error: a remark on it
    bool is_nothing = false;  // a search that found nothing
};

// What a tool was asked, and what it said.
struct Call {
    std::string_view tool;
    const json::Value& arguments;
    const tools::Answer& answer;
    std::string text = answer.text();
};

// Of an answer without an error.
Shown shown(const Call& call, const Look& look);

// The same for programs. Null: what it says is all there is, and the message of a document.
json::Value as_data(const Call& call);

// --- one source file each, named after the command ---

Shown cat_shown(const Call& call, const Look& look);
json::Object cat_data(const Call& call);

Shown grep_shown(const Call& call, const Look& look);
json::Object grep_data(const Call& call);

Shown ls_shown(const Call& call, const Look& look);
json::Object ls_data(const Call& call);

}  // namespace paddock::cli
