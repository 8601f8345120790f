// Text files with numbered lines.
#include <algorithm>

#include "cli/answer_text.h"
#include "cli/view.h"
#include "text/base64.h"

namespace paddock::cli {

Shown cat_shown(const Call& call, const Look& look) {
    Shown shown;
    for (const tools::Block& block : call.answer.blocks) {
        if (block.kind == tools::BlockKind::kText) continue;
        shown.out += look.terminal
                         ? "[" + block.mime + ", " + std::to_string(block.data.size()) + " bytes]\n"
                         : block.data;
    }
    const Remarked parts = split_remark(call.text);
    const auto lines = numbered_lines(parts.body);
    shown.aside = lines.empty() ? parts.body : parts.remark;
    for (const NumberedLine& line : lines) {
        if (look.terminal || look.detailed) {
            const std::string number = line.number ? std::to_string(*line.number) : "";
            shown.out += std::string(6 - std::min<std::size_t>(6, number.size()), ' ');
            shown.out += look.paint(Tone::kQuiet, number) + "\t";
        }
        shown.out += look.line(line.text) + "\n";
    }
    return shown;
}

json::Object cat_data(const Call& call) {
    for (const tools::Block& block : call.answer.blocks) {
        if (block.kind == tools::BlockKind::kText) continue;
        return {{"mime_type", block.mime}, {"base64", text::base64(block.data)}};
    }
    json::Array lines;
    for (const NumberedLine& line : numbered_lines(split_remark(call.text).body)) {
        json::Object object;
        if (line.number) object["number"] = *line.number;
        object["text"] = line.text;
        lines.emplace_back(std::move(object));
    }
    return {{"lines", std::move(lines)}};
}

}  // namespace paddock::cli
