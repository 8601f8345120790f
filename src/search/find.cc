#include "search/find.h"

#include <algorithm>
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

class FindRun final : public Visitor {
public:
    explicit FindRun(const FindQuery& query)
        : query_(query), interruption_(query.time_max, query.cancel) {}

    std::unique_ptr<Task> visit(Batch batch) override;
    Next unreadable(std::string_view, const Failure&) override {
        ++result_.unreadable;
        return Next::kGoOn;
    }
    bool interrupted() const noexcept override { return interruption_.requested(); }

    bool by_time() const noexcept { return query_.order == FindQuery::Order::kNewestFirst; }
    Next deliver(std::vector<Found>&& found);
    FindResult finish();

private:
    void keep_best();

    const FindQuery& query_;
    mutable Interruption interruption_;
    FindResult result_;
};

class FindTask final : public Task {
public:
    FindTask(FindRun& run, Batch batch) : run_(run), batch_(std::move(batch)) {}

    void run(unsigned worker, List& behind) override;
    Next deliver() override { return run_.deliver(std::move(found_)); }
    std::size_t bytes() const noexcept override { return found_.size() * sizeof(Found); }

private:
    FindRun& run_;
    Batch batch_;
    std::vector<Found> found_;
};

void FindTask::run(unsigned, List&) {
    const Batch batch = std::move(batch_);
    const WalkedDirectory& directory = *batch.directory;
    const auto held = directory.hold();
    if (!held) return;
    for (std::uint32_t i = batch.begin; i < batch.end; ++i) {
        const auto& entry = directory.entries()[i];
        if (!entry.interest.take) continue;
        Found found{directory.path(entry), entry.type, {}};
        if (run_.by_time()) {
            const auto node = sys::node_at(held->fd, directory.name(entry));
            if (!node) continue;
            found.modified = node->stat.modified;
        }
        found_.push_back(std::move(found));
    }
}

std::unique_ptr<Task> FindRun::visit(Batch batch) {
    return std::make_unique<FindTask>(*this, std::move(batch));
}

bool newer(const Found& a, const Found& b) { return a.modified > b.modified; }

// Of equal ones the first by path, which is the order in which they came.
void FindRun::keep_best() {
    std::stable_sort(result_.found.begin(), result_.found.end(), newer);
    if (result_.found.size() > query_.limit) {
        result_.found.erase(result_.found.begin() + static_cast<std::ptrdiff_t>(query_.limit),
                            result_.found.end());
    }
}

Next FindRun::deliver(std::vector<Found>&& found) {
    result_.total += found.size();
    for (Found& one : found) {
        if (!by_time() && result_.found.size() == query_.limit) break;
        result_.found.push_back(std::move(one));
    }
    // Sorted now and then, so that no more than twice the limit is held.
    if (by_time() && result_.found.size() / 2 > query_.limit) keep_best();
    return Next::kGoOn;
}

FindResult FindRun::finish() {
    if (by_time()) keep_best();
    if (interruption_.cause() == Interruption::Cause::kTime) result_.cut = FindResult::Cut::kTime;
    if (interruption_.cause() == Interruption::Cause::kCancelled) {
        result_.cut = FindResult::Cut::kCancelled;
    }
    return std::move(result_);
}

// Only names that the pattern can match, relative to the start of the walk.
Chooser chooser_of(const text::Glob& glob, std::size_t start_bytes) {
    return [&glob, start_bytes](std::string_view path, std::string_view, FileType type) {
        const std::string_view below = path.substr(start_bytes);
        if (type != FileType::kDirectory) return Interest{.take = glob.matches(below, false)};
        const bool asked_for = glob.matches(below, true) && !glob.matches(below, false);
        return Interest{.take = asked_for, .enter = glob.may_match_below(below)};
    };
}

}  // namespace

Result<FindResult> find(const Root& root, const FindQuery& query) {
    const auto glob = text::Glob::compile(query.pattern, {.any_depth = true});
    if (!glob) return fs::as_error(glob.error(), "glob", query.pattern);
    const fs::RootState& state = fs::state_of(root);
    const auto act = [&](const fs::RelPath& at) -> Outcome<FindResult> {
        PADDOCK_ASSIGN(directory, fs::open_listing(state, at));
        FindRun run(query);
        WalkShare share{state, query.walk,
                        chooser_of(*glob, at.is_root() ? 0 : at.text.size() + 1)};
        walk_in_order(share, std::move(directory), at, run, search_threads(query.threads));
        return run.finish();
    };
    return fs::report("glob", state, query.path, act);
}

}  // namespace paddock::search
