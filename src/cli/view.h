// The rows of a tool as people see them: with colours and columns on a terminal, plain in a pipe;
// and as data for programs.
//
// On a terminal, and wherever colours go, only what is displayable is shown: no file name and no
// content can send an escape sequence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <paddock/tools.h>

#include "cli/terminal.h"
#include "json/value.h"
#include "tools/declaration.h"

namespace paddock::cli {

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
    std::string out{};        // for standard output
    std::string aside{};      // for standard error: a remark on it
    bool is_nothing = false;  // a search that found nothing
};

// What a tool was asked, and what it said.
struct Call {
    const tools::Declaration* tool;  // nullptr: there is none of that name
    const json::Value& arguments;
    const tools::Answer& answer;
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
