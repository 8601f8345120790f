#include "text/unified_patch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/outcome.h"
#include "text/hunk_parse.h"
#include "text/patch_names.h"

namespace paddock::text {
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
                "a hunk of no file. Put the lines '--- a/NAME' and '+++ b/NAME' before it");
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
                "the diff says two things at once of the same file. Make it one of a new file, a "
                "deletion, a rename or a copy");
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

}  // namespace paddock::text
