#include "search/grep_tasks.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <utility>

#include <paddock/limits.h>

#include "fs/entry.h"
#include "search/grep_run.h"

namespace paddock::search {
namespace {

// Files of one directory.
class BatchTask final : public Task {
public:
    BatchTask(GrepRun& run, Batch batch) : run_(run), batch_(std::move(batch)) {}

    void run(unsigned worker, List& behind) override;
    Next deliver() override { return run_.deliver(tally_); }
    std::size_t bytes() const noexcept override { return tally_.held_bytes(); }

private:
    GrepRun& run_;
    Batch batch_;
    Tally tally_;
};

void BatchTask::run(unsigned worker, List& behind) {
    const Batch batch = std::move(batch_);
    const auto held = batch.directory->hold();
    const auto open = [&](const WalkedDirectory::Entry& entry) -> Outcome<Handle> {
        if (!held) return held.error();
        return fs::open_file_entry(run_.state(), held->fd, batch.directory->name(entry));
    };
    for (std::uint32_t i = batch.begin; i < batch.end; ++i) {
        const auto& entry = batch.directory->entries()[i];
        if (!entry.interest.take) continue;
        if (run_.interrupted()) {
            tally_.interrupted = true;
            return;
        }
        auto file = open(entry);
        if (file) {
            run_.search(worker, std::move(*file), batch.directory->path(entry), tally_, behind);
        } else if (file.error().os_error != ENOENT) {
            tally_.findings.push_back(
                {batch.directory->path(entry), FileResult(run_.wanted()), file.error()});
        }
        if (behind.empty()) continue;
        behind.push_back(run_.visit({batch.directory, i + 1, batch.end}));
        return;
    }
}

// A large file, searched in parts by whoever is free.
struct SplitFile {
    SplitFile(Handle opened, std::string at, std::uint64_t bytes, const Wanted& wanted)
        : file(std::move(opened)),
          path(std::move(at)),
          part_bytes(bytes),
          parts((file.stat().size + bytes - 1) / bytes),
          result(wanted) {}

    const Handle file;
    const std::string path;
    const std::uint64_t part_bytes;
    const std::uint64_t parts;
    // Parts behind this one are not wanted any more.
    std::atomic<std::uint64_t> last_wanted = UINT64_MAX;

    // Only touched in order.
    FileResult result;
    std::uint64_t newlines = 0;
    bool in_pieces = false;
    bool ended = false;
};

class PartTask final : public Task {
public:
    PartTask(GrepRun& run, std::shared_ptr<SplitFile> split, std::uint64_t part)
        : run_(run), split_(std::move(split)), part_(part), result_(run.wanted()) {}

    void run(unsigned worker, List& behind) override;
    Next deliver() override;
    std::size_t bytes() const noexcept override { return result_.bytes(); }

private:
    GrepRun& run_;
    std::shared_ptr<SplitFile> split_;
    std::uint64_t part_;
    FileResult result_;
    FileReport report_;
    std::optional<Failure> failure_;
};

void PartTask::run(unsigned worker, List&) {
    if (part_ > split_->last_wanted.load(std::memory_order_relaxed)) return;
    Extent extent;
    extent.size = split_->file.stat().size;
    extent.begin = part_ * split_->part_bytes;
    extent.end = part_ + 1 == split_->parts ? UINT64_MAX : extent.begin + split_->part_bytes;
    report_ = run_.search_part(worker, split_->file.fd(), extent, result_, failure_);
    if (report_.end == FileReport::End::kComplete && !report_.binary && !failure_) return;
    std::uint64_t last = split_->last_wanted.load(std::memory_order_relaxed);
    while (part_ < last && !split_->last_wanted.compare_exchange_weak(last, part_)) {
    }
}

Next PartTask::deliver() {
    Tally tally;
    if (!split_->ended) {
        tally.bytes = report_.bytes;
        split_->result.append(std::move(result_), split_->newlines);
        split_->newlines += report_.newlines;
        split_->in_pieces = split_->in_pieces || report_.in_pieces;
        if (split_->result.overflowed()) failure_ = FileResult::overflow();
        tally.interrupted = report_.end == FileReport::End::kInterrupted;
        split_->ended = part_ + 1 == split_->parts || failure_ || split_->result.full() ||
                        report_.binary || tally.interrupted;
        if (split_->ended) {
            tally.files = 1;
            if (split_->in_pieces && !failure_) failure_ = GrepRun::in_pieces();
            if (split_->result.matched() || failure_) {
                tally.findings.push_back(
                    {split_->path, std::move(split_->result), failure_, tally.bytes});
            }
        }
    }
    return run_.deliver(tally);
}

// The file that the caller named.
class FileTask final : public Task {
public:
    FileTask(GrepRun& run, Handle file, std::string path)
        : run_(run), file_(std::move(file)), path_(std::move(path)) {}

    void run(unsigned worker, List& behind) override {
        run_.search(worker, std::move(file_), std::move(path_), tally_, behind);
    }
    Next deliver() override { return run_.deliver(tally_); }
    std::size_t bytes() const noexcept override { return tally_.held_bytes(); }

private:
    GrepRun& run_;
    Handle file_;
    std::string path_;
    Tally tally_;
};

}  // namespace

std::unique_ptr<Task> batch_task(GrepRun& run, Batch batch) {
    return std::make_unique<BatchTask>(run, std::move(batch));
}

std::unique_ptr<Task> file_task(GrepRun& run, Handle file, std::string path) {
    return std::make_unique<FileTask>(run, std::move(file), std::move(path));
}

void add_part_tasks(GrepRun& run, Handle file, std::string path, Task::List& tasks) {
    const std::uint64_t bytes =
        std::max(limits::kSearchPartBytes, file.stat().size / limits::kSearchPartsMax + 1);
    const auto split =
        std::make_shared<SplitFile>(std::move(file), std::move(path), bytes, run.wanted());
    for (std::uint64_t i = 0; i < split->parts; ++i) {
        tasks.push_back(std::make_unique<PartTask>(run, split, i));
    }
}

}  // namespace paddock::search
