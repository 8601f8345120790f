// grep: the lines, files or counts that match a pattern below a directory, in order of path.
//
// The answer does not depend on the number of threads: with a limit it is the first entries in
// order, and the search stops soon after them. Whatever was cut or passed over is in the summary.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "search/interruption.h"
#include "search/matcher.h"
#include "search/sink.h"
#include "search/walked_directory.h"

namespace paddock::search {

enum class GrepMode : std::uint8_t { kContent, kFilesWithMatches, kCount };

struct GrepQuery {
    std::string pattern;
    MatchOptions match{};
    std::string path = ".";  // a directory, or one file
    std::vector<std::string> globs{};
    std::vector<std::string> types{};
    WalkOptions walk{};

    GrepMode mode = GrepMode::kContent;
    std::size_t before = 0;  // lines of context
    std::size_t after = 0;
    std::size_t line_bytes_max = limits::kGrepLineBytes;  // more of a line is not given out
    std::size_t line_margin = 0;  // but so many bytes before and behind, as GrepLine::around

    // Entries are lines in kContent, files otherwise.
    std::uint64_t offset = 0;
    std::uint64_t limit = UINT64_MAX;

    // To be searched. A little more may be read, of which nothing is given out.
    std::uint64_t bytes_max = UINT64_MAX;
    std::optional<std::chrono::milliseconds> time_max{};
    std::stop_token cancel{};
    unsigned threads = 0;  // 0: one for each processor, within limits::kSearchThreadsMax
};

struct GrepLine {
    Line::Kind kind = Line::Kind::kMatch;
    std::uint64_t number = 0;   // 1 for the first line
    std::uint64_t bytes = 0;    // of the whole line; `text` may be only a part, with the match
    std::uint64_t skipped = 0;  // bytes of the line before `text`
    std::string_view text;
    std::string_view around;  // `text` itself is a part of it
};

struct GrepFile {
    std::string_view path;        // relative to the root
    bool binary = false;          // it matches, but its lines are not text and not given
    std::uint64_t matches = 0;    // matching lines; in kFilesWithMatches 1
    std::vector<GrepLine> lines;  // in kContent
};

class GrepSink {
public:
    GrepSink() = default;
    GrepSink(const GrepSink&) = delete;
    GrepSink& operator=(const GrepSink&) = delete;
    virtual ~GrepSink() = default;

    // A file with matches; in order of path, valid during the call. By one thread at a time.
    virtual Next file(const GrepFile& file) = 0;

    // A file or directory that could not be read or not wholly searched.
    virtual Next problem(std::string_view path, const Failure& failure) = 0;
};

struct GrepSummary {
    enum class Cut : std::uint8_t { kNone, kLimit, kBytes, kTime, kCancelled, kSink };
    Cut cut = Cut::kNone;  // why not all was searched

    // Of what was searched in order, up to the cut.
    std::uint64_t entries = 0;  // found, those before the offset included
    std::uint64_t files = 0;    // searched
    std::uint64_t matched = 0;  // files
    std::uint64_t binary = 0;   // files that matched but are not text
    std::uint64_t problems = 0;
    std::uint64_t bytes = 0;
    Excluded excluded{};
};

// Errors: those of Matcher::compile; of the globs and types (invalid_argument, path_escape,
// limit_reached); of `path`, as from Root::open_file.
Result<GrepSummary> grep(const Root& root, const GrepQuery& query, GrepSink& sink);

}  // namespace paddock::search
