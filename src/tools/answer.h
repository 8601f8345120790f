// What a tool gives back: blocks for the model, or an error that it can do something about.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/error.h>
#include <paddock/shell.h>
#include <paddock/tools.h>

#include "search/sink.h"
#include "tools/job.h"

namespace paddock::tools {

// An error whose explanation is this text: a sentence or more, ended by what to do next.
inline Error tool_error(Code code, std::string text) {
    Error error;
    error.code = code;
    error.text = std::move(text);
    return error;
}

// The explanation as a model gets it: without the operation, unless everybody knows the word.
std::string explanation_for_model(const Error& error);
void add_to(Error& error, std::string_view sentences);

// What a call answers that its caller has ended early.
inline Error call_cancelled() {
    return tool_error(
        Code::kCancelled,
        "The call was cancelled; its result is incomplete. Start it again if you still need it.");
}

// An answer with rows: its text is printed when the call ends.
inline Answer found_answer(Found found, std::string notes = {}, std::string nothing = {}) {
    Answer answer;
    answer.found = std::move(found);
    answer.nothing = std::move(nothing);
    answer.notes = std::move(notes);
    return answer;
}

// An answer of one text block.
inline Answer text_answer(std::string text) {
    Answer answer;
    answer.blocks.push_back({BlockKind::kText, std::move(text), {}});
    return answer;
}

// Of a call that should be quick and will not be: to be made again elsewhere.
inline Answer deferred() {
    Answer later;
    later.is_deferred = true;
    return later;
}

// Remarks that close an answer: "\n[The first. The second.]", or nothing.
class Notes {
public:
    void add(std::string_view note) { text_.append(text_.empty() ? "" : " ").append(note); }
    const std::string& sentences() const { return text_; }
    std::string text() const { return text_.empty() ? "" : "\n[" + text_ + "]"; }

private:
    std::string text_;
};

inline std::string seconds_of(std::chrono::milliseconds time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

// Of a file with several names that was replaced under one of them.
inline std::string note_of_other_names(std::uint64_t names) {
    return "had " + std::to_string(names) + " names; the other" +
           (names == 2 ? " keeps" : "s keep") + " the old content";
}

inline std::string closing_for_other_names(std::uint64_t names) {
    Notes notes;
    if (names > 1) notes.add("The file " + note_of_other_names(names) + ".");
    return notes.text();
}

// What there is to say about a command besides what it printed: sentences of paddock's own. Names
// in them are of a command's making, and are shown so that they neither begin a line nor steer a
// terminal.
struct Remarks {
    std::vector<std::string> lines{};  // sentences

    void add(Remarks more);
};

// "[Files: 2 made, 1 changed, 3 removed]": empty if there is nothing to say.
std::string changes_text(const FileChanges& changes);

// What commands left running has met this limit, and therefore they "were ended".
Remarks remarks_on_left(EndedBy limit, const CommandLimits& limits, std::string_view consequence);

// The error of a change that was interrupted before anything was written. `what` is the subject
// of its sentence: "The edits".
inline Error interrupted(const search::Interruption& by, const std::string& what) {
    if (by.cause() == search::Interruption::Cause::kCancelled) return call_cancelled();
    return tool_error(Code::kLimitReached, what +
                                               " took longer than one call may take. Nothing was "
                                               "changed. Make them in several calls.");
}

}  // namespace paddock::tools
