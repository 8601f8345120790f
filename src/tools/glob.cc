#include <paddock/limits.h>

#include "search/find.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/search_pattern.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

std::string closing(const Files& files, const search::FindResult& result,
                    const search::FindQuery& query, std::size_t offset) {
    Notes notes;
    if (result.total == 0) note_passed_over(notes, query.walk, files, result.excluded);
    if (const std::size_t next = result.found.size(); result.total > next) {
        const std::string first = offset > 0 ? std::to_string(offset + 1) + " to " : "";
        notes.add(
            "Newest " + first + std::to_string(next) + " of " + std::to_string(result.total) +
            " shown; " +
            (next > static_cast<std::size_t>(limits::kGlobOffsetMax)
                 ? "narrow the pattern."
                 : "continue with offset=" + std::to_string(next) + ", or narrow the pattern."));
    }
    if (result.cut != search::FindResult::Cut::kNone) {
        notes.add("Stopped after " + seconds_of(*query.time_max) +
                  " s; the result is partial. Narrow the path.");
    }
    if (result.unreadable > 0) {
        const std::string& first = result.first_unreadable;
        const bool is_one = result.unreadable == 1;
        notes.add(std::to_string(result.unreadable) + (is_one ? " directory" : " directories") +
                  " could not be read: '" + files.shown(first.empty() ? "." : first) + "' (" +
                  std::string(code_name(result.why_unreadable.code)) + (is_one ? ")." : "), ..."));
    }
    return notes.sentences();
}

Result<Answer> run_glob(Session& session, const Arguments& arguments, const CallOptions& options) {
    const Place place = place_of(session, arguments.text("path"), arguments.text("pattern"));
    const Files& files = session.files_for(place.path);
    const auto directory = files.directory(place.path);
    if (!directory && directory.error().code == Code::kNotFound) return files.missing(place.path);
    if (!directory) return directory.error();
    search::FindQuery query;
    query.pattern = place.pattern;
    query.path = *directory;
    query.walk = walk_for(files, arguments, query.pattern);
    const auto offset = static_cast<std::size_t>(arguments.integer("offset"));
    const bool is_all = options.uncut && !arguments.was_given("limit");
    query.limit = offset + (is_all ? limits::kGlobUncutMax
                                   : static_cast<std::size_t>(arguments.integer("limit")));
    if (!options.uncut) query.time_max = session.search_time();
    query.cancel = options.cancel;
    const auto result = search::find(files.linkless(), query);
    if (!result) return result.error();
    if (result->cut == search::FindResult::Cut::kCancelled) return call_cancelled();
    FoundPaths paths;
    for (std::size_t i = offset; i < result->found.size(); ++i) {
        const search::FoundFile found = result->found[i];
        const bool is_directory = found.type == FileType::kDirectory;
        paths.paths.push_back(is_directory ? files.shown_directory(found.path)
                                           : files.shown(found.path));
    }
    std::string nothing;
    if (paths.paths.empty()) nothing = offset > 0 ? "No more files match." : "No files match.";
    return found_answer(std::move(paths), closing(files, *result, query, offset),
                        std::move(nothing));
}

}  // namespace

const Declaration& glob() {
    static const Declaration kTool{
        .name = "glob",
        .title = "Find files",
        .summary = "Find files by a pattern of their path, newest first.",
        .description =
            "'*', '?', '[a-z]', '{a,b}' and '**' for any number of directories: 'src/**/*.{c,h}'. "
            "A pattern without a slash matches names at any depth. Hidden files and files that "
            ".gitignore excludes are skipped, unless an argument or a dot name in the pattern "
            "('.github/**') asks for them. Links are not followed.",
        .traits = {.read_only = true, .idempotent = true},
        .arguments = {{.name = "pattern", .help = "The pattern", .required = true},
                      directory_argument("The directory to look in"),
                      {.name = "limit",
                       .type = Type::kInteger,
                       .help = "Maximum number of files to show",
                       .default_value = limits::kGlobShown,
                       .aliases = {"head_limit", "max_results"},
                       .smallest = 1,
                       .largest = limits::kGlobShownMax},
                      {.name = "offset",
                       .type = Type::kInteger,
                       .help = "Number of files to skip, to continue after a cut",
                       .default_value = 0,
                       .smallest = 0,
                       .largest = limits::kGlobOffsetMax},
                      {.name = "hidden",
                       .type = Type::kFlag,
                       .help = "Include hidden files",
                       .default_value = false},
                      {.name = "ignored",
                       .type = Type::kFlag,
                       .help = "Include files that .gitignore excludes",
                       .default_value = false,
                       .aliases = {"no_ignore"}}},
        .example = R"({"pattern": "src/**/*.{c,h}"})",
        .run = run_glob};
    return kTool;
}

}  // namespace paddock::tools
