#include "text/hunk_parse.h"

#include <utility>

#include "base/outcome.h"
#include "text/fold.h"

namespace paddock::text {
namespace {

struct LineRange {
    std::size_t start = 0;
    std::size_t count = 1;
};

struct Ranges {
    LineRange before;
    LineRange after;
};

bool take(std::string_view& rest, std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
}

bool take_number(std::string_view& rest, std::size_t& number) {
    constexpr std::size_t kDigitsMax = 10;
    std::size_t digits = 0;
    number = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') {
        number = number * 10 + static_cast<std::size_t>(rest[digits++] - '0');
        if (digits > kDigitsMax) return false;
    }
    rest.remove_prefix(digits);
    return digits > 0;
}

bool take_range(std::string_view& rest, LineRange& range) {
    return take_number(rest, range.start) && (!take(rest, ",") || take_number(rest, range.count));
}

std::optional<Ranges> read_ranges(std::string_view line) {
    Ranges ranges;
    if (take(line, "@@ -") && take_range(line, ranges.before) && take(line, " +") &&
        take_range(line, ranges.after) && take(line, " @@")) {
        return ranges;
    }
    return std::nullopt;
}

// The text of "@@ text" or "@@ text @@"; empty if it names no line.
std::string_view anchor_of(std::string_view line) {
    line = trim_end(line.substr(2));
    if (line.ends_with("@@")) line = trim_end(line.substr(0, line.size() - 2));
    if (line.starts_with(' ')) line.remove_prefix(1);
    return trim(line) == "..." ? std::string_view() : line;
}

// ' ', '+', '-', or '\\' for a remark; 0 if the line cannot stand in a hunk.
char mark_of(std::string_view line) {
    if (line.empty()) return ' ';
    return std::string_view(" +-\\").find(line.front()) != std::string_view::npos ? line.front()
                                                                                  : '\0';
}

// A removed line "- ..." may look like a header or a mail's signature; what follows decides.
bool begins_something_else(const PatchReader& reader, std::size_t ahead, HunkForm form) {
    if (form == HunkForm::kBeginPatch) return reader.starts_with("***", ahead);
    if (reader.starts_with("--- ", ahead)) {
        return reader.starts_with("+++ ", ahead + 1) && reader.starts_with("@@", ahead + 2);
    }
    return reader.line(ahead) == "-- " && mark_of(reader.line(ahead + 1)) == '\0';
}

// Lines that fulfil the counts and after which no line of a hunk follows; 0 if there are none.
std::size_t body_by_counts(const PatchReader& reader, const Ranges& ranges) {
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t lines = 0;
    for (; before < ranges.before.count || after < ranges.after.count; ++lines) {
        const char mark = reader.done(lines) ? '\0' : mark_of(reader.line(lines));
        if (mark == '\0') return 0;
        before += mark == ' ' || mark == '-' ? 1 : 0;
        after += mark == ' ' || mark == '+' ? 1 : 0;
    }
    if (before != ranges.before.count || after != ranges.after.count) return 0;
    if (reader.starts_with("\\", lines)) ++lines;
    std::size_t next = lines;
    while (!reader.done(next) && reader.line(next).empty()) ++next;
    const bool ends = reader.done(next) || mark_of(reader.line(next)) == '\0' ||
                      reader.line(next) == "-- " ||
                      (reader.starts_with("--- ", next) && reader.starts_with("+++ ", next + 1));
    return ends ? lines : 0;
}

// Lines up to the first that cannot belong to the hunk. Empty ones at the end separate it from the
// next one, unless the end of the file is marked after them.
std::size_t body_by_shape(const PatchReader& reader, HunkForm form) {
    std::size_t lines = 0;
    while (!reader.done(lines) && mark_of(reader.line(lines)) != '\0' &&
           !begins_something_else(reader, lines, form)) {
        ++lines;
    }
    if (reader.starts_with("*** End of File", lines)) return lines;
    while (lines > 0 && reader.line(lines - 1).empty()) --lines;
    return lines;
}

// Takes `count` lines into the hunk.
PatchOutcome<void> take_body(PatchReader& reader, std::size_t count, Hunk& hunk) {
    for (; count > 0; --count, reader.skip()) {
        const std::string_view line = reader.file_line();
        const char mark = mark_of(reader.line());
        if (mark != '\\') {
            const bool marked = !reader.line().empty();
            hunk.lines.push_back({mark, line.substr(marked ? 1 : 0), true});
        } else if (hunk.lines.empty()) {
            return reader.malformed(
                "a remark without a line before it. Put it behind the line that it is about");
        } else {
            hunk.lines.back().ends = false;
        }
    }
    return {};
}

struct Counts {
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t changed = 0;
    bool ends_well = true;  // no line follows the one that ends the file
};

Counts count(const Hunk& hunk) {
    Counts counts;
    bool before_over = false;
    bool after_over = false;
    for (const HunkLine& line : hunk.lines) {
        const bool before = line.mark != '+';
        const bool after = line.mark != '-';
        if ((before && before_over) || (after && after_over)) counts.ends_well = false;
        before_over = before_over || (before && !line.ends);
        after_over = after_over || (after && !line.ends);
        counts.before += before ? 1 : 0;
        counts.after += after ? 1 : 0;
        counts.changed += line.mark != ' ' ? 1 : 0;
    }
    return counts;
}

}  // namespace

bool is_hunk_header(std::string_view line) { return read_ranges(line).has_value(); }

PatchOutcome<Hunk> take_hunk(PatchReader& reader, HunkForm form) {
    Hunk hunk{.patch_line = reader.number()};
    std::optional<Ranges> ranges;
    while (!ranges && reader.starts_with("@@")) {
        ranges = read_ranges(reader.line());
        const std::string_view anchor = ranges ? std::string_view() : anchor_of(reader.line());
        if (!anchor.empty()) hunk.anchors.push_back(anchor);
        reader.skip();
    }
    if (ranges) hunk.old_start = ranges->before.start;
    const bool counted = ranges && form == HunkForm::kUnified;
    std::size_t lines = counted ? body_by_counts(reader, *ranges) : 0;
    if (lines == 0) lines = body_by_shape(reader, form);
    if (lines == 0) {
        return reader.malformed("expected a line of a hunk. Begin each with ' ', '-' or '+'");
    }
    PADDOCK_TRY(take_body(reader, lines, hunk));
    if (form == HunkForm::kBeginPatch && trim(reader.line()) == "*** End of File") {
        hunk.at_end = true;
        reader.skip();
    }
    const Counts counts = count(hunk);
    PatchFailure failure{.code = Code::kInvalidArgument, .patch_line = hunk.patch_line};
    if (counts.changed == 0 || !counts.ends_well) {
        failure.detail =
            "line " + std::to_string(hunk.patch_line) + " of the patch: the hunk " +
            (counts.changed == 0
                 ? "changes nothing. Mark what goes with '-' and what comes with '+', or leave it "
                   "out"
                 : "goes on after the end of the file. Put the remark behind the last line");
        return failure;
    }
    hunk.counts_wrong =
        ranges && (counts.before != ranges->before.count || counts.after != ranges->after.count);
    return hunk;
}

}  // namespace paddock::text
