#include "tools/remarks.h"

#include <iterator>
#include <utility>

#include "base/display.h"
#include "text/quote.h"
#include "tools/met_limit.h"

namespace paddock::tools {
namespace {

std::string quoted(std::string_view path) { return "'" + text::quote_in_sentence(path) + "'"; }

std::string sentence_for(const GuardRecord& record) {
    const std::string why =
        record.rule.empty() ? " " : ", protected by the rule '" + record.rule + "', ";
    std::string text = quoted(record.path) + why + "was " + std::string(undone_text(record.what));
    if (record.what == Undone::kQuarantined) text += " as " + quoted(record.kept);
    if (!record.detail.empty()) text += " (" + displayable(record.detail) + ")";
    if (record.what != Undone::kQuarantined && !record.kept.empty()) {
        text += "; what it was is in the quarantine as " + quoted(record.kept);
    }
    return text + ".";
}

}  // namespace

void Remarks::add(Remarks more) {
    lines.insert(lines.end(), std::make_move_iterator(more.lines.begin()),
                 std::make_move_iterator(more.lines.end()));
    is_anything_kept = is_anything_kept || more.is_anything_kept;
}

Remarks remarks_on(const GuardReport& undone) {
    Remarks remarks;
    if (undone.unfinished) {
        remarks.lines.push_back("The protected paths could not be checked: " +
                                undone.unfinished->explanation());
    }
    for (const GuardRecord& record : undone.records) {
        remarks.lines.push_back(sentence_for(record));
        remarks.is_anything_kept = remarks.is_anything_kept || !record.kept.empty();
    }
    if (undone.more > 0) {
        remarks.lines.push_back("And " + std::to_string(undone.more) + " more protected paths.");
    }
    return remarks;
}

Remarks remarks_on_left(EndedBy limit, const CommandLimits& limits, std::string_view consequence) {
    const auto met = ending_limit(limit, limits);
    if (!met) return {};
    return {{"What earlier commands had left running " + std::string(consequence) + ": " +
             met->text + " (limit: " + std::string(met->name) +
             ", operator setting: " + std::string(met->setting) + ")."}};
}

}  // namespace paddock::tools
