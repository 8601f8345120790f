#include "text/patch_parse.h"

#include <algorithm>
#include <array>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "text/edit.h"
#include "text/names.h"

namespace paddock::text {
namespace {

// The length of the quoted string that `text` starts with, quotes included; 0 if there is none.
std::size_t quoted_length(std::string_view text) {
    if (!text.starts_with('"')) return 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return 0;
}

struct Pair {
    std::string before;
    std::string after;
};

// "A B" where at least one is quoted, or both are as long as each other.
std::optional<Pair> split_pair(std::string_view field) {
    std::size_t first = quoted_length(field);
    if (first == 0 && field.ends_with('"')) {
        first = std::min(field.find(" \""), field.size());
    } else if (first == 0) {
        first = field.size() / 2;
    }
    if (first >= field.size() || field[first] != ' ') return std::nullopt;
    auto before = read_name(field.substr(0, first));
    auto after = read_name(field.substr(first + 1));
    if (!before || !after) return std::nullopt;
    return Pair{std::move(*before), std::move(*after)};
}

// 'd' a digit, 'w' a letter, ' ' one blank or more, anything else itself. The length of what is
// like that at the start of the text; 0: nothing is.
std::size_t shaped(std::string_view text, std::string_view shape) {
    std::size_t at = 0;
    for (const char c : shape) {
        if (at == text.size()) return 0;
        const char given = text[at++];
        const char letter = static_cast<char>(given | 0x20);
        const bool fits = c == 'd'   ? given >= '0' && given <= '9'
                          : c == 'w' ? letter >= 'a' && letter <= 'z'
                                     : given == c;
        if (!fits) return 0;
        while (c == ' ' && at < text.size() && text[at] == ' ') ++at;
    }
    return at;
}

// Seconds, a fraction, a year, a zone and blanks, in any order: all that may follow hours and
// minutes.
bool ends_a_time(std::string_view text) {
    const std::size_t letters = std::min(text.find_first_not_of("0123456789:.,+- "), text.size());
    const std::string_view zone = text.substr(letters);
    return zone.size() <= 5 &&
           std::all_of(zone.begin(), zone.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_time(std::string_view text) {
    for (const std::string_view shape :
         {"dddd-dd-dd dd:dd", "dddd-dd-ddTdd:dd", "www www d dd:dd:dd", "www www dd dd:dd:dd"}) {
        const std::size_t length = shaped(text, shape);
        if (length > 0 && ends_a_time(text.substr(length))) return true;
    }
    return false;
}

}  // namespace

TimedName split_time(std::string_view field) {
    const std::size_t tab = field.find('\t');
    if (tab != field.npos) return {field.substr(0, tab), field.substr(tab + 1)};
    const std::size_t quoted = quoted_length(field);
    for (std::size_t at = field.find(' ', quoted); at != field.npos; at = field.find(' ', at)) {
        const std::size_t end = at;
        at = std::min(field.find_first_not_of(' ', at), field.size());
        if (end > 0 && is_time(field.substr(at))) return {field.substr(0, end), field.substr(at)};
    }
    return {field, {}};
}

std::optional<std::string> unquote_git_name(std::string_view quoted) {
    if (quoted.size() < 2 || quoted_length(quoted) != quoted.size()) return std::nullopt;
    auto name = unescape(quoted.substr(1, quoted.size() - 2));
    if (name && name->find('\0') != std::string::npos) return std::nullopt;
    return name;
}

std::optional<std::string> read_name(std::string_view field) {
    if (field.starts_with('"')) {
        return unquote_git_name(field.substr(0, std::max<std::size_t>(quoted_length(field), 1)));
    }
    field = field.substr(0, field.find('\t'));
    if (field.empty() || field.find('\0') != std::string_view::npos) return std::nullopt;
    return std::string(field);
}

bool have_prefixes(std::string_view before, std::string_view after) {
    if (before.size() < 3 || after.size() < 3 || before[1] != '/' || after[1] != '/') return false;
    static constexpr std::array<std::string_view, 5> kPairs{"ab", "iw", "ci", "cw", "ow"};
    return std::any_of(kPairs.begin(), kPairs.end(), [&](std::string_view pair) {
        return (before[0] == pair[0] && after[0] == pair[1]) ||
               (before[0] == pair[1] && after[0] == pair[0]);
    });
}

std::optional<std::string> read_git_line(std::string_view field) {
    const auto pair = split_pair(field);
    if (!pair) return std::nullopt;
    if (pair->before == pair->after) return pair->before;
    if (!have_prefixes(pair->before, pair->after)) return std::nullopt;
    if (pair->before.substr(2) != pair->after.substr(2)) return std::nullopt;
    return pair->before.substr(2);
}

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
                "a remark without a line before it. Put it after the line that it describes");
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
                 ? "changes nothing. Mark removed lines with '-' and added lines with '+', or "
                   "leave it out"
                 : "goes on after the end of the file. Put the remark after the last line");
        return failure;
    }
    hunk.counts_wrong =
        ranges && (counts.before != ranges->before.count || counts.after != ranges->after.count);
    return hunk;
}

namespace {

// What follows a marker on the current line, padding dropped; nothing if it is another line.
std::optional<std::string_view> marked(const PatchReader& reader, std::string_view marker) {
    const std::string_view line = trim(reader.line());
    if (!line.starts_with(marker)) return std::nullopt;
    return trim(line.substr(marker.size()));
}

void skip_empty(PatchReader& reader) {
    while (!reader.done() && trim(reader.line()).empty()) reader.skip();
}

constexpr std::string_view kNoName = "a file name is missing or holds a NUL byte. Name the file";

bool is_name(std::string_view path) {
    return !path.empty() && path.find('\0') == std::string_view::npos;
}

// Whoever wrote the patch saw odd names in their quoted form.
std::string bytes_of(std::string_view name) { return unquote(name).value_or(std::string(name)); }

PatchOutcome<FileChange> start(const PatchReader& reader, ChangeKind kind, std::string_view path) {
    if (!is_name(path)) return reader.malformed(kNoName);
    FileChange change{.kind = kind, .patch_line = reader.number()};
    change.path = change.new_path = bytes_of(path);
    return change;
}

PatchOutcome<FileChange> added_file(PatchReader& reader, std::string_view path) {
    PADDOCK_ASSIGN(change, start(reader, ChangeKind::kCreate, path));
    Hunk hunk{.patch_line = reader.number(), .old_start = 0};
    for (reader.skip(); !reader.done() && reader.starts_with("+"); reader.skip()) {
        hunk.lines.push_back({'+', reader.file_line().substr(1), true});
    }
    skip_empty(reader);
    if (!reader.done() && !trim(reader.line()).starts_with("***")) {
        return reader.malformed(
            "every line of an added file begins with '+', an empty one too. Put one before this "
            "line");
    }
    if (!hunk.lines.empty()) change.hunks.push_back(std::move(hunk));
    return change;
}

PatchOutcome<FileChange> updated_file(PatchReader& reader, std::string_view path) {
    PADDOCK_ASSIGN(change, start(reader, ChangeKind::kModify, path));
    reader.skip();
    if (const auto target = marked(reader, "*** Move to:")) {
        if (!is_name(*target)) return reader.malformed(kNoName);
        change.kind = ChangeKind::kRename;
        change.new_path = bytes_of(*target);
        reader.skip();
    }
    for (skip_empty(reader); !reader.done() && !reader.starts_with("***"); skip_empty(reader)) {
        PADDOCK_ASSIGN(hunk, take_hunk(reader, HunkForm::kBeginPatch));
        change.hunks.push_back(std::move(hunk));
    }
    if (change.hunks.empty() && change.kind == ChangeKind::kModify) {
        return reader.malformed(
            "an update without a change. Add the lines that change, with ' ', '-' or '+' first, or "
            "leave the file out");
    }
    return change;
}

PatchOutcome<FileChange> take_file(PatchReader& reader) {
    if (const auto path = marked(reader, "*** Add File:")) return added_file(reader, *path);
    if (const auto path = marked(reader, "*** Update File:")) return updated_file(reader, *path);
    if (const auto path = marked(reader, "*** Delete File:")) {
        auto change = start(reader, ChangeKind::kDelete, *path);
        if (change) change->any_content = true;
        reader.skip();
        return change;
    }
    return reader.malformed(
        "expected the start of a file. Begin each with '*** Add File: NAME', '*** Update File: "
        "NAME' or '*** Delete File: NAME'");
}

}  // namespace

bool at_begin_patch(const PatchReader& reader) { return trim(reader.line()) == "*** Begin Patch"; }

PatchOutcome<std::vector<FileChange>> parse_begin_patch(PatchReader& reader) {
    reader.learn_ending();
    // The last such line: inside a hunk a leading blank makes it context.
    std::size_t last = reader.end() - reader.number();
    while (last > 0 && trim(reader.line(last)) != "*** End Patch") --last;
    if (last == 0) {
        return reader.malformed(
            "'*** End Patch' is missing; the patch may have been cut off. Give all of it");
    }
    reader.end_at(reader.number() - 1 + last);
    reader.skip();
    std::vector<FileChange> changes;
    for (skip_empty(reader); !reader.done(); skip_empty(reader)) {
        PADDOCK_ASSIGN(change, take_file(reader));
        changes.push_back(std::move(change));
    }
    return changes;
}

namespace {

constexpr std::string_view kGit = "diff --git ";
constexpr std::string_view kNoHunk =
    "the diff of a file without a hunk. Add what changes, under '@@ -1,3 +1,4 @@', or leave the "
    "file out";

// The lines between "diff --git" and "---", as written.
struct GitLines {
    std::string_view old_mode, new_mode, deleted, created, index;
    std::string_view copy_from, copy_to, rename_from, rename_to;
};

struct Keyword {
    std::string_view word;
    std::string_view GitLines::*value;  // none: known and of no use
};

constexpr std::array<Keyword, 11> kKeywords{{
    {"old mode ", &GitLines::old_mode},
    {"new mode ", &GitLines::new_mode},
    {"deleted file mode ", &GitLines::deleted},
    {"new file mode ", &GitLines::created},
    {"copy from ", &GitLines::copy_from},
    {"copy to ", &GitLines::copy_to},
    {"rename from ", &GitLines::rename_from},
    {"rename to ", &GitLines::rename_to},
    {"index ", &GitLines::index},
    {"similarity index ", nullptr},
    {"dissimilarity index ", nullptr},
}};

bool take_git_line(std::string_view line, GitLines& lines) {
    for (const Keyword& keyword : kKeywords) {
        if (!line.starts_with(keyword.word)) continue;
        if (keyword.value != nullptr) lines.*keyword.value = line.substr(keyword.word.size());
        return true;
    }
    return false;
}

// The "---" and "+++" lines.
struct Sides {
    std::optional<std::string> before, after;              // nothing: /dev/null
    bool before_is_epoch = false, after_is_epoch = false;  // how GNU diff writes a missing file
    bool given = false;
};

// The first or last day of it, wherever that was.
bool is_epoch(std::string_view time) {
    if (time.starts_with("1970-01-01") || time.starts_with("1969-12-31")) return true;
    const auto has = [&](std::string_view part) { return time.find(part) != time.npos; };
    return (has(" 1970") && (has(" Jan 1 ") || has(" Jan  1 ") || has(" Jan 01 "))) ||
           (has(" 1969") && has(" Dec 31 "));
}

// A regular file without set-id bits; old repositories hold other permissions than git gives today.
bool is_plain_mode(std::string_view mode) {
    return mode.size() == 6 && mode.starts_with("100") &&
           mode.find_first_not_of("01234567") == std::string_view::npos;
}

// Without "a/" or another prefix of one letter.
std::string without_prefix(const std::string& name) {
    return name.size() > 2 && name[1] == '/' ? name.substr(2) : name;
}

bool all_marked(const FileChange& change, char mark) {
    return std::all_of(change.hunks.begin(), change.hunks.end(), [&](const Hunk& hunk) {
        return std::all_of(hunk.lines.begin(), hunk.lines.end(),
                           [&](const HunkLine& line) { return line.mark == mark; });
    });
}

// One hunk of lines that come, before the first: all that an empty file gets. Without context lines
// another may get the same at its top.
bool fills_from_the_top(const FileChange& change) {
    return change.hunks.size() == 1 && all_marked(change, '+') &&
           change.hunks[0].old_start == std::size_t{0};
}

// Does "index OLD..NEW" name the empty file as the old one?
bool is_of_empty(std::string_view index) {
    return index.starts_with("e69de29") || index.starts_with("473a0f4c");
}

class Unified {
public:
    explicit Unified(PatchReader& reader) : reader_(reader) {}

    PatchOutcome<std::vector<FileChange>> run() {
        std::vector<FileChange> changes;
        bool prose = true;
        while (!reader_.done()) {
            if (!at_unified_file(reader_)) {
                PADDOCK_TRY(skip_between(prose));
                continue;
            }
            const bool git = reader_.starts_with(kGit);
            auto change = git ? git_file() : plain_file();
            if (!change) return change.error();
            prose = change->hunks.empty();
            changes.push_back(std::move(*change));
        }
        return changes;
    }

private:
    // One line that is no part of a diff. After a hunk only lines that begin something new may
    // stand; a line of the hunk that lost its mark must not be taken for a remark.
    PatchOutcome<void> skip_between(bool& prose) {
        const std::string_view line = reader_.line();
        if (line.starts_with("diff --cc ") || line.starts_with("diff --combined ")) {
            return reader_.malformed(
                "a combined diff of a merge is not supported. Give a diff against one of its "
                "parents");
        }
        if (is_hunk_header(line)) {
            return reader_.malformed(
                "a hunk without a file. Put the lines '--- a/NAME' and '+++ b/NAME' before it");
        }
        static constexpr std::array<std::string_view, 9> kBeginnings{
            "-- ", "diff ", "Index: ", "=====", "commit ", "From ", "Only in ", "```", "Property "};
        prose = prose || std::any_of(kBeginnings.begin(), kBeginnings.end(),
                                     [&](std::string_view word) { return line.starts_with(word); });
        if (!prose && !line.empty() && line != "EOF") {
            return reader_.malformed(
                "neither a line of a hunk nor the header of a file. Begin a line of a hunk with ' "
                "', '-' or '+'");
        }
        reader_.skip();
        return {};
    }

    PatchFailure refused(Code code, std::string_view path, std::string_view what) const {
        PatchFailure failure = reader_.malformed(what);
        failure.code = code;
        failure.path = path;
        return failure;
    }

    PatchOutcome<Sides> sides() {
        Sides sides;
        sides.given = true;
        reader_.learn_ending();
        const auto read = [&](std::optional<std::string>& name, bool& epoch) {
            const TimedName field = split_time(reader_.line().substr(4));
            name = read_name(field.name);
            epoch = is_epoch(field.time);
            if (!name) return false;
            if (*name == "/dev/null") name.reset();
            reader_.skip();
            return true;
        };
        if (!read(sides.before, sides.before_is_epoch) ||
            !read(sides.after, sides.after_is_epoch)) {
            return reader_.malformed(
                "cannot read the file name. Write '--- a/NAME' and '+++ b/NAME'");
        }
        if (!sides.before && !sides.after) {
            return reader_.malformed("both file names are /dev/null. Name the file on one side");
        }
        return sides;
    }

    PatchOutcome<void> hunks(FileChange& change) {
        while (reader_.starts_with("@@")) {
            PADDOCK_ASSIGN(hunk, take_hunk(reader_, HunkForm::kUnified));
            change.hunks.push_back(std::move(hunk));
            std::size_t blank = 0;
            while (!reader_.done(blank) && reader_.line(blank).empty()) ++blank;
            if (reader_.starts_with("@@", blank)) reader_.skip(blank);
        }
        return {};
    }

    PatchOutcome<FileChange> plain_file() {
        FileChange change{.patch_line = reader_.number()};
        PADDOCK_ASSIGN(names, sides());
        PADDOCK_TRY(hunks(change));
        if (change.hunks.empty()) return reader_.malformed(kNoHunk);
        if (names.before_is_epoch && names.after && all_marked(change, '+')) names.before.reset();
        if (names.after_is_epoch && names.before && all_marked(change, '-')) names.after.reset();
        const bool both = names.before && names.after;
        const auto strip = [&](std::optional<std::string>& name) {
            if (!name) return;
            const bool alone = !both && (name->starts_with("a/") || name->starts_with("b/"));
            if (alone && name->size() > 2) name->erase(0, 2);
        };
        if (both && have_prefixes(*names.before, *names.after)) {
            names.before->erase(0, 2);
            names.after->erase(0, 2);
        }
        strip(names.before);
        strip(names.after);
        change.kind = !names.before  ? ChangeKind::kCreate
                      : !names.after ? ChangeKind::kDelete
                                     : ChangeKind::kModify;
        change.path = change.new_path = names.after ? *names.after : *names.before;
        change.is_plain = true;
        if (both && *names.before != *names.after) change.other_name = *names.before;
        change.expects_empty = change.may_create = both && fills_from_the_top(change);
        return checked(std::move(change));
    }

    PatchOutcome<FileChange> git_file() {
        FileChange change{.patch_line = reader_.number()};
        const auto header = read_git_line(reader_.line().substr(kGit.size()));
        reader_.learn_ending();
        reader_.skip();
        GitLines lines;
        while (!reader_.done() && take_git_line(reader_.line(), lines)) reader_.skip();
        Sides names;
        if (reader_.starts_with("--- ") && reader_.starts_with("+++ ", 1)) {
            PADDOCK_ASSIGN(given, sides());
            names = std::move(given);
        }
        PADDOCK_TRY(name_git_file(lines, header, names, change));
        PADDOCK_TRY(set_mode(lines, change));
        if (reader_.starts_with("GIT binary patch") || reader_.starts_with("Binary files ")) {
            return refused(Code::kBinaryFile, change.path,
                           "a binary patch is not supported. Leave that file out of the patch");
        }
        PADDOCK_TRY(hunks(change));
        if (change.hunks.empty() && change.kind == ChangeKind::kModify && !change.executable) {
            return refused(Code::kInvalidArgument, change.path, kNoHunk);
        }
        change.expects_empty = change.kind != ChangeKind::kCreate && fills_from_the_top(change) &&
                               (lines.index.empty() || is_of_empty(lines.index));
        return checked(std::move(change));
    }

    // Sets kind and names; the places that tell them must agree.
    PatchOutcome<void> name_git_file(const GitLines& lines,
                                     const std::optional<std::string>& header, const Sides& sides,
                                     FileChange& change) {
        const bool renamed = !lines.rename_from.empty() && !lines.rename_to.empty();
        const bool copied = !lines.copy_from.empty() && !lines.copy_to.empty();
        std::optional<std::string> before;
        std::optional<std::string> after;
        if (renamed || copied) {
            before = read_name(renamed ? lines.rename_from : lines.copy_from);
            after = read_name(renamed ? lines.rename_to : lines.copy_to);
        } else if (header) {
            before = after = header;
        } else if (sides.given) {
            before = after = without_prefix(sides.after ? *sides.after : *sides.before);
        }
        if (!before || !after || before->empty() || after->empty()) {
            return reader_.malformed(
                "cannot tell the file name from 'diff --git'. Add the lines '--- a/NAME' and '+++ "
                "b/NAME'");
        }
        const auto agrees = [&](const std::optional<std::string>& side, const std::string& name) {
            return !side || *side == name || without_prefix(*side) == name;
        };
        if (!agrees(sides.before, *before) || !agrees(sides.after, *after)) {
            return reader_.malformed(
                "the file names of this diff do not agree. Use the same after 'diff --git', '---' "
                "and '+++'");
        }
        const bool created = !lines.created.empty() || (sides.given && !sides.before);
        const bool deleted = !lines.deleted.empty() || (sides.given && !sides.after);
        if (created + deleted + renamed + copied > 1) {
            return reader_.malformed(
                "the diff contradicts itself about this file. Make it a new file, a deletion, a "
                "rename or a copy");
        }
        change.kind = created   ? ChangeKind::kCreate
                      : deleted ? ChangeKind::kDelete
                      : renamed ? ChangeKind::kRename
                      : copied  ? ChangeKind::kCopy
                                : ChangeKind::kModify;
        change.path = std::move(*before);
        change.new_path = std::move(*after);
        return {};
    }

    PatchOutcome<void> set_mode(const GitLines& lines, FileChange& change) {
        const std::string_view of_index =
            lines.index.substr(std::min(lines.index.find(' '), lines.index.size()));
        for (const std::string_view mode :
             {lines.old_mode, lines.new_mode, lines.deleted, lines.created,
              of_index.substr(of_index.empty() ? 0 : 1)}) {
            if (mode.empty() || is_plain_mode(mode)) continue;
            if (mode == "120000") {
                return refused(Code::kNotRegularFile, change.path,
                               "a symbolic link cannot be patched. Leave it out of the patch");
            }
            if (mode == "160000") {
                return refused(Code::kNotRegularFile, change.path,
                               "a submodule cannot be patched. Leave it out of the patch");
            }
            return refused(Code::kInvalidArgument, change.path,
                           "a mode that git does not give to files. Use 100644 or 100755");
        }
        const std::string_view mode = lines.created.empty() ? lines.new_mode : lines.created;
        if (!mode.empty()) change.executable = ((mode[3] - '0') & 1) != 0;
        return {};
    }

    PatchOutcome<FileChange> checked(FileChange change) const {
        if ((change.kind == ChangeKind::kCreate && !all_marked(change, '+')) ||
            (change.kind == ChangeKind::kDelete && !all_marked(change, '-'))) {
            return refused(Code::kInvalidArgument, change.path,
                           "a file that is created or deleted has other lines as well. Begin each "
                           "with '+' or each with '-'");
        }
        return change;
    }

    PatchReader& reader_;
};

}  // namespace

bool at_unified_file(const PatchReader& reader) {
    return reader.starts_with(kGit) ||
           (reader.starts_with("--- ") && reader.starts_with("+++ ", 1));
}

PatchOutcome<std::vector<FileChange>> parse_unified(PatchReader& reader) {
    return Unified(reader).run();
}

namespace {

PatchFailure too_much(Code code, std::string_view what, std::size_t most) {
    return {.code = code,
            .detail = "the patch has more than " + std::to_string(most) + " " + std::string(what) +
                      ". Apply it in parts."};
}

PatchOutcome<std::vector<FileChange>> parse_form(PatchReader& reader) {
    for (; !reader.done(); reader.skip()) {
        if (at_begin_patch(reader)) return parse_begin_patch(reader);
        if (at_unified_file(reader) || reader.starts_with("@@ -") ||
            reader.starts_with("diff --c")) {
            return parse_unified(reader);
        }
    }
    return std::vector<FileChange>();
}

}  // namespace

PatchOutcome<std::vector<FileChange>> parse_patch(std::string_view text) {
    if (text.size() > limits::kPatchBytesMax) {
        return too_much(Code::kTooLarge, "bytes", limits::kPatchBytesMax);
    }
    PatchReader reader(text);
    PADDOCK_ASSIGN(changes, parse_form(reader));
    if (changes.empty()) {
        return PatchFailure{.code = Code::kInvalidArgument,
                            .detail =
                                "the patch holds no change. Begin it with '--- a/NAME' and "
                                "'+++ b/NAME', or with '*** Begin Patch'."};
    }
    std::size_t hunks = 0;
    for (const FileChange& change : changes) hunks += change.hunks.size();
    if (changes.size() > limits::kPatchFilesMax) {
        return too_much(Code::kLimitReached, "files", limits::kPatchFilesMax);
    }
    if (hunks > limits::kPatchHunksMax) {
        return too_much(Code::kLimitReached, "hunks", limits::kPatchHunksMax);
    }
    return std::move(changes);
}

}  // namespace paddock::text
