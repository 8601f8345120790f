#include "search/grep.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/utf8.h"
#include "fs/readable.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "search/find.h"
#include "secrets/block.h"
#include "sys/io.h"

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
                             kSearchAheadBytesMax);
            }
            GrepSummary summary = run.summary();
            summary.excluded = std::move(excluded);
            return summary;
        });
}

namespace {

// A long private key with escaped line ends, in base64 once more.
constexpr std::size_t kKeyBytesMax = std::size_t{16} << 10;
constexpr std::size_t kLabelBytesMax = 64;  // "-----BEGIN RSA " with room to spare

// Where a private key begins that may reach to `end`: it is known by its beginning alone, which can
// be farther away than any margin. `end` if there is none.
std::size_t key_begin(std::string_view text, std::size_t end) {
    const std::size_t from = end - std::min(end, kKeyBytesMax);
    const std::string_view near = text.substr(from, end - from);
    if (const std::size_t at = near.rfind("PRIVATE KEY"); at != std::string_view::npos) {
        const std::size_t label = at - std::min(at, kLabelBytesMax);
        const bool begins = near.substr(label, at - label).find("BEGIN ") != std::string_view::npos;
        if (begins) return from + label;
    }
    const std::size_t encoded = near.rfind(secrets::kEncodedBegin);
    return encoded == std::string_view::npos ? end : from + encoded;
}

}  // namespace

FileResult::FileResult(FileResult&& other) noexcept
    : wanted_(other.wanted_),
      binary_(other.binary_),
      matches_(other.matches_),
      lines_before_(other.lines_before_),
      lines_(std::move(other.lines_)),
      text_(std::move(other.text_)) {}

FileResult& FileResult::operator=(FileResult&& other) noexcept {
    wanted_ = other.wanted_;
    binary_ = other.binary_;
    matches_ = other.matches_;
    lines_before_ = other.lines_before_;
    lines_ = std::move(other.lines_);
    text_ = std::move(other.text_);
    return *this;
}

bool FileResult::overflowed() const noexcept {
    return text_.size() + lines_.size() * sizeof(Kept) > limits::kGrepFileBytesMax;
}

Failure FileResult::overflow() noexcept {
    return refuse(Code::kLimitReached,
                  "has too many matching lines for one search; search this file by itself");
}

bool FileResult::full() const noexcept {
    if (overflowed()) return true;
    if (wanted_->mode == GrepMode::kFilesWithMatches) return matched();
    return wanted_->mode == GrepMode::kContent && lines_.size() >= wanted_->lines_max;
}

// The beginning of a line, unless it is too long and would not show the match.
std::size_t FileResult::shown_from(const Line& line) const {
    const std::size_t room = wanted_->line_bytes_max;
    if (line.kind != Line::Kind::kMatch || line.text.size() <= room) return 0;
    const std::size_t end =
        line.match + std::min(line.text.size() - line.match, wanted_->matcher->bytes_at_once());
    const auto match = wanted_->matcher->next_match(line.text, line.match, end);
    if (!match || match->end <= room) return 0;
    const std::size_t from = match->begin - std::min(match->begin, room / 4);
    return cut_utf8(line.text, std::min(from, line.text.size() - room)).size();
}

Next FileResult::line(const Line& line) {
    if (line.kind == Line::Kind::kMatch) ++matches_;
    const bool is_wanted = wanted_->mode == GrepMode::kContent && !binary_;
    if (is_wanted && lines_before_ < wanted_->lines_before) {
        ++lines_before_;
    } else if (is_wanted) {
        const std::size_t skipped = shown_from(line);
        const std::string_view shown = cut_utf8(line.text.substr(skipped), wanted_->line_bytes_max);
        const std::size_t margin = std::min(skipped, wanted_->margin);
        const std::size_t before =
            margin == 0 ? 0 : skipped - key_begin(line.text, skipped - margin);
        const std::string_view around =
            line.text.substr(skipped - before, before + shown.size() + wanted_->margin);
        lines_.push_back({line.kind, line.number, line.text.size(), skipped, text_.size(), before,
                          shown.size(), around.size()});
        text_ += around;
    }
    return full() ? Next::kStop : Next::kGoOn;
}

void FileResult::set_binary() {
    binary_ = true;
    lines_before_ = 0;
    lines_.clear();
    text_.clear();
}

void FileResult::append(FileResult&& later, std::uint64_t newlines) {
    matches_ += later.matches_;
    if (later.binary_) set_binary();
    if (binary_) return;
    for (Kept kept : later.lines_) {
        if (full()) break;
        kept.begin += text_.size();
        if (kept.number > 0) kept.number += newlines;
        lines_.push_back(kept);
    }
    text_ += later.text_;
}

std::size_t FileResult::bytes() const noexcept {
    return sizeof(*this) + lines_.capacity() * sizeof(Kept) + text_.capacity();
}

GrepFile FileResult::view(std::string_view path) const {
    GrepFile file;
    file.path = path;
    file.binary = binary_;
    file.matches = matches_;
    file.lines.reserve(lines_.size());
    for (const Kept& kept : lines_) {
        const auto around = std::string_view(text_).substr(kept.begin, kept.length_around);
        file.lines.push_back({kept.kind, kept.number, kept.bytes, kept.skipped,
                              around.substr(kept.before, kept.length), around});
    }
    return file;
}

namespace {

// How soon one who waits sees that it is interrupted.
constexpr std::chrono::milliseconds kLookPause{20};

}  // namespace

std::optional<MemoryBudget::Part> MemoryBudget::take(std::size_t bytes,
                                                     Interruption& interruption) {
    std::unique_lock lock(mutex_);
    const auto own = waiting_.insert(waiting_.end(), 0);
    const auto is_next = [&] { return own == waiting_.begin() && left_ >= bytes; };
    bool has_time = true;
    while (!is_next() && has_time) {
        changed_.wait_for(lock, kLookPause);
        has_time = !interruption.requested();
    }
    waiting_.erase(own);
    changed_.notify_all();
    if (!has_time) return std::nullopt;
    left_ -= bytes;
    return std::optional<Part>(std::in_place, *this, bytes);
}

void MemoryBudget::give_back(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    left_ += bytes;
    changed_.notify_all();
}

MemoryBudget& whole_file_memory() {
    static MemoryBudget budget(kSearchWholeTogetherBytesMax);
    return budget;
}

namespace {

std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

std::optional<Failure> failure_of(FileReport::End end) {
    if (end == FileReport::End::kLineTooLong) {
        return refuse(Code::kLimitReached, "has a line that is too long to be searched");
    }
    if (end == FileReport::End::kTooLarge) {
        return refuse(Code::kTooLarge, "is too large to be searched as a whole");
    }
    return std::nullopt;
}

}  // namespace

std::size_t Tally::held_bytes() const noexcept {
    std::size_t held = 0;
    for (const Finding& finding : findings) held += finding.path.size() + finding.result.bytes();
    return held;
}

GrepRun::GrepRun(const fs::RootState& state, const GrepQuery& query, const Matcher& matcher,
                 GrepSink& sink, unsigned threads)
    : state_(state),
      query_(query),
      matcher_(matcher),
      sink_(sink),
      // One more than is given out, to know that there are more.
      wanted_{.mode = query.mode,
              .lines_max = add_saturating(add_saturating(query.offset, query.limit), 1),
              .line_bytes_max = query.line_bytes_max,
              .matcher = &matcher,
              .margin = query.line_margin},
      interruption_(query.time_max, query.cancel),
      searchers_(threads) {}

void GrepRun::expect_one_file() noexcept {
    wanted_.lines_before = query_.offset;
    wanted_.lines_max = add_saturating(query_.limit, 1);
}

std::unique_ptr<Task> GrepRun::visit(Batch batch) { return batch_task(*this, std::move(batch)); }

bool GrepRun::pays_in_parts(const Handle& file) const {
    if (searchers_.size() == 1 || file.stat().size < 4 * kSearchPartBytes) return false;
    if (matcher_.multiline() || query_.before > 0 || query_.after > 0) return false;
    if (wanted_.lines_before > 0) return false;  // they are counted from the beginning
    char mark[2];
    const auto got = sys::read_at(file.fd(), mark, sizeof mark, 0);
    return got && *got == sizeof mark && !utf16_format({mark, sizeof mark});
}

FileReport GrepRun::search_part(unsigned worker, int fd, const Extent& extent, FileResult& result,
                                std::optional<Failure>& failure) {
    auto& searcher = searchers_[worker];
    if (searcher == nullptr) {
        const bool content = query_.mode == GrepMode::kContent;
        const SearchOptions options{content ? query_.before : 0, content ? query_.after : 0,
                                    content};
        searcher = std::make_unique<Searcher>(matcher_, options, interruption_);
    }
    const auto report = searcher->search(fd, extent, result);
    if (!report) {
        failure = report.error();
        return {};
    }
    if (report->binary) result.set_binary();
    failure = failure_of(report->end);
    if (result.overflowed()) failure = FileResult::overflow();
    return *report;
}

Failure GrepRun::in_pieces() noexcept {
    return refuse(Code::kLimitReached,
                  "is too long for a pattern of this size and was searched in pieces; a match "
                  "longer than a piece may be missing");
}

void GrepRun::search(unsigned worker, Handle file, std::string path, Tally& tally,
                     Task::List& behind) {
    if (query_.walk.readable && !query_.walk.readable(file)) return;
    if (pays_in_parts(file)) {
        add_part_tasks(*this, std::move(file), std::move(path), behind);
        return;
    }
    FileResult result(wanted_);
    std::optional<Failure> failure;
    Extent extent;
    extent.size = file.stat().size;
    const FileReport report = search_part(worker, file.fd(), extent, result, failure);
    ++tally.files;
    tally.bytes += report.bytes;
    tally.interrupted = report.end == FileReport::End::kInterrupted;
    if (report.in_pieces && !failure) failure = in_pieces();
    if (result.matched() || failure) {
        tally.findings.push_back({std::move(path), std::move(result), failure, tally.bytes});
    }
}

Next GrepRun::unreadable(std::string_view path, const Failure& failure) {
    ++summary_.problems;
    return sink_.problem(path, failure) == Next::kStop ? stop(GrepSummary::Cut::kSink)
                                                       : Next::kGoOn;
}

Next GrepRun::deliver(const Tally& tally) {
    summary_.files += tally.files;
    const std::uint64_t bytes_before = std::exchange(summary_.bytes, summary_.bytes + tally.bytes);
    for (const Finding& finding : tally.findings) {
        if (bytes_before + finding.bytes > query_.bytes_max) break;
        if (deliver(finding) == Next::kStop) return Next::kStop;
    }
    if (summary_.bytes > query_.bytes_max) return stop(GrepSummary::Cut::kBytes);
    return tally.interrupted ? Next::kStop : Next::kGoOn;
}

Next GrepRun::deliver(const Finding& finding) {
    if (finding.failure && unreadable(finding.path, *finding.failure) == Next::kStop) {
        return Next::kStop;
    }
    return finding.result.matched() ? give_out(finding) : Next::kGoOn;
}

Next GrepRun::give_out(const Finding& finding) {
    GrepFile file = finding.result.view(finding.path);
    ++summary_.matched;
    if (file.binary) ++summary_.binary;
    const bool by_line = query_.mode == GrepMode::kContent && !file.binary;
    const std::uint64_t first = add_saturating(summary_.entries, finding.result.lines_before());
    const std::uint64_t last = add_saturating(first, by_line ? file.lines.size() : 1);
    const std::uint64_t end = add_saturating(query_.offset, query_.limit);
    const std::uint64_t from = std::clamp(query_.offset, first, last);
    const std::uint64_t to = std::clamp(end, from, last);
    summary_.entries = std::min(last, end);
    if (by_line) {
        file.lines.erase(file.lines.begin() + static_cast<std::ptrdiff_t>(to - first),
                         file.lines.end());
        file.lines.erase(file.lines.begin(),
                         file.lines.begin() + static_cast<std::ptrdiff_t>(from - first));
    }
    if (from < to && sink_.file(file) == Next::kStop) return stop(GrepSummary::Cut::kSink);
    return last > end ? stop(GrepSummary::Cut::kLimit) : Next::kGoOn;
}

Next GrepRun::stop(GrepSummary::Cut cut) {
    summary_.cut = cut;
    interruption_.request(Interruption::Cause::kEnough);
    return Next::kStop;
}

GrepSummary GrepRun::summary() const {
    GrepSummary summary = summary_;
    if (interruption_.cause() == Interruption::Cause::kTime) summary.cut = GrepSummary::Cut::kTime;
    if (interruption_.cause() == Interruption::Cause::kCancelled) {
        summary.cut = GrepSummary::Cut::kCancelled;
    }
    return summary;
}

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
    const std::uint64_t bytes = std::max(kSearchPartBytes, file.stat().size / kSearchPartsMax + 1);
    const auto split =
        std::make_shared<SplitFile>(std::move(file), std::move(path), bytes, run.wanted());
    for (std::uint64_t i = 0; i < split->parts; ++i) {
        tasks.push_back(std::make_unique<PartTask>(run, split, i));
    }
}

}  // namespace paddock::search
