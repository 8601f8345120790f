#include "search/grep.h"

#include "fs/entry.h"
#include "fs/readable.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "search/grep_run.h"
#include "search/grep_tasks.h"
#include "search/path_filter.h"

namespace paddock::search {
namespace {

constexpr std::string_view kOperation = "grep";

Result<PathFilter> filter_of(const GrepQuery& query) {
    PathFilter filter;
    for (const std::string& glob : query.globs) {
        if (const auto added = filter.add_glob(glob); !added) {
            return as_error(added.error(), "glob", glob);
        }
    }
    for (const std::string& type : query.types) {
        if (const auto added = filter.add_kind(type); !added) {
            return as_error(added.error(), "type", type);
        }
    }
    return filter;
}

}  // namespace

Result<GrepSummary> grep(const Root& root, const GrepQuery& query, GrepSink& sink) {
    const auto matcher = Matcher::compile(query.pattern, query.match);
    if (!matcher) return matcher.error();
    auto filter = filter_of(query);
    if (!filter) return filter.error();
    const fs::RootState& state = fs::state_of(root);
    return fs::report(
        kOperation, state, query.path, [&](const fs::RelPath& at) -> Outcome<GrepSummary> {
            const unsigned threads = search_threads(query.threads);
            GrepRun run(state, query, *matcher, sink, threads);
            Excluded excluded;
            auto directory = fs::open_listing(state, at);
            if (!directory && directory.error().code != Code::kNotADirectory)
                return directory.error();
            if (directory) {
                filter->set_start(at.text);
                WalkShare share{state, query.walk,
                                [&](std::string_view path, std::string_view name, FileType type) {
                                    return filter->choose(path, name, type);
                                }};
                walk_in_order(share, std::move(*directory), at, run, threads);
                excluded = std::move(share.excluded);
            } else {
                PADDOCK_ASSIGN(file, fs::open_readable(state, at));
                run.expect_one_file();
                run_in_order(file_task(run, std::move(file), at.text), threads,
                             limits::kSearchAheadBytesMax);
            }
            GrepSummary summary = run.summary();
            summary.excluded = std::move(excluded);
            return summary;
        });
}

}  // namespace paddock::search
