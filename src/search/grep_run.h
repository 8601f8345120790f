// One grep while it runs: how its tasks search files, and what becomes of their results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/file_result.h"
#include "search/grep.h"
#include "search/interruption.h"
#include "search/tree_walk.h"

namespace paddock::search {

// A file that has something to tell.
struct Finding {
    std::string path;
    FileResult result;
    std::optional<Failure> failure{};
    std::uint64_t bytes = 0;  // that its task had read with it
};

// What a task adds to the summary when its turn has come.
struct Tally {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    std::vector<Finding> findings{};
    bool interrupted = false;  // the rest of the task was left undone

    std::size_t held_bytes() const noexcept;
};

class GrepRun final : public Visitor {
public:
    GrepRun(const fs::RootState& state, const GrepQuery& query, const Matcher& matcher,
            GrepSink& sink, unsigned threads);

    std::unique_ptr<Task> visit(Batch batch) override;
    std::uint32_t batch_entries() const noexcept override { return 16; }
    Next unreadable(std::string_view path, const Failure& failure) override;
    bool interrupted() const noexcept override { return interruption_.requested(); }

    // On any thread: searches the file into `tally`. If it is better searched in parts, their
    // tasks are put into `behind` instead.
    void search(unsigned worker, Handle file, std::string path, Tally& tally, Task::List& behind);
    FileReport search_part(unsigned worker, int fd, const Extent& extent, FileResult& result,
                           std::optional<Failure>& failure);

    // Of a file that was searched in pieces.
    static Failure in_pieces() noexcept;

    // All that is searched is one file: what comes before the offset need not be kept.
    void expect_one_file() noexcept;

    // In order.
    Next deliver(const Tally& tally);

    const fs::RootState& state() const noexcept { return state_; }
    const Wanted& wanted() const noexcept { return wanted_; }
    GrepSummary summary() const;

private:
    bool pays_in_parts(const Handle& file) const;
    Next deliver(const Finding& finding);
    Next give_out(const Finding& finding);
    Next stop(GrepSummary::Cut cut);

    const fs::RootState& state_;
    const GrepQuery& query_;
    const Matcher& matcher_;
    GrepSink& sink_;
    Wanted wanted_;
    mutable Interruption interruption_;
    std::vector<std::unique_ptr<Searcher>> searchers_;  // one for each worker
    GrepSummary summary_;
};

}  // namespace paddock::search
