// glob: the files below a directory whose paths match a pattern, newest first.
//
// Only directories in which something can match are entered. Links are reported, never followed; a
// directory is reported if the pattern asks for directories by a final "/", or the query does.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>
#include <paddock/root.h>

#include "base/outcome.h"
#include "search/walk.h"
#include "text/glob.h"

namespace paddock::search {

// Names for kinds of files, as programmers say them: "py", "cpp", "make".

struct FileKind {
    std::string_view name;
    // Separated by spaces: "*.ext", a whole name, or "name*".
    std::string_view patterns;
};

// Sorted by name.
const std::vector<FileKind>& file_kinds();

// The files of any of several kinds.
class KindFilter {
public:
    // invalid_argument: there is no such kind.
    Done add(std::string_view kind);

    bool empty() const noexcept { return names_.empty() && endings_.empty() && starts_.empty(); }
    bool matches(std::string_view name) const noexcept;

private:
    // All sorted.
    std::vector<std::string_view> names_;
    std::vector<std::string_view> endings_;  // behind a dot, which may come early: "tar.gz"
    std::vector<std::string_view> starts_;
};

// Which files of a tree a search is about: by globs, "!" before one excludes, and by type.
class PathFilter {
public:
    // A glob without a slash is for names at any depth. With one it is for paths, relative to the
    // start of the walk or to the root: whoever writes it may mean either. The last glob that
    // matches decides; if none does, the path is in unless some glob includes.
    Done add_glob(std::string_view glob);
    Done add_kind(std::string_view kind) { return kinds_.add(kind); }

    // `start` is where the walk starts, relative to the root.
    void set_start(std::string_view start);

    Interest choose(std::string_view path, std::string_view name, FileType type) const;

private:
    struct Rule {
        text::Glob glob;
        bool excludes = false;
    };

    std::string_view below_start(std::string_view path) const noexcept;
    bool excludes(std::string_view path, bool is_directory) const;
    bool may_include_below(std::string_view path) const;

    std::vector<Rule> rules_;
    bool includes_ = false;  // some rule does
    KindFilter kinds_;
    std::size_t start_bytes_ = 0;  // with its slash
};

// Many paths with their times, in few blocks of memory: a search finds tens of thousands, on
// several threads, and a string for each would cost more than reading the directories. A block is
// filled by one thread and then handed on, never copied.
struct FoundFile {
    std::string_view path;  // relative to the root; valid until the list changes
    FileType type = FileType::kUnknown;
    std::chrono::nanoseconds modified{};  // 0 where no times were asked for
};

class FoundFiles {
public:
    // There is about to be added so much.
    void expect(std::size_t files, std::size_t path_bytes);

    // `write(text)` appends the path to `text`.
    template <class Write>
    void add(FileType type, std::chrono::nanoseconds modified, Write write) {
        if (blocks_.empty()) blocks_.emplace_back();
        std::string& block = blocks_.back();
        const std::size_t begin = block.size();
        write(block);
        const auto bytes = static_cast<std::uint32_t>(block.size() - begin);
        files_.push_back({modified, blocks_.size() - 1, begin, bytes, type});
    }

    // Those of `later`, at most `count` of them, behind the ones here.
    void append(FoundFiles&& later, std::size_t count);

    // Sorts by time, of equal ones the first that came first, and forgets all but the first
    // `count`.
    void keep_newest(std::size_t count);

    std::size_t size() const noexcept { return files_.size(); }
    std::size_t bytes() const noexcept;  // in memory
    FoundFile operator[](std::size_t i) const noexcept;

private:
    struct File {
        std::chrono::nanoseconds modified;
        std::size_t block;  // those that came later are in a later one, or further back
        std::size_t begin;
        std::uint32_t bytes;
        FileType type;
    };
    std::string_view path(const File& file) const noexcept {
        return std::string_view(blocks_[file.block]).substr(file.begin, file.bytes);
    }

    std::vector<std::string> blocks_;
    std::vector<File> files_;
};

struct FindQuery {
    std::string pattern;     // relative to `path`; without a slash for names at any depth
    std::string path = ".";  // a directory
    WalkOptions walk{};

    enum class Order : std::uint8_t { kNewestFirst, kPath };
    Order order = Order::kNewestFirst;  // equal times: in order of path

    bool directories = false;  // that match are found too

    std::size_t limit = SIZE_MAX;
    std::optional<std::uint64_t> entries_max{};  // looked at, about; then the result is cut
    std::optional<std::chrono::milliseconds> time_max{};
    std::stop_token cancel{};
    unsigned threads = 0;  // as in GrepQuery
};

struct FindResult {
    enum class Cut : std::uint8_t { kNone, kEntries, kTime, kCancelled };

    FoundFiles found;
    std::uint64_t total = 0;       // that matched, more than found.size() if there is a limit
    std::uint64_t unreadable = 0;  // directories, or parts of large ones
    std::string first_unreadable;  // in order of path, and why it could not be read
    Failure why_unreadable{};
    Cut cut = Cut::kNone;  // why not all was looked at
    Excluded excluded{};
};

// Errors: those of text::Glob::compile; of `path`, as from Root::list.
Result<FindResult> find(const Root& root, const FindQuery& query);

}  // namespace paddock::search
