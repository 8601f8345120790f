#include "tools/answer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "tools/job.h"

namespace paddock::tools {
namespace {

// What a caller asked for, or what the name in quotes is. Other words name steps inside paddock.
constexpr std::array<std::string_view, 14> kPublic{
    "copy",    "copy to", "glob", "grep",   "kill",   "list", "move",
    "pattern", "publish", "read", "remove", "rename", "run",  "write"};

}  // namespace

std::string explanation_for_model(const Error& error) {
    const bool is_public =
        std::find(kPublic.begin(), kPublic.end(), error.operation) != kPublic.end();
    if (!error.text.empty() || error.path.empty() || is_public) return error.explanation();
    Error plain = error;
    plain.operation = {};
    return plain.explanation();
}

void add_to(Error& error, std::string_view sentences) {
    error.text = explanation_for_model(error).append(sentences);
}

void Remarks::add(Remarks more) {
    lines.insert(lines.end(), std::make_move_iterator(more.lines.begin()),
                 std::make_move_iterator(more.lines.end()));
}

std::string changes_text(const FileChanges& changes) {
    std::string text;
    const auto add = [&](std::uint64_t count, const char* what) {
        if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    };
    add(changes.made, "made");
    add(changes.changed, "changed");
    add(changes.removed, "removed");
    if (!text.empty()) text = "Files: " + text;
    if (changes.not_kept > 0) {
        text += text.empty() ? "" : "; ";
        text += "the old content of " + std::to_string(changes.not_kept) +
                " of them was not kept (too large, or no room) and cannot be restored";
    }
    return text.empty() ? text : "[" + text + "]";
}

Remarks remarks_on_left(EndedBy limit, const CommandLimits& limits, std::string_view consequence) {
    const auto met = ending_limit(limit, limits);
    if (!met) return {};
    return {{"Processes that earlier commands left running " + std::string(consequence) + ": " +
             met->text + " (limit: " + std::string(met->name) +
             ", operator setting: " + std::string(met->setting) + ")."}};
}

}  // namespace paddock::tools
