#include "text/miss.h"

#include <algorithm>
#include <optional>

#include "text/closest.h"
#include "text/find.h"
#include "text/fold.h"
#include "text/lines.h"

namespace paddock::text {
namespace {

// The length of "  12\t", "12: ", "12| " or "12->" (as an arrow character) at the start; 0 if none.
std::size_t number_prefix(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of(" \t"), line.size());
    const std::size_t after = std::min(line.find_first_not_of("0123456789", digits), line.size());
    if (after == digits) return 0;
    for (const std::string_view mark : {"\t", ": ", ":", "| ", "|", "\xE2\x86\x92"}) {
        if (line.substr(after).starts_with(mark)) return after + mark.size();
    }
    return 0;
}

// The text without line numbers, if every line that is not empty has one.
std::optional<std::string> without_numbers(std::string_view text) {
    const Lines lines(text);
    std::string stripped;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t prefix = number_prefix(lines[i]);
        if (prefix == 0 && !body_of(lines[i]).empty()) return std::nullopt;
        stripped += lines[i].substr(prefix);
    }
    return stripped;
}

std::string without_escapes(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
        const char meant = next == 'n' ? '\n' : next == 't' ? '\t' : next;
        const bool escape =
            meant == '\n' || meant == '\t' || meant == '"' || meant == '\'' || meant == '\\';
        plain += escape ? meant : text[i];
        if (escape) ++i;
    }
    return plain;
}

std::string with_escaped_newlines(std::string_view text) {
    std::string escaped;
    for (const char c : text) escaped.append(c == '\n' ? "\\n" : std::string_view(&c, 1));
    return escaped;
}

std::string_view without_outer_newlines(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
    return text.substr(0, text.find_last_not_of('\n') + 1);
}

using Fold = std::string (*)(std::string_view);

std::string fold_all(std::string_view text) {
    return fold_case(fold_blanks(fold_punctuation(text)));
}

struct FoldCause {
    Fold fold;
    std::string_view cause;
};

constexpr FoldCause kFolds[] = {
    {fold_line_ends, "the text is there, but with other white space at the ends of lines"},
    {fold_blanks,
     "the text is there, but with other white space: tabs versus spaces, or another "
     "indentation"},
    {fold_punctuation,
     "the text is there, but with other quotes, dashes or spaces: typographic "
     "characters versus plain ones"},
    {fold_case, "the text is there, but in other upper and lower case"},
    {fold_all, "the text is there, but with other white space, quotes or case"},
};

std::string_view cause_of(std::string_view content, std::string_view wanted,
                          std::string_view original) {
    if (contains(original, wanted)) {
        return "an earlier edit of this call has changed that text";
    }
    const auto plain = without_numbers(wanted);
    if (plain && contains(fold_all(content), fold_all(*plain))) {
        return "it begins its lines with line numbers, which are not part of the file";
    }
    const std::string_view inner = without_outer_newlines(wanted);
    if (!inner.empty() && inner != wanted && contains(content, inner)) {
        return "the text is there without the line breaks at its start or end";
    }
    if (contains(wanted, "\\") && contains(content, without_escapes(wanted))) {
        return "it is escaped once too often (a backslash before n, t or a quote)";
    }
    if (contains(wanted, "\n") && contains(content, with_escaped_newlines(wanted))) {
        return "the file has a backslash and an n where it has line breaks";
    }
    for (const FoldCause& fold : kFolds) {
        const std::string folded = fold.fold(wanted);
        if (!folded.empty() && contains(fold.fold(content), folded)) return fold.cause;
    }
    return {};
}

}  // namespace

std::string explain_miss(std::string_view content, std::string_view wanted,
                         std::string_view original) {
    std::string text;
    const std::string_view cause = cause_of(content, wanted, original);
    if (!cause.empty()) text += "Likely cause: " + std::string(cause) + ". ";
    const std::string closest =
        show_closest(content, without_numbers(wanted).value_or(std::string(wanted)));
    if (!closest.empty()) return text + "Give it as it stands in the file. " + closest;
    if (cause.empty()) text += "Nothing similar is there. ";
    return text + "Read the file again and copy the text exactly.";
}

}  // namespace paddock::text
