#include "cli/view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/display.h"
#include "cli/manual.h"
#include "search/matcher.h"
#include "text/encoding.h"
#include "text/names.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/print.h"

namespace paddock::cli {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

namespace {

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
    return lines_shown(call.answer.text(), look, [](std::string_view) { return Tone::kPlain; });
}

Shown edit_shown(const Call& call, const Look& look) {
    return lines_shown(call.answer.text(), look, tone_of_diff);
}

Shown patch_shown(const Call& call, const Look& look) {
    return lines_shown(call.answer.text(), look, tone_of_report);
}

// The rows that a tool has found; none if it found something else, such as an image.
template <class Rows>
const Rows& rows_of(const Call& call) {
    static const Rows kNone{};
    const auto* rows = std::get_if<Rows>(&call.answer.found);
    return rows == nullptr ? kNone : *rows;
}

std::string text_of(const tools::NamedValue& named) {
    const auto* text = std::get_if<std::string>(&named.value);
    return text != nullptr ? *text : std::to_string(std::get<std::uint64_t>(named.value));
}

Shown info_shown(const Call& call, const Look& look) {
    const std::string gap = look.follows ? "\n" : "";
    if (!look.terminal) return {gap + plain_shown(call, look).out};
    std::vector<std::vector<Cell>> rows;
    for (const tools::NamedValue& each : rows_of<tools::FileInfo>(call).values) {
        rows.push_back({{each.name, Tone::kQuiet}, {look.line(text_of(each))}});
    }
    return {gap + table(rows, look.paint)};
}

json::Value count_json(std::uint64_t count) { return static_cast<std::int64_t>(count); }

json::Object info_data(const Call& call) {
    json::Object data;
    for (const tools::NamedValue& each : rows_of<tools::FileInfo>(call).values) {
        std::string name = each.name;
        std::replace(name.begin(), name.end(), ' ', '_');
        const auto* count = std::get_if<std::uint64_t>(&each.value);
        data[name] = count != nullptr ? count_json(*count) : json::Value(text_of(each));
    }
    return data;
}

// Of a search that found nothing: why, and what else there is to say.
Shown nothing_shown(const Call& call) {
    const std::string& notes = call.answer.notes;
    return {.aside = call.answer.nothing + (notes.empty() ? "" : " ") + notes, .is_nothing = true};
}

Shown glob_shown(const Call& call, const Look& look) {
    const auto& paths = rows_of<tools::FoundPaths>(call).paths;
    if (paths.empty()) return nothing_shown(call);
    Shown shown{.aside = call.answer.notes};
    for (const std::string_view path : paths) {
        const std::size_t end = path.ends_with("/\"") ? 3 : 2;  // the slash of a directory
        const std::size_t name = path.rfind('/', path.size() - end) + 1;
        shown.out += look.paint(Tone::kQuiet, look.line(path.substr(0, name)));
        shown.out += look.line(path.substr(name)) + "\n";
    }
    return shown;
}

json::Object glob_data(const Call& call) {
    const auto& paths = rows_of<tools::FoundPaths>(call).paths;
    return {{"paths", json::Array(paths.begin(), paths.end())}};
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

View view_of(const tools::Declaration* tool) {
    const std::string_view name = tool == nullptr ? "" : tool->name;
    const auto* view = std::find_if(kViews.begin(), kViews.end(),
                                    [name](const View& each) { return each.tool == name; });
    return view == kViews.end() ? View{name, plain_shown, nullptr} : *view;
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

// Text files with numbered lines.
Shown cat_shown(const Call& call, const Look& look) {
    Shown shown;
    for (const tools::Block& block : call.answer.blocks) {
        if (block.kind == tools::BlockKind::kText) continue;
        shown.out += look.terminal
                         ? "[" + block.mime + ", " + std::to_string(block.data.size()) + " bytes]\n"
                         : block.data;
    }
    const tools::Lines& lines = rows_of<tools::FileLines>(call).lines;
    shown.aside = lines.rows.empty() ? call.answer.nothing : call.answer.notes;
    for (const tools::Line& line : lines.rows) {
        if (look.terminal || look.detailed) {
            const std::string number = std::to_string(line.number);
            shown.out += std::string(6 - std::min<std::size_t>(6, number.size()), ' ');
            shown.out += look.paint(Tone::kQuiet, number) + "\t";
        }
        shown.out += look.line(lines.text_of(line)) + tools::cut_remark(line) + "\n";
    }
    return shown;
}

json::Object cat_data(const Call& call) {
    for (const tools::Block& block : call.answer.blocks) {
        if (block.kind == tools::BlockKind::kText) continue;
        return {{"mime_type", block.mime}, {"base64", text::base64(block.data)}};
    }
    const tools::Lines& lines = rows_of<tools::FileLines>(call).lines;
    json::Array rows;
    for (const tools::Line& line : lines.rows) {
        rows.emplace_back(
            json::Object{{"number", line.number},
                         {"text", std::string(lines.text_of(line)) + tools::cut_remark(line)}});
    }
    return {{"lines", std::move(rows)}};
}

// grep as on most terminals: headings with lines below, matches marked; "path:12:text" in a pipe.
namespace {

// To mark what matches in the lines.
std::optional<search::Matcher> matcher_of(const json::Value& arguments) {
    const auto decoded = tools::decode(tools::grep(), arguments);
    if (!decoded) return std::nullopt;
    auto matcher = search::Matcher::compile(decoded->text("pattern"),
                                            {.literal = decoded->flag("literal"),
                                             .ignore_case = decoded->flag("-i"),
                                             .words = decoded->flag("-w"),
                                             .multiline = decoded->flag("multiline")});
    if (!matcher) return std::nullopt;
    return std::move(*matcher);
}

using MatcherOrNone = std::optional<search::Matcher>;

std::string marked(const MatcherOrNone& matcher, std::string_view text, const Look& look) {
    std::string line;
    std::size_t done = 0;
    std::size_t from = 0;
    while (matcher && from < text.size()) {
        const auto match = matcher->next_match(text, from);
        if (!match) break;
        from = std::max(match->end, match->begin + 1);
        if (match->end == match->begin) continue;
        line += look.line(text.substr(done, match->begin - done));
        line +=
            look.paint(Tone::kBad, look.line(text.substr(match->begin, match->end - match->begin)));
        done = match->end;
    }
    return line + look.line(text.substr(done));
}

std::string on_terminal(const MatcherOrNone& matcher, const tools::MatchedFile& file,
                        const Look& look) {
    std::string text = look.paint(Tone::kPath, look.line(file.path));
    if (file.count) text += ": " + std::to_string(*file.count);
    if (file.binary) text += look.paint(Tone::kQuiet, tools::kBinaryRemark);
    text += '\n';
    for (const tools::Line& line : file.lines.rows) {
        const std::string_view content = file.lines.text_of(line);
        if (line.after_gap) text += look.paint(Tone::kQuiet, "--") + "\n";
        text += look.paint(line.is_match ? Tone::kGood : Tone::kQuiet, std::to_string(line.number));
        text += line.is_match ? ":" + marked(matcher, content, look) : "-" + look.line(content);
        text += '\n';
    }
    return text;
}

std::string in_a_pipe(const MatcherOrNone& matcher, const tools::MatchedFile& file,
                      const Look& look) {
    const std::string path = look.paint(Tone::kPath, look.line(file.path));
    if (file.count) return path + ":" + std::to_string(*file.count) + "\n";
    if (file.binary) return path + ": binary file matches\n";
    if (file.lines.rows.empty()) return path + "\n";
    std::string text;
    for (const tools::Line& line : file.lines.rows) {
        const std::string_view content = file.lines.text_of(line);
        const char mark = line.is_match ? ':' : '-';
        if (line.after_gap) text += "--\n";
        text += path + mark + look.paint(Tone::kGood, std::to_string(line.number)) + mark;
        text += line.is_match ? marked(matcher, content, look) : look.line(content);
        text += '\n';
    }
    return text;
}

}  // namespace

Shown grep_shown(const Call& call, const Look& look) {
    const auto& matches = rows_of<tools::Matches>(call);
    if (matches.files.empty()) return nothing_shown(call);
    Shown shown{.aside = call.answer.notes};
    const auto matcher = look.paint.colours() ? matcher_of(call.arguments) : std::nullopt;
    for (const tools::MatchedFile& file : matches.files) {
        if (look.terminal && matches.by_line && !shown.out.empty()) shown.out += '\n';
        shown.out +=
            look.terminal ? on_terminal(matcher, file, look) : in_a_pipe(matcher, file, look);
    }
    return shown;
}

json::Object grep_data(const Call& call) {
    const auto& matches = rows_of<tools::Matches>(call);
    json::Array files;
    for (const tools::MatchedFile& file : matches.files) {
        json::Object object{{"path", file.path}};
        if (file.binary) object["binary"] = true;
        if (file.count) object["count"] = count_json(*file.count);
        json::Array lines;
        for (const tools::Line& line : file.lines.rows) {
            lines.emplace_back(json::Object{{"number", line.number},
                                            {"match", line.is_match},
                                            {"text", file.lines.text_of(line)}});
        }
        if (matches.by_line && !file.binary) object["lines"] = std::move(lines);
        files.emplace_back(std::move(object));
    }
    return {{"files", std::move(files)}};
}

// Directories with the sizes of files in a column.
namespace {

// "72", "1.4k", "23M": at most four characters of digits and one letter.
std::string short_size(std::uint64_t bytes) {
    constexpr std::string_view kUnits = "kMGTPE";
    if (bytes < 1000) return std::to_string(bytes);
    double size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (size /= 1000; size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
    const std::string whole = std::to_string(std::lround(size));
    const long tenths = std::lround(size * 10);
    const std::string digits =
        tenths < 100 ? std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) : whole;
    return digits + kUnits[unit];
}

Tone tone_of(const tools::ListedEntry& entry) {
    if (tools::is_special(entry.type)) return Tone::kDoubtful;
    if (entry.type == FileType::kDirectory) return Tone::kDirectory;
    return entry.type == FileType::kSymlink ? Tone::kLink : Tone::kPlain;
}

std::string named(const tools::ListedEntry& entry, const Look& look) {
    std::string text(2 * entry.depth, ' ');
    text += look.paint(tone_of(entry), look.line(entry.name));
    if (!entry.target.empty()) text += look.paint(Tone::kQuiet, " -> ") + look.line(entry.target);
    const std::string_view remark =
        tools::is_special(entry.type) ? file_type_name(entry.type) : entry.remark;
    if (!remark.empty()) text += look.paint(Tone::kQuiet, "  (" + std::string(remark) + ")");
    return text;
}

// Without the slash of a directory.
std::string bytes_of(std::string_view shown) {
    std::string bytes = text::unquote(shown).value_or(std::string(shown));
    if (bytes.size() > 1 && bytes.ends_with('/')) bytes.pop_back();
    return bytes;
}

std::string joined(const std::string& directory, const std::string& name) {
    return directory == "." ? name : directory + "/" + name;
}

}  // namespace

Shown ls_shown(const Call& call, const Look& look) {
    const auto& directory = rows_of<tools::ListedDirectory>(call);
    Shown shown{.aside = call.answer.notes};
    if (look.follows) shown.out = "\n";
    if (look.titled) {
        const std::string title = text::quote_if_needed(bytes_of(directory.path));
        shown.out += look.paint(Tone::kStrong, look.line(title)) + ":\n";
    }
    for (const tools::ListedEntry& entry : directory.entries) {
        if (look.terminal) {
            const std::string size = entry.size ? short_size(*entry.size) : "";
            shown.out += std::string(5 - std::min<std::size_t>(5, size.size()), ' ');
            shown.out += look.paint(Tone::kQuiet, size) + "  " + named(entry, look);
        } else {
            shown.out += named(entry, look);
            if (look.detailed && entry.size) shown.out += "  " + std::to_string(*entry.size);
        }
        shown.out += '\n';
    }
    return shown;
}

json::Object ls_data(const Call& call) {
    const auto& directory = rows_of<tools::ListedDirectory>(call);
    json::Array entries;
    Words above{bytes_of(directory.path)};  // the directories that the entry is in, from the top
    for (const tools::ListedEntry& entry : directory.entries) {
        above.resize(std::min(above.size(), entry.depth + 1));
        const std::string path = joined(above.back(), bytes_of(entry.name));
        json::Object object{{"path", text::quote_if_needed(path)},
                            {"type", file_type_name(entry.type)}};
        if (entry.size) object["size"] = count_json(*entry.size);
        if (!entry.target.empty()) object["target"] = entry.target;
        if (!entry.remark.empty()) object["remark"] = entry.remark;
        if (entry.type == FileType::kDirectory) above.push_back(path);
        entries.emplace_back(std::move(object));
    }
    return {{"entries", std::move(entries)}};
}

}  // namespace paddock::cli
