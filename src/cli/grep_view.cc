// grep as on most terminals: headings with lines below, matches marked; "path:12:text" in a pipe.
#include <algorithm>
#include <optional>

#include "cli/answer_text.h"
#include "cli/view.h"
#include "search/matcher.h"
#include "tools/arguments.h"
#include "tools/registry.h"

namespace paddock::cli {
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

}  // namespace paddock::cli
