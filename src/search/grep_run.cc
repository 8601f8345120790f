#include "search/grep_run.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "search/grep_tasks.h"
#include "sys/io.h"

namespace paddock::search {
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
    if (searchers_.size() == 1 || file.stat().size < 4 * limits::kSearchPartBytes) return false;
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
                  "is long for so large a pattern and was searched in pieces; a match longer than "
                  "those may be missing");
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

}  // namespace paddock::search
