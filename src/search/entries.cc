#include "search/entries.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "fs/resolver.h"
#include "search/walk.h"

namespace paddock::search {
namespace {

class EntriesRun final : public Visitor {
public:
    explicit EntriesRun(const std::stop_token& cancel) : cancel_(cancel) {}

    std::unique_ptr<Task> visit(Batch batch) override;
    std::uint32_t batch_entries() const noexcept override { return 256; }
    Next unreadable(std::string_view path, const Failure& why) override {
        if (why.code != Code::kMountCrossing) found_.unreadable.emplace_back(path);
        return Next::kGoOn;
    }
    bool interrupted() const noexcept override { return cancel_.stop_requested(); }

    Next deliver(std::vector<FoundEntry> entries) {
        found_.all.insert(found_.all.end(), std::make_move_iterator(entries.begin()),
                          std::make_move_iterator(entries.end()));
        return Next::kGoOn;
    }
    FoundEntries take() {
        found_.is_cut = interrupted();
        return std::move(found_);
    }

private:
    const std::stop_token& cancel_;
    FoundEntries found_;
};

class EntriesTask final : public Task {
public:
    EntriesTask(EntriesRun& run, Batch batch) : run_(run), batch_(std::move(batch)) {}

    void run(unsigned, List&) override {
        const Batch batch = std::move(batch_);
        for (std::uint32_t i = batch.begin; i < batch.end; ++i) {
            const auto& entry = batch.directory->entries()[i];
            if (entry.interest.take) taken_.push_back({batch.directory->path(entry), entry.type});
        }
    }
    Next deliver() override { return run_.deliver(std::move(taken_)); }
    std::size_t bytes() const noexcept override { return taken_.size() * sizeof(FoundEntry); }

private:
    EntriesRun& run_;
    Batch batch_;
    std::vector<FoundEntry> taken_;
};

std::unique_ptr<Task> EntriesRun::visit(Batch batch) {
    return std::make_unique<EntriesTask>(*this, std::move(batch));
}

}  // namespace

Outcome<FoundEntries> find_entries(const Root& root, const Chooser& choose,
                                   const std::stop_token& cancel) {
    const fs::RootState& state = fs::state_of(root);
    PADDOCK_ASSIGN(directory, fs::open_listing(state, {}));
    WalkOptions options;
    options.hidden = options.ignored = options.sockets = true;
    options.directory_entries_max = SIZE_MAX;
    WalkShare share{state, options, choose};
    EntriesRun run(cancel);
    walk_in_order(share, std::move(directory), {}, run, search_threads(0));
    return run.take();
}

}  // namespace paddock::search
