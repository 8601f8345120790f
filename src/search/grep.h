// grep: the lines, files or counts that match a pattern below a directory, in order of path.
//
// The answer does not depend on the number of threads: with a limit it is the first entries in
// order, and the search stops soon after them. Whatever was cut or passed over is in the summary.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/handle.h>
#include <paddock/limits.h>
#include <paddock/root.h>

#include "search/matcher.h"
#include "search/searcher.h"
#include "search/sink.h"
#include "search/walk.h"

namespace paddock::search {

// Of a line that grep found, what it gives out by default: the rest of a generated line says
// little.
inline constexpr std::size_t kGrepLineBytes = 2000;

// A file is searched by several threads, in parts of this size, from four parts on.
inline constexpr std::uint64_t kSearchPartBytes = std::uint64_t{4} << 20;

// But never in more parts than this, whatever size the file announces.
inline constexpr std::uint64_t kSearchPartsMax = 4096;

enum class GrepMode : std::uint8_t { kContent, kFilesWithMatches, kCount };

struct GrepQuery {
    std::string pattern;
    MatchOptions match{};
    std::string path = ".";  // a directory, or one file
    std::vector<std::string> globs{};
    std::vector<std::string> types{};
    WalkOptions walk{};

    GrepMode mode = GrepMode::kContent;
    std::size_t before = 0;  // lines of context
    std::size_t after = 0;
    std::size_t line_bytes_max = kGrepLineBytes;  // more of a line is not given out
    std::size_t line_margin = 0;  // but so many bytes before and behind, as GrepLine::around

    // Entries are lines in kContent, files otherwise.
    std::uint64_t offset = 0;
    std::uint64_t limit = UINT64_MAX;

    // To be searched. A little more may be read, of which nothing is given out.
    std::uint64_t bytes_max = UINT64_MAX;
    std::optional<std::chrono::milliseconds> time_max{};
    std::stop_token cancel{};
    unsigned threads = 0;  // 0: one for each processor, within kSearchThreadsMax
};

struct GrepLine {
    Line::Kind kind = Line::Kind::kMatch;
    std::uint64_t number = 0;   // 1 for the first line
    std::uint64_t bytes = 0;    // of the whole line; `text` may be only a part, with the match
    std::uint64_t skipped = 0;  // bytes of the line before `text`
    std::string_view text;
    std::string_view around;  // `text` itself is a part of it
};

struct GrepFile {
    std::string_view path;        // relative to the root
    bool binary = false;          // it matches, but its lines are not text and not given
    std::uint64_t matches = 0;    // matching lines; in kFilesWithMatches 1
    std::vector<GrepLine> lines;  // in kContent
};

class GrepSink {
public:
    GrepSink() = default;
    GrepSink(const GrepSink&) = delete;
    GrepSink& operator=(const GrepSink&) = delete;
    virtual ~GrepSink() = default;

    // A file with matches; in order of path, valid during the call. By one thread at a time.
    virtual Next file(const GrepFile& file) = 0;

    // A file or directory that could not be read or not wholly searched.
    virtual Next problem(std::string_view path, const Failure& failure) = 0;
};

struct GrepSummary {
    enum class Cut : std::uint8_t { kNone, kLimit, kBytes, kTime, kCancelled, kSink };
    Cut cut = Cut::kNone;  // why not all was searched

    // Of what was searched in order, up to the cut.
    std::uint64_t entries = 0;  // found, those before the offset included
    std::uint64_t files = 0;    // searched
    std::uint64_t matched = 0;  // files
    std::uint64_t binary = 0;   // files that matched but are not text
    std::uint64_t problems = 0;
    std::uint64_t bytes = 0;
    Excluded excluded{};
};

// Errors: those of Matcher::compile; of the globs and types (invalid_argument, path_escape,
// limit_reached); of `path`, as from Root::open_file.
Result<GrepSummary> grep(const Root& root, const GrepQuery& query, GrepSink& sink);

// What one file gave, kept until it can be delivered.
// What is kept of a file's lines.
struct Wanted {
    GrepMode mode = GrepMode::kContent;
    std::uint64_t lines_max = UINT64_MAX;
    std::uint64_t lines_before = 0;  // that are only counted; the others come behind them
    std::size_t line_bytes_max = 0;
    const Matcher* matcher = nullptr;  // says which part of a longer line to keep
    std::size_t margin = 0;            // bytes around that part that are kept too
};

class FileResult final : public Sink {
public:
    explicit FileResult(const Wanted& wanted) : wanted_(&wanted) {}
    FileResult(const FileResult&) = delete;
    FileResult& operator=(const FileResult&) = delete;
    FileResult(FileResult&&) noexcept;
    FileResult& operator=(FileResult&&) noexcept;
    ~FileResult() override = default;

    Next line(const Line& line) override;
    void set_binary();

    // Adds what a later part of the same file gave, whose first line is number `newlines` + 1.
    void append(FileResult&& later, std::uint64_t newlines);

    // Context alone means that there was no room any more for the match that it belongs to.
    bool matched() const noexcept { return matches_ > 0 || !lines_.empty(); }
    bool full() const noexcept;  // more would not be kept

    // There may be more lines than are held of one file, and the failure that says so.
    bool overflowed() const noexcept;
    static Failure overflow() noexcept;

    std::uint64_t lines_before() const noexcept { return lines_before_; }  // met
    std::size_t bytes() const noexcept;
    GrepFile view(std::string_view path) const;

private:
    std::size_t shown_from(const Line& line) const;

    struct Kept {
        Line::Kind kind;
        std::uint64_t number;
        std::uint64_t bytes;
        std::size_t skipped;
        std::size_t begin;   // in text_, of the part with what is around it
        std::size_t before;  // bytes before the part
        std::size_t length;
        std::size_t length_around;
    };

    const Wanted* wanted_;
    bool binary_ = false;
    std::uint64_t matches_ = 0;
    std::uint64_t lines_before_ = 0;
    std::vector<Kept> lines_;
    std::string text_;
};

// How much memory the searches of one process use together for files that must be held as a whole.
// Who comes first is served first; the others wait, and hold nothing meanwhile.
//
// Threads: all methods may be called from any thread. A thread holds one part at a time.
class MemoryBudget {
public:
    explicit MemoryBudget(std::size_t bytes_max) : left_(bytes_max) {}

    class Part {
    public:
        Part(MemoryBudget& budget, std::size_t bytes) noexcept : budget_(&budget), bytes_(bytes) {}
        Part(Part&& other) noexcept
            : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
        Part& operator=(Part&&) = delete;
        Part(const Part&) = delete;
        Part& operator=(const Part&) = delete;
        ~Part() {
            if (budget_ != nullptr) budget_->give_back(bytes_);
        }

    private:
        MemoryBudget* budget_;
        std::size_t bytes_;
    };

    // Waits until there is so much, which must be less than all of it. Nothing: interrupted.
    std::optional<Part> take(std::size_t bytes, Interruption& interruption);

private:
    void give_back(std::size_t bytes) noexcept;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t left_;
    std::list<int> waiting_;  // one for each thread, in order
};

// That of this process.
MemoryBudget& whole_file_memory();

// One grep while it runs: how its tasks search files, and what becomes of their results.
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

// The tasks of a grep: some files of a directory, one file, a part of a large one.
class GrepRun;

std::unique_ptr<Task> batch_task(GrepRun& run, Batch batch);
std::unique_ptr<Task> file_task(GrepRun& run, Handle file, std::string path);

// Appends one task for each part of the file.
void add_part_tasks(GrepRun& run, Handle file, std::string path, Task::List& tasks);

}  // namespace paddock::search
