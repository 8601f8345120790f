#include "search/tree_walk.h"

#include <cerrno>
#include <string>
#include <utility>

#include <paddock/limits.h>

#include "fs/entry.h"

namespace paddock::search {
namespace {

class DirectoryTask final : public Task {
public:
    DirectoryTask(WalkShare& share, Visitor& visitor, std::string path)
        : share_(share), visitor_(visitor), path_(std::move(path)) {}

    // A child of `parent`, or the start of the walk.
    void set_parent(std::shared_ptr<const WalkedDirectory> parent,
                    const WalkedDirectory::Entry& entry) {
        parent_ = std::move(parent);
        entry_ = entry;
    }
    void set_start(UniqueFd start, IgnoreScope above) {
        start_ = std::move(start);
        above_ = std::move(above);
    }

    void run(unsigned worker, List& behind) override;
    Next deliver() override;
    std::size_t bytes() const noexcept override { return 0; }

private:
    Outcome<std::shared_ptr<const WalkedDirectory>> open(unsigned worker);
    void hand_out(const std::shared_ptr<const WalkedDirectory>& directory, List& behind);

    WalkShare& share_;
    Visitor& visitor_;
    std::string path_;
    std::shared_ptr<const WalkedDirectory> parent_;
    WalkedDirectory::Entry entry_;
    UniqueFd start_;
    IgnoreScope above_;
    Done done_;
};

Outcome<std::shared_ptr<const WalkedDirectory>> DirectoryTask::open(unsigned worker) {
    if (parent_ == nullptr) {
        return WalkedDirectory::read(share_, worker, std::move(start_), path_, above_);
    }
    if (path_.size() > limits::kPathBytesMax) {
        return refuse(Code::kLimitReached, "lies too deep");
    }
    PADDOCK_ASSIGN(held, parent_->hold());
    PADDOCK_ASSIGN(fd, fs::open_directory_entry(share_.state, held.fd, parent_->name(entry_)));
    return WalkedDirectory::read(share_, worker, std::move(fd), path_, parent_->scope());
}

void DirectoryTask::run(unsigned worker, List& behind) {
    if (visitor_.interrupted()) return;
    const auto directory = open(worker);
    parent_.reset();
    if (directory) {
        hand_out(*directory, behind);
    } else if (directory.error().os_error != ENOENT) {
        done_ = directory.error();
    }
}

void DirectoryTask::hand_out(const std::shared_ptr<const WalkedDirectory>& directory,
                             List& behind) {
    const auto& entries = directory->entries();
    const auto count = static_cast<std::uint32_t>(entries.size());
    const std::uint32_t batch_entries = visitor_.batch_entries();
    std::uint32_t begin = 0;
    std::uint32_t taken = 0;
    const auto end_batch = [&](std::uint32_t end) {
        if (taken > 0) behind.push_back(visitor_.visit({directory, begin, end}));
        begin = end;
        taken = 0;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        if (entries[i].interest.take && ++taken == batch_entries) end_batch(i + 1);
        if (!entries[i].interest.enter) continue;
        end_batch(i + 1);
        auto below = std::make_unique<DirectoryTask>(share_, visitor_, directory->path(entries[i]));
        below->set_parent(directory, entries[i]);
        behind.push_back(std::move(below));
    }
    end_batch(count);
}

Next DirectoryTask::deliver() {
    if (visitor_.interrupted()) return Next::kStop;
    return done_ ? Next::kGoOn : visitor_.unreadable(path_, done_.error());
}

}  // namespace

void walk_in_order(WalkShare& share, UniqueFd start, const fs::RelPath& path, Visitor& visitor,
                   unsigned threads) {
    IgnoreScope above;
    if (!share.options.ignored) {
        above = ignore_scope_above(share.state, path.text, share.options.global_rules);
    }
    share.readers.resize(threads);
    auto first = std::make_unique<DirectoryTask>(share, visitor, path.text);
    first->set_start(std::move(start), std::move(above));
    run_in_order(std::move(first), threads, limits::kSearchAheadBytesMax);
}

}  // namespace paddock::search
