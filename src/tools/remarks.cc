#include "tools/remarks.h"

#include <iterator>
#include <utility>

#include "tools/met_limit.h"

namespace paddock::tools {

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
        text += "what was in " + std::to_string(changes.not_kept) +
                " of them is not kept, and cannot be undone: too large, or no room";
    }
    return text.empty() ? text : "[" + text + "]";
}

Remarks remarks_on_left(EndedBy limit, const CommandLimits& limits, std::string_view consequence) {
    const auto met = ending_limit(limit, limits);
    if (!met) return {};
    return {{"What earlier commands had left running " + std::string(consequence) + ": " +
             met->text + " (limit: " + std::string(met->name) +
             ", operator setting: " + std::string(met->setting) + ")."}};
}

}  // namespace paddock::tools
