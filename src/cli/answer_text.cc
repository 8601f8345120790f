#include "cli/answer_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

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

}  // namespace paddock::cli
