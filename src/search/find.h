// glob: the files below a directory whose paths match a pattern, newest first.
//
// Only directories in which something can match are entered. Links are reported, never followed; a
// directory is reported if the pattern asks for directories by a final "/", or the query does.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include <paddock/root.h>

#include "search/found_files.h"
#include "search/walked_directory.h"

namespace paddock::search {

struct FindQuery {
    std::string pattern;     // relative to `path`; without a slash for names at any depth
    std::string path = ".";  // a directory
    WalkOptions walk{};

    enum class Order : std::uint8_t { kNewestFirst, kPath };
    Order order = Order::kNewestFirst;  // equal times: in order of path

    bool directories = false;  // that match are found too

    std::size_t limit = SIZE_MAX;
    std::optional<std::uint64_t> entries_max{};  // looked at, about; then the result is cut
    std::optional<std::chrono::milliseconds> time_max{};
    std::stop_token cancel{};
    unsigned threads = 0;  // as in GrepQuery
};

struct FindResult {
    enum class Cut : std::uint8_t { kNone, kEntries, kTime, kCancelled };

    FoundFiles found;
    std::uint64_t total = 0;       // that matched, more than found.size() if there is a limit
    std::uint64_t unreadable = 0;  // directories, or parts of large ones
    std::string first_unreadable;  // in order of path, and why it could not be read
    Failure why_unreadable{};
    Cut cut = Cut::kNone;  // why not all was looked at
    Excluded excluded{};
};

// Errors: those of text::Glob::compile; of `path`, as from Root::list.
Result<FindResult> find(const Root& root, const FindQuery& query);

}  // namespace paddock::search
