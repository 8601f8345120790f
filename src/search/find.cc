#include "search/find.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include <paddock/limits.h>

#include "fs/entry.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "search/interruption.h"
#include "search/tree_walk.h"
#include "sys/stat.h"
#include "text/glob.h"

namespace paddock::search {
namespace {

constexpr std::size_t kFilesHeld = 4096;  // however few are wanted: sorting often costs more

class FindRun final : public Visitor {
public:
    explicit FindRun(const FindQuery& query)
        : query_(query), interruption_(query.time_max, query.cancel) {}

    std::unique_ptr<Task> visit(Batch batch) override;
    std::uint32_t batch_entries() const noexcept override { return 256; }
    Next unreadable(std::string_view path, const Failure& failure) override {
        if (result_.unreadable++ > 0) return Next::kGoOn;
        result_.first_unreadable = path;
        result_.why_unreadable = failure;
        return Next::kGoOn;
    }
    bool interrupted() const noexcept override { return interruption_.requested(); }

    // Of every entry, on any thread.
    void count_entry() noexcept {
        if (!query_.entries_max) return;
        if (entries_.fetch_add(1, std::memory_order_relaxed) < *query_.entries_max) return;
        interruption_.request(Interruption::Cause::kEnough);
    }

    bool by_time() const noexcept { return query_.order == FindQuery::Order::kNewestFirst; }
    Next deliver(FoundFiles found);
    FindResult finish();

private:
    const FindQuery& query_;
    mutable Interruption interruption_;
    std::atomic<std::uint64_t> entries_ = 0;
    FindResult result_;
};

class FindTask final : public Task {
public:
    FindTask(FindRun& run, Batch batch) : run_(run), batch_(std::move(batch)) {}

    void run(unsigned worker, List& behind) override;
    Next deliver() override {
        if (!done_) return run_.unreadable(path_, done_.error());
        return run_.deliver(std::move(found_));
    }
    std::size_t bytes() const noexcept override { return found_.bytes(); }

private:
    FindRun& run_;
    Batch batch_;
    FoundFiles found_;
    Done done_;
    std::string path_;  // of the directory, if it could not be read
};

void FindTask::run(unsigned, List&) {
    const Batch batch = std::move(batch_);
    const WalkedDirectory& directory = *batch.directory;
    const auto held = directory.hold();
    if (!held) {
        if (held.error().os_error == ENOENT) return;
        done_ = held.error();
        path_ = directory.path();
        return;
    }
    found_.expect(batch.end - batch.begin, directory.path_bytes(batch.begin, batch.end));
    for (std::uint32_t i = batch.begin; i < batch.end; ++i) {
        const auto& entry = directory.entries()[i];
        if (!entry.interest.take) continue;
        std::chrono::nanoseconds modified{};
        if (run_.by_time()) {
            const auto time = sys::modified_at(held->fd, directory.name(entry));
            if (!time) continue;
            modified = *time;
        }
        found_.add(entry.type, modified,
                   [&](std::string& text) { directory.append_path(entry, text); });
    }
}

std::unique_ptr<Task> FindRun::visit(Batch batch) {
    return std::make_unique<FindTask>(*this, std::move(batch));
}

Next FindRun::deliver(FoundFiles found) {
    result_.total += found.size();
    if (by_time()) {
        result_.found.append(std::move(found), found.size());
        // Now and then, so that no more than twice as many are held.
        const std::size_t held = std::max(query_.limit, kFilesHeld);
        if (result_.found.size() / 2 > held) result_.found.keep_newest(query_.limit);
    } else {
        result_.found.append(std::move(found), query_.limit - result_.found.size());
    }
    return Next::kGoOn;
}

FindResult FindRun::finish() {
    if (by_time()) result_.found.keep_newest(query_.limit);
    switch (interruption_.cause()) {
        case Interruption::Cause::kNone: break;
        case Interruption::Cause::kEnough: result_.cut = FindResult::Cut::kEntries; break;
        case Interruption::Cause::kTime: result_.cut = FindResult::Cut::kTime; break;
        case Interruption::Cause::kCancelled: result_.cut = FindResult::Cut::kCancelled; break;
    }
    return std::move(result_);
}

// Only names that the pattern can match, relative to the start of the walk.
Chooser chooser_of(const text::Glob& glob, FindRun& run, bool directories,
                   std::size_t start_bytes) {
    return [&, directories, start_bytes](std::string_view path, std::string_view, FileType type) {
        run.count_entry();
        const std::string_view below = path.substr(start_bytes);
        if (type != FileType::kDirectory) return Interest{.take = glob.matches(below, false)};
        const bool asked_for =
            glob.matches(below, true) && (directories || !glob.matches(below, false));
        return Interest{.take = asked_for, .enter = glob.may_match_below(below)};
    };
}

}  // namespace

Result<FindResult> find(const Root& root, const FindQuery& query) {
    const auto glob = text::Glob::compile(query.pattern, {.any_depth = true});
    if (!glob) return as_error(glob.error(), "glob", query.pattern);
    const fs::RootState& state = fs::state_of(root);
    const auto act = [&](const fs::RelPath& at) -> Outcome<FindResult> {
        PADDOCK_ASSIGN(directory, fs::open_listing(state, at));
        FindRun run(query);
        WalkShare share{
            state, query.walk,
            chooser_of(*glob, run, query.directories, at.is_root() ? 0 : at.text.size() + 1)};
        walk_in_order(share, std::move(directory), at, run, search_threads(query.threads));
        FindResult result = run.finish();
        result.excluded = std::move(share.excluded);
        return result;
    };
    return fs::report("glob", state, query.path, act);
}

}  // namespace paddock::search
