#include "search/grep.h"

#include <algorithm>

#include <paddock/limits.h>

#include "base/display.h"
#include "search/find.h"
#include "text/names.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/print.h"
#include "tools/search_pattern.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

using search::GrepMode;
using search::GrepSummary;

// Keeps what was found, as much as there is room for in the text that is printed of it.
class Collector final : public search::GrepSink {
public:
    Collector(const Session& session, const Files& files, const search::GrepQuery& query,
              std::size_t bytes_max)
        : session_(session),
          files_(files),
          mode_(query.mode),
          bytes_max_(bytes_max),
          has_context_(query.before > 0 || query.after > 0) {}

    search::Next file(const search::GrepFile& file) override {
        MatchedFile found{.path = files_.shown(file.path), .binary = file.binary};
        if (mode_ == GrepMode::kCount) found.count = file.matches;
        std::size_t bytes = heading_bytes(found);
        const bool by_line = !file.lines.empty();
        const std::size_t taken = by_line ? add_lines(found, bytes, file) : fits(bytes) ? 1 : 0;
        given_ += taken;
        cut_ = taken < (by_line ? file.lines.size() : 1);
        if (taken > 0) {
            found_.push_back(std::move(found));
            const bool is_apart = mode_ == GrepMode::kContent && bytes_ > 0;
            bytes_ += bytes + (is_apart ? 1 : 0);
        }
        return cut_ ? search::Next::kStop : search::Next::kGoOn;
    }

    search::Next problem(std::string_view path, const Failure& failure) override {
        if (problems_.empty()) {
            problems_ = files_.shown(path) + ": " + std::string(code_name(failure.code));
            if (!failure.reason.empty()) problems_ += ", " + std::string(failure.reason);
        }
        return search::Next::kGoOn;
    }

    std::vector<MatchedFile> take() { return std::move(found_); }
    std::uint64_t given() const { return given_; }  // lines or files, as the offset counts them
    bool cut() const { return cut_; }               // there was no room for the next one
    const std::string& first_problem() const { return problems_; }

private:
    // The first one always does: whoever follows the offsets gets to the end.
    bool fits(std::size_t bytes, std::size_t taken = 0) const {
        return given_ + taken == 0 || bytes_ + bytes <= bytes_max_;
    }

    static std::size_t digits(std::uint64_t number) { return std::to_string(number).size(); }

    static std::size_t heading_bytes(const MatchedFile& file) {
        return file.path.size() + (file.count ? 2 + digits(*file.count) : 0) +
               (file.binary ? kBinaryRemark.size() : 0) + 1;
    }

    // A line that was cut must not show a part of a secret that nobody recognises.
    std::string text_of(const search::GrepLine& line) const {
        const auto before = static_cast<std::size_t>(line.text.data() - line.around.data());
        std::string text = session_.redact_part(line.around, before, line.text.size());
        if (text.ends_with('\r')) text.pop_back();
        if (line.skipped > 0) text.insert(0, "[line cut] ");
        if (line.skipped + line.text.size() < line.bytes) text += " [line cut]";
        return text;
    }

    // As many as there is room for; returns their number.
    std::size_t add_lines(MatchedFile& found, std::size_t& bytes,
                          const search::GrepFile& file) const {
        std::uint64_t previous = 0;
        std::size_t taken = 0;
        Lines& lines = found.lines;
        for (const search::GrepLine& line : file.lines) {
            Line row{.number = static_cast<std::int64_t>(line.number), .begin = lines.text.size()};
            row.is_match = line.kind == search::Line::Kind::kMatch;
            row.after_gap = has_context_ && previous != 0 && line.number > previous + 1;
            previous = line.number;
            if (line.text.size() == line.bytes) {
                lines.text += line.text;
                if (line.text.ends_with('\r')) lines.text.pop_back();
            } else {
                lines.text += text_of(line);
            }
            row.size = lines.text.size() - row.begin;
            bytes += row.size + (row.after_gap ? 3 : 0) + digits(line.number) + 2;
            if (!fits(bytes, taken)) {
                lines.text.resize(row.begin);
                break;
            }
            lines.text += '\n';
            lines.rows.push_back(row);
            ++taken;
        }
        return taken;
    }

    const Session& session_;
    const Files& files_;
    const GrepMode mode_;
    const std::size_t bytes_max_;
    const bool has_context_;  // then groups of lines are told apart
    std::vector<MatchedFile> found_;
    std::size_t bytes_ = 0;  // of their text
    std::string problems_;
    std::uint64_t given_ = 0;
    bool cut_ = false;
};

std::string unit_of(GrepMode mode) { return mode == GrepMode::kContent ? "lines" : "files"; }

std::string closing(const Files& files, const Collector& found, const GrepSummary& summary,
                    const search::GrepQuery& query) {
    using Cut = GrepSummary::Cut;
    Notes notes;
    if (found.given() == 0 && query.offset == 0) {
        note_passed_over(notes, query.walk, files, summary.excluded);
    }
    const std::string next =
        "; continue with offset=" + std::to_string(query.offset + found.given()) +
        ", or narrow the search.";
    if (summary.cut == Cut::kLimit)
        notes.add("There are more matching " + unit_of(query.mode) + next);
    if (found.cut()) notes.add("Cut by size" + next);
    if (summary.cut == Cut::kTime) {
        notes.add("Stopped after " + seconds_of(*query.time_max) + " s, " +
                  std::to_string(summary.files) +
                  " files; the result is partial. Narrow the path.");
    }
    if (summary.cut == Cut::kBytes) {
        notes.add("This session has reached its read limit; the result is partial.");
    }
    if (summary.problems > 0) {
        notes.add(std::to_string(summary.problems) + " could not be searched completely (" +
                  found.first_problem() + (summary.problems > 1 ? ", ..." : "") + ").");
    }
    return notes.sentences();
}

struct Search {
    search::GrepQuery query;
    const Files* files = nullptr;  // that it looks into
};

Result<Search> search_of(const Session& session, const Arguments& arguments, bool uncut) {
    Search search;
    search::GrepQuery& query = search.query;
    query.pattern = arguments.text("pattern");
    query.match = {.literal = arguments.flag("literal"),
                   .ignore_case = arguments.flag("-i"),
                   .words = arguments.flag("-w"),
                   .multiline = arguments.flag("multiline")};
    std::string path = arguments.text("path");
    if (const std::string glob = arguments.has("glob") ? arguments.text("glob") : "";
        glob.starts_with('!')) {
        query.globs.push_back("!" + written_pattern(glob.substr(1)));
    } else if (arguments.has("glob")) {
        Place place = place_of(session, path, glob);
        path = std::move(place.path);
        query.globs.push_back(std::move(place.pattern));
    }
    search.files = &session.files_for(path);
    const auto start = search.files->start_of_search(path);
    if (!start) return start.error();
    query.path = *start;
    if (arguments.has("type")) query.types.push_back(arguments.text("type"));
    query.walk = walk_for(*search.files, arguments, query.globs.empty() ? "" : query.globs.front());
    const std::string& mode = arguments.text("output_mode");
    query.mode = mode == "content" ? GrepMode::kContent
                 : mode == "count" ? GrepMode::kCount
                                   : GrepMode::kFilesWithMatches;
    const auto context = [&](const char* side) {
        const char* name = arguments.has(side) ? side : "-C";
        return arguments.has(name) ? static_cast<std::size_t>(arguments.integer(name)) : 0;
    };
    query.before = context("-B");
    query.after = context("-A");
    query.offset = static_cast<std::uint64_t>(arguments.integer("offset"));
    query.limit = static_cast<std::uint64_t>(arguments.integer("head_limit"));
    query.line_bytes_max = limits::kGrepShownLineBytesMax;
    query.time_max = session.search_time();
    if (!uncut) return search;
    if (!arguments.was_given("head_limit")) query.limit = UINT64_MAX;
    query.line_bytes_max = limits::kSearchLineBytesMax;
    query.time_max.reset();
    return search;
}

Error no_such_type(const std::string& type) {
    std::vector<std::string> names;
    for (const search::FileKind& kind : search::file_kinds()) names.emplace_back(kind.name);
    const std::string near = text::nearest_word(type, names);
    std::string text = "grep: there is no type '" + displayable(type.substr(0, 100)) + "'.";
    if (!near.empty()) text += " Did you mean '" + near + "'?";
    return tool_error(Code::kInvalidArgument,
                      text + " Name the files instead, such as glob='*.txt'.");
}

Result<Answer> run_grep(Session& session, const Arguments& arguments, const CallOptions& options) {
    auto search = search_of(session, arguments, options.uncut);
    if (!search) return search.error();
    const Files& files = *search->files;
    search::GrepQuery* const query = &search->query;
    query->cancel = options.cancel;
    query->line_margin = session.secret_margin();
    query->bytes_max = files.may_still_read();
    if (query->bytes_max == 0) return files.count_read(1).error();
    Collector found(session, files, *query,
                    options.uncut ? limits::kGrepUncutBytesMax : limits::kGrepShownBytesMax);
    const auto summary = search::grep(files.linkless(), *query, found);
    if (!summary && summary.error().operation == "type") return no_such_type(summary.error().path);
    if (!summary) return summary.error();
    // Where more was read than may be, all of the rest is used up.
    const std::uint64_t counted = std::min(summary->bytes, files.may_still_read());
    if (auto allowed = files.count_read(counted); !allowed) return allowed.error();
    if (summary->cut == GrepSummary::Cut::kCancelled) return call_cancelled();
    if (summary->cut == GrepSummary::Cut::kBytes && found.given() == 0) {
        return files.count_read(1).error();
    }
    Matches matches{found.take(), query->mode == GrepMode::kContent};
    std::string nothing;
    if (matches.files.empty() && query->offset > 0) {
        const bool is_all = summary->cut == GrepSummary::Cut::kNone && summary->problems == 0;
        nothing = is_all ? "No more matches." : "No more matches in what was searched.";
    } else if (matches.files.empty()) {
        nothing = "No matches in " + std::to_string(summary->files) + " files searched.";
    }
    return found_answer(std::move(matches), closing(files, found, *summary, *query),
                        std::move(nothing));
}

Argument flag(std::string_view name, std::string_view help,
              std::vector<std::string_view> aliases = {}) {
    return {.name = name,
            .type = Type::kFlag,
            .help = help,
            .default_value = false,
            .aliases = std::move(aliases)};
}

Argument lines_of_context(std::string_view name, std::string_view help,
                          std::vector<std::string_view> aliases) {
    return {.name = name,
            .type = Type::kInteger,
            .help = help,
            .aliases = std::move(aliases),
            .smallest = 0,
            .largest = limits::kGrepContextMax};
}

}  // namespace

const Declaration& grep() {
    static const Declaration kTool{
        .name = "grep",
        .title = "Search in files",
        .summary = "Search file contents with a regular expression.",
        .description =
            "RE2 syntax (as in most engines, without back-references and look-around); linear time "
            "on any pattern. \\w, \\d, \\s and \\b are ASCII, \\p{L} and the like Unicode. Hidden "
            "files and files that .gitignore excludes are skipped, links are not followed, binary "
            "files are only named. UTF-16 with a byte order mark is decoded. In Latin-1 a byte "
            "above ASCII matches \\C only, and is shown as '\uFFFD'. Results are sorted by path.",
        .traits = {.read_only = true, .idempotent = true},
        .arguments = {{.name = "pattern",
                       .help = "The regular expression, or plain text with 'literal'",
                       .required = true,
                       .aliases = {"regex", "query"}},
                      directory_argument("A directory or file to search"),
                      {.name = "glob",
                       .help =
                           "Only files that match, such as '*.{ts,tsx}'; a leading '!' excludes",
                       .aliases = {"include", "include_pattern"}},
                      {.name = "type", .help = "Only files of a type, such as 'py', 'rust', 'js'"},
                      {.name = "output_mode",
                       .help = "Show matching lines, only file names, or the number of matching "
                               "lines of each file",
                       .default_value = "files_with_matches",
                       .aliases = {"outputMode", "mode"},
                       .choices = {"content", "files_with_matches", "count"}},
                      flag("-i", "Ignore case", {"ignore_case", "case_insensitive", "ignoreCase"}),
                      flag("-w", "Match whole words only", {"word", "words"}),
                      lines_of_context("-A", "Number of lines to show after each match",
                                       {"after_context", "after"}),
                      lines_of_context("-B", "Number of lines to show before each match",
                                       {"before_context", "before"}),
                      lines_of_context("-C", "Number of lines to show before and after each match",
                                       {"context"}),
                      flag("multiline",
                           "Let matches span lines; '.' matches a line break only with (?s)"),
                      flag("literal", "Treat the pattern as plain text", {"fixed_strings"}),
                      flag("hidden", "Search hidden files too"),
                      flag("ignored", "Search files that .gitignore excludes too", {"no_ignore"}),
                      {.name = "head_limit",
                       .type = Type::kInteger,
                       .help = "Maximum number of lines (content) or files to show",
                       .default_value = limits::kGrepShown,
                       .aliases = {"limit", "max_results", "maxResults"},
                       .smallest = 1,
                       .largest = limits::kGrepShownMax},
                      {.name = "offset",
                       .type = Type::kInteger,
                       .help = "Number of lines or files to skip, to continue after a cut",
                       .default_value = 0,
                       .smallest = 0}},
        .passed_over = {"-n", "line_numbers"},
        .errors = {Code::kNotRegularFile},
        .example = R"({"pattern": "greet\\(", "type": "c", "output_mode": "content"})",
        .run = run_grep};
    return kTool;
}

}  // namespace paddock::tools
