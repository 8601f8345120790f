#include "cli/view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/display.h"
#include "cli/manual.h"
#include "json/parse.h"
#include "search/matcher.h"
#include "text/encoding.h"
#include "text/names.h"
#include "tools/call.h"
#include "tools/declaration.h"

namespace paddock::cli {
namespace {

constexpr std::string_view kBinary = "  (binary file matches)";

// Takes a number off the beginning of `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return number;
}

NumberedLine matched_line(std::string_view line) {
    NumberedLine result;
    result.number = take_number(line);
    const bool is_marked = line.starts_with(':') || line.starts_with('-');
    result.matches = result.number && line.starts_with(':');
    result.text = result.number && is_marked ? line.substr(1) : line;
    return result;
}

MatchedFile heading(std::string_view line, MatchForm form) {
    MatchedFile file;
    if (line.ends_with(kBinary)) {
        file.binary = true;
        line.remove_suffix(kBinary.size());
    }
    const std::size_t colon = line.rfind(": ");
    if (form == MatchForm::kCounts && colon != line.npos) {
        std::string_view digits = line.substr(colon + 2);
        if (const auto count = take_number(digits)) {
            file.count = static_cast<std::uint64_t>(*count);
            line = line.substr(0, colon);
        }
    }
    file.path = line;
    return file;
}

// Where a name ends: behind its closing quote, or where something is said of it. A plain name holds
// neither two spaces nor an arrow; such ones are quoted.
std::size_t end_of_name(std::string_view line) {
    if (!line.starts_with('"')) {
        return std::min({line.find("  "), line.find(" -> "), line.size()});
    }
    for (std::size_t i = 1; i < line.size(); ++i) {
        if (line[i] == '\\')
            ++i;
        else if (line[i] == '"')
            return i + 1;
    }
    return line.size();
}

// "name/", "\"name/\"", "name -> target", "name  (fifo)", "name  123".
ListedEntry listed_entry(std::string_view line) {
    ListedEntry entry;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    entry.depth = indent / 2;
    line.remove_prefix(indent);
    entry.name = line.substr(0, end_of_name(line));
    std::string_view rest = line.substr(entry.name.size());
    if (rest.starts_with(" -> ")) {
        entry.type = 'l';
        entry.target = rest.substr(4);
        return entry;
    }
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 2));
    if (rest.starts_with('(') && rest.ends_with(')')) {
        entry.type = 's';
        entry.remark = rest.substr(1, rest.size() - 2);
    } else if (const auto size = take_number(rest)) {
        entry.size = static_cast<std::uint64_t>(*size);
    }
    if (entry.name.ends_with('/') || entry.name.ends_with("/\"")) entry.type = 'd';
    return entry;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

Remarked split_remark(std::string_view text) {
    const std::size_t line = text.rfind('\n');
    const std::size_t begin = line == text.npos ? 0 : line + 1;
    const bool is_remark = text.substr(begin).starts_with('[') && text.ends_with(']') &&
                           (begin == 0 || text.substr(0, begin).ends_with("\n\n"));
    if (!is_remark) return {text, {}};
    return {text.substr(0, begin == 0 ? 0 : begin - 1),
            text.substr(begin + 1, text.size() - begin - 2)};
}

std::vector<NumberedLine> numbered_lines(std::string_view body) {
    std::vector<NumberedLine> lines;
    bool any_number = false;
    for (const std::string_view line : lines_of(body)) {
        std::string_view rest = line;
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        NumberedLine& added = lines.emplace_back();
        added.number = take_number(rest);
        if (!rest.starts_with('\t')) added.number.reset();
        added.text = added.number ? rest.substr(1) : line;
        any_number = any_number || added.number;
    }
    return any_number ? lines : std::vector<NumberedLine>();
}

std::vector<MatchedFile> matched_files(std::string_view body, MatchForm form) {
    std::vector<MatchedFile> files;
    bool begins_file = true;
    bool after_gap = false;
    for (const std::string_view line : lines_of(body)) {
        if (line.empty()) {
            begins_file = true;
        } else if (begins_file || form != MatchForm::kLines) {
            files.push_back(heading(line, form));
            begins_file = false;
        } else if (line == "--") {
            after_gap = true;
        } else {
            NumberedLine& added = files.back().lines.emplace_back(matched_line(line));
            added.after_gap = std::exchange(after_gap, false);
        }
    }
    return files;
}

ListedDirectory listed_directory(std::string_view body) {
    ListedDirectory directory;
    for (const std::string_view line : lines_of(body)) {
        if (line.empty()) continue;
        if (directory.path.empty()) {
            directory.path = line;
        } else {
            directory.entries.push_back(listed_entry(line));
        }
    }
    return directory;
}

std::vector<NamedValue> named_values(std::string_view body) {
    std::vector<NamedValue> values;
    for (const std::string_view line : lines_of(body)) {
        const std::size_t colon = line.find(": ");
        if (colon != line.npos) values.push_back({line.substr(0, colon), line.substr(colon + 2)});
    }
    return values;
}

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

// Text files with numbered lines.
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

// grep as on most terminals: headings with lines below, matches marked; "path:12:text" in a pipe.
namespace {

// The call behind the text: what was searched, and which form the answer has.
struct Search {
    MatchForm form = MatchForm::kLines;
    std::optional<search::Matcher> matcher;
};

Search search_of(const json::Value& arguments) {
    Search search;
    const auto decoded = tools::decode(tools::grep(), arguments);
    if (!decoded) return search;
    const std::string& mode = decoded->text("output_mode");
    search.form = mode == "content" ? MatchForm::kLines
                  : mode == "count" ? MatchForm::kCounts
                                    : MatchForm::kFiles;
    auto matcher = search::Matcher::compile(decoded->text("pattern"),
                                            {.literal = decoded->flag("literal"),
                                             .ignore_case = decoded->flag("-i"),
                                             .words = decoded->flag("-w"),
                                             .multiline = decoded->flag("multiline")});
    if (matcher) search.matcher = std::move(*matcher);
    return search;
}

std::string number_of(const NumberedLine& line) {
    return line.number ? std::to_string(*line.number) : "";
}

bool is_none(std::string_view text) {
    return text.starts_with("No matches in ") || text.starts_with("No more matches");
}

std::string marked(const Search& search, std::string_view text, const Look& look) {
    std::string line;
    std::size_t done = 0;
    std::size_t from = 0;
    while (look.paint.colours() && search.matcher && from < text.size()) {
        const auto match = search.matcher->next_match(text, from);
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

std::string on_terminal(const Search& search, const MatchedFile& file, const Look& look) {
    std::string text = look.paint(Tone::kPath, look.line(file.path));
    if (file.count) text += ": " + std::to_string(*file.count);
    if (file.binary) text += look.paint(Tone::kQuiet, "  (binary file matches)");
    text += '\n';
    for (const NumberedLine& line : file.lines) {
        if (line.after_gap) text += look.paint(Tone::kQuiet, "--") + "\n";
        text += look.paint(line.matches ? Tone::kGood : Tone::kQuiet, number_of(line));
        text += line.matches ? ":" + marked(search, line.text, look) : "-" + look.line(line.text);
        text += '\n';
    }
    return text;
}

std::string in_a_pipe(const Search& search, const MatchedFile& file, const Look& look) {
    const std::string path = look.paint(Tone::kPath, look.line(file.path));
    if (file.count) return path + ":" + std::to_string(*file.count) + "\n";
    if (file.binary) return path + ": binary file matches\n";
    if (file.lines.empty()) return path + "\n";
    std::string text;
    for (const NumberedLine& line : file.lines) {
        const char mark = line.matches ? ':' : '-';
        if (line.after_gap) text += "--\n";
        text += path + mark + look.paint(Tone::kGood, number_of(line)) + mark;
        text += line.matches ? marked(search, line.text, look) : look.line(line.text);
        text += '\n';
    }
    return text;
}

}  // namespace

Shown grep_shown(const Call& call, const Look& look) {
    const Remarked parts = split_remark(call.text);
    Shown shown;
    shown.aside = parts.remark;
    shown.is_nothing = is_none(parts.body);
    if (shown.is_nothing) {
        const auto lines = lines_of(parts.body);
        shown.aside = std::string(lines.front()) + (parts.remark.empty() ? "" : " ") + shown.aside;
        return shown;
    }
    const Search search = search_of(call.arguments);
    for (const MatchedFile& file : matched_files(parts.body, search.form)) {
        const bool separates = look.terminal && search.form == MatchForm::kLines;
        if (separates && !shown.out.empty()) shown.out += '\n';
        shown.out +=
            look.terminal ? on_terminal(search, file, look) : in_a_pipe(search, file, look);
    }
    return shown;
}

json::Object grep_data(const Call& call) {
    const Remarked parts = split_remark(call.text);
    json::Array files;
    const MatchForm form = search_of(call.arguments).form;
    for (const MatchedFile& file :
         is_none(parts.body) ? std::vector<MatchedFile>() : matched_files(parts.body, form)) {
        json::Object object{{"path", file.path}};
        if (file.binary) object["binary"] = true;
        if (file.count) object["count"] = *file.count;
        json::Array lines;
        for (const NumberedLine& line : file.lines) {
            json::Object one;
            if (line.number) one["number"] = *line.number;
            one["match"] = line.matches;
            one["text"] = line.text;
            lines.emplace_back(std::move(one));
        }
        if (form == MatchForm::kLines && !file.binary) object["lines"] = std::move(lines);
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

Tone tone_of(const ListedEntry& entry) {
    switch (entry.type) {
        case 'd': return Tone::kDirectory;
        case 'l': return Tone::kLink;
        case 's': return Tone::kDoubtful;
        default: return Tone::kPlain;
    }
}

std::string named(const ListedEntry& entry, const Look& look) {
    std::string text(2 * entry.depth, ' ');
    text += look.paint(tone_of(entry), look.line(entry.name));
    if (entry.type == 'l') text += look.paint(Tone::kQuiet, " -> ") + look.line(entry.target);
    if (!entry.remark.empty()) {
        text += look.paint(Tone::kQuiet, "  (" + std::string(entry.remark) + ")");
    }
    return text;
}

std::string type_name(const ListedEntry& entry) {
    switch (entry.type) {
        case 'd': return "directory";
        case 'l': return "symlink";
        case 's': return std::string(entry.remark);
        default: return "file";
    }
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
    const Remarked parts = split_remark(call.text);
    const ListedDirectory directory = listed_directory(parts.body);
    Shown shown;
    shown.aside = parts.remark;
    if (look.follows) shown.out = "\n";
    if (look.titled) {
        const std::string title = text::quote_if_needed(bytes_of(directory.path));
        shown.out += look.paint(Tone::kStrong, look.line(title)) + ":\n";
    }
    for (const ListedEntry& entry : directory.entries) {
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
    const ListedDirectory directory = listed_directory(split_remark(call.text).body);
    json::Array entries;
    Words above{bytes_of(directory.path)};  // the directories that the entry is in, from the top
    for (const ListedEntry& entry : directory.entries) {
        above.resize(std::min(above.size(), entry.depth + 1));
        const std::string path = joined(above.back(), bytes_of(entry.name));
        json::Object object{{"path", text::quote_if_needed(path)}, {"type", type_name(entry)}};
        if (entry.size) object["size"] = *entry.size;
        if (!entry.target.empty()) object["target"] = entry.target;
        if (entry.type == 'd' && !entry.remark.empty()) object["remark"] = entry.remark;
        if (entry.type == 'd') above.push_back(path);
        entries.emplace_back(std::move(object));
    }
    return {{"entries", std::move(entries)}};
}

}  // namespace paddock::cli
