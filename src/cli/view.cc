#include "cli/view.h"

#include <algorithm>
#include <array>

#include "base/display.h"
#include "cli/answer_text.h"
#include "json/parse.h"

namespace paddock::cli {
namespace {

constexpr std::string_view kNoFiles = "No files match.";

Tone tone_of_diff(std::string_view line) {
    if (line.starts_with("+++ ") || line.starts_with("--- ")) return Tone::kStrong;
    if (line.starts_with("@@")) return Tone::kLink;
    if (line.starts_with('+')) return Tone::kGood;
    return line.starts_with('-') ? Tone::kBad : Tone::kPlain;
}

// "M path  (note)": what a patch did to each file.
Tone tone_of_report(std::string_view line) {
    if (line.size() < 2 || line[1] != ' ') return Tone::kPlain;
    switch (line[0]) {
        case 'A': return Tone::kGood;
        case 'D': return Tone::kBad;
        case 'M':
        case 'R':
        case 'C': return Tone::kDoubtful;
        case '=': return Tone::kQuiet;
        default: return Tone::kPlain;
    }
}

Shown lines_shown(std::string_view text, const Look& look, Tone (*tone_of)(std::string_view)) {
    Shown shown;
    for (const std::string_view line : lines_of(text)) {
        shown.out += look.paint(tone_of(line), look.line(line)) + "\n";
    }
    return shown;
}

Shown plain_shown(const Call& call, const Look& look) {
    return lines_shown(call.text, look, [](std::string_view) { return Tone::kPlain; });
}

Shown edit_shown(const Call& call, const Look& look) {
    return lines_shown(call.text, look, tone_of_diff);
}

Shown patch_shown(const Call& call, const Look& look) {
    return lines_shown(call.text, look, tone_of_report);
}

Shown info_shown(const Call& call, const Look& look) {
    const std::string gap = look.follows ? "\n" : "";
    if (!look.terminal) return {gap + plain_shown(call, look).out};
    std::vector<std::vector<Cell>> rows;
    for (const NamedValue& each : named_values(call.text)) {
        rows.push_back({{std::string(each.name), Tone::kQuiet}, {look.line(each.value)}});
    }
    return {gap + table(rows, look.paint)};
}

json::Object info_data(const Call& call) {
    json::Object data;
    for (const NamedValue& each : named_values(call.text)) {
        const bool is_number = each.name == "size" || each.name == "hard links";
        std::string name(each.name);
        std::replace(name.begin(), name.end(), ' ', '_');
        data[name] = is_number ? json::parse(each.value).value : json::Value(each.value);
    }
    return data;
}

Shown glob_shown(const Call& call, const Look& look) {
    const Remarked parts = split_remark(call.text);
    Shown shown;
    shown.is_nothing = parts.body.starts_with(kNoFiles);
    shown.aside = parts.remark;
    if (shown.is_nothing) {
        shown.aside = std::string(kNoFiles) + (shown.aside.empty() ? "" : " ") + shown.aside;
        return shown;
    }
    for (const std::string_view line : lines_of(parts.body)) {
        const std::size_t end = line.ends_with("/\"") ? 3 : 2;  // the slash of a directory
        const std::size_t name = line.rfind('/', line.size() - end) + 1;
        shown.out += look.paint(Tone::kQuiet, look.line(line.substr(0, name)));
        shown.out += look.line(line.substr(name)) + "\n";
    }
    return shown;
}

json::Object glob_data(const Call& call) {
    json::Array paths;
    if (!call.text.starts_with(kNoFiles)) {
        for (const std::string_view line : lines_of(split_remark(call.text).body)) {
            paths.emplace_back(line);
        }
    }
    return {{"paths", std::move(paths)}};
}

struct View {
    std::string_view tool;
    Shown (*shown)(const Call& call, const Look& look);
    json::Object (*data)(const Call& call);  // nullptr: none
};

constexpr std::array<View, 7> kViews{{{"read_file", cat_shown, cat_data},
                                      {"grep", grep_shown, grep_data},
                                      {"glob", glob_shown, glob_data},
                                      {"list_directory", ls_shown, ls_data},
                                      {"file_info", info_shown, info_data},
                                      {"edit_file", edit_shown, nullptr},
                                      {"patch", patch_shown, nullptr}}};

View view_of(std::string_view tool) {
    const auto* view = std::find_if(kViews.begin(), kViews.end(),
                                    [tool](const View& each) { return each.tool == tool; });
    return view == kViews.end() ? View{tool, plain_shown, nullptr} : *view;
}

}  // namespace

std::string Look::line(std::string_view text) const {
    return terminal || paint.colours() ? displayable_lines(text) : std::string(text);
}

Shown shown(const Call& call, const Look& look) { return view_of(call.tool).shown(call, look); }

json::Value as_data(const Call& call) {
    const auto data = view_of(call.tool).data;
    return data == nullptr ? json::Value() : json::Value(data(call));
}

}  // namespace paddock::cli
