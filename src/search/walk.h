// Tasks that have an order, run by several threads. The earliest is always taken first, a task may
// put others directly behind itself, and results are delivered in order: so a search that needs
// only the first results runs little further than those, and gives the same answer every time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/handle.h>
#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"
#include "search/sink.h"
#include "sys/files.h"
#include "text/ignore.h"

namespace paddock::search {

// Directories that one walk of a search holds open together: far from the usual 1024 descriptors
// of a process. The others are opened again by path.
inline constexpr int kSearchHeldDirectoriesMax = 256;

// What a search may hold of results that wait for earlier ones.
inline constexpr std::size_t kSearchAheadBytesMax = std::size_t{4} << 20;

// Threads of one search. More only wait for each other in the kernel's descriptor table.
inline constexpr unsigned kSearchThreadsMax = 8;

class Task {
public:
    using List = std::vector<std::unique_ptr<Task>>;

    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;

    // On any thread; `worker` is that thread's number, below the number of threads. What is put
    // into `behind` comes after this task and before all others that come after it.
    virtual void run(unsigned worker, List& behind) = 0;

    // After run and after all earlier tasks, never two at once. kStop: the rest is not wanted.
    virtual Next deliver() = 0;

    // How much it holds until it is delivered.
    virtual std::size_t bytes() const noexcept = 0;
};

// How many threads a search should use that was asked to use `wanted`; 0: one for each processor.
// Never more than kSearchThreadsMax.
unsigned search_threads(unsigned wanted) noexcept;

// Returns when everything is delivered or a delivery said stop. Uses the calling thread and at most
// `threads` - 1 more, started when there is work for them, and fewer the more of these calls run in
// the process: together they use as many as one, and no search holds up the others. Tasks that are
// far ahead of a slow one wait while their results together hold more than `bytes_ahead_max`. What
// a task throws, no memory for example, ends all of it and is thrown here.
void run_in_order(std::unique_ptr<Task> first, unsigned threads, std::size_t bytes_ahead_max);

// Which ignore files are in force in a directory, read through the Root: .ignore, in a git
// repository .gitignore, and at its root .git/info/exclude. So ripgrep and fd have it: elsewhere a
// .gitignore is a file of somebody's source package. A file that cannot be read, is no regular file
// or is not usable counts as absent. Nothing outside the root is asked: whoever walks may bring
// further rules. Where ".git" is a file, the repository's exclude lies elsewhere and is not read.
using IgnoreScope = std::shared_ptr<const text::IgnoreScope>;  // null: no rules
using IgnoreFile = text::IgnoreScope::File;                    // null: no rules

// What no file in the root says. Weaker than all files there.
struct GlobalIgnores {
    IgnoreFile everywhere{};
    IgnoreFile in_repositories{};     // instead of the others: with core.excludesFile
    bool root_in_repository = false;  // of one that begins above the root
};

// Which of them a directory has, as its listing says.
struct IgnoreFilesPresent {
    bool ignore = false;
    bool gitignore = false;
    bool repository = false;

    bool any() const noexcept { return ignore || gitignore || repository; }
    void note(std::string_view name) noexcept;
};

// The scope of the directory at `path`, open as `directory`, in one that has the scope `above`.
IgnoreScope ignore_scope_in(const fs::RootState& state, int directory, std::string_view path,
                            IgnoreScope above, const IgnoreFilesPresent& present,
                            const GlobalIgnores& global);

// The scope of all directories above `path`, from the root on.
IgnoreScope ignore_scope_above(const fs::RootState& state, std::string_view path,
                               const GlobalIgnores& global);

// One directory of a walk: what is wanted of its entries, in order, and a descriptor to open them
// by. Read once, then immutable; threads share it.
struct WalkOptions {
    bool hidden = false;   // with names that begin with a dot
    bool ignored = false;  // with what ignore files exclude
    bool sockets = false;  // and FIFOs and devices, which are passed over else

    // Rules of the workspace: is there anything at this path for the caller? Asked on any thread.
    // Absent: yes.
    std::function<bool(std::string_view path, FileType type)> visible{};

    // May its content be looked at? Of each file that is opened, asked on any thread. Absent: yes.
    std::function<bool(const Handle& file)> readable{};

    GlobalIgnores global_rules{};

    std::size_t directory_entries_max = limits::kSearchEntriesMax;  // limit_reached beyond
};

// What the one who walks makes of a path; asked on any thread.
struct Interest {
    bool take = false;   // files, links and directories
    bool enter = false;  // directories
};
using Chooser = std::function<Interest(std::string_view path, std::string_view name, FileType)>;

// What ignore files kept out of a walk.
struct Excluded {
    std::uint64_t names = 0;  // what lies below them is not counted
    std::string first{};      // by its path
    std::string file{};       // that excludes the first one; empty: a global rule does
    std::uint32_t line = 0;   // in that file
};

// What all directories of one walk share.
struct WalkShare {
    const fs::RootState& state;
    const WalkOptions& options;
    Chooser choose;
    std::atomic<int> held = 0;              // descriptors
    std::vector<sys::DirReader> readers{};  // one for each worker, used again and again
    std::mutex mutex{};
    Excluded excluded{};  // guarded by the mutex while it walks
};

class WalkedDirectory {
public:
    struct Entry {
        std::uint32_t begin = 0;  // of its name
        std::uint32_t bytes = 0;
        FileType type = FileType::kUnknown;
        Interest interest;
    };

    // Reads an open directory. `path` is relative to the root, and empty for the root.
    static Outcome<std::shared_ptr<const WalkedDirectory>> read(WalkShare& share, unsigned worker,
                                                                UniqueFd fd, std::string path,
                                                                const IgnoreScope& above);

    WalkedDirectory(const WalkedDirectory&) = delete;
    WalkedDirectory& operator=(const WalkedDirectory&) = delete;
    ~WalkedDirectory();

    // Sorted by name; only those that are of interest.
    const std::vector<Entry>& entries() const noexcept { return entries_; }
    const char* name(const Entry& entry) const noexcept { return &names_[entry.begin]; }
    const std::string& path() const noexcept { return path_; }
    std::string path(const Entry& entry) const;
    void append_path(const Entry& entry, std::string& to) const;
    std::size_t path_bytes(std::size_t first, std::size_t end) const noexcept;  // of all together
    const IgnoreScope& scope() const noexcept { return scope_; }

    // To open entries by. A directory that could not be kept open is opened again by its path.
    struct Held {
        int fd = -1;
        UniqueFd owned{};
    };
    Outcome<Held> hold() const;

private:
    WalkedDirectory(WalkShare& share, UniqueFd fd, std::string path);

    Outcome<IgnoreFilesPresent> list(sys::DirReader& reader);
    void choose();
    void note_excluded(std::uint64_t names, std::string first, bool is_directory) const;
    std::string_view text(const Entry& entry) const noexcept;

    WalkShare& share_;
    UniqueFd fd_;
    std::string path_;
    IgnoreScope scope_;
    std::string names_;  // each ended by NUL
    std::vector<Entry> entries_;
};

// The files below a directory, in order of path, with several threads on held descriptors.
//
// Order of path: names compared byte by byte, one directory level after the other, so that a whole
// directory stands where its name does. Links are never followed; FIFOs, sockets, devices and
// mounts are passed over.
// Some entries of one directory, next to each other in the order.
struct Batch {
    std::shared_ptr<const WalkedDirectory> directory;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

class Visitor {
public:
    Visitor() = default;
    Visitor(const Visitor&) = delete;
    Visitor& operator=(const Visitor&) = delete;
    virtual ~Visitor() = default;

    // What to do with the entries of a batch that are to be taken; called on any thread.
    virtual std::unique_ptr<Task> visit(Batch batch) = 0;

    // How many entries are taken at once. Small: the first results come soon. Large: threads seldom
    // work in the same directory, where the kernel makes them wait for each other.
    virtual std::uint32_t batch_entries() const noexcept = 0;

    // A directory could not be opened or read; in order.
    virtual Next unreadable(std::string_view path, const Failure& failure) = 0;

    // True: nothing more is wanted; asked on any thread.
    virtual bool interrupted() const noexcept = 0;
};

// Walks below `start`, an open directory that `path` leads to. Failures on the way go to the
// visitor.
void walk_in_order(WalkShare& share, UniqueFd start, const fs::RelPath& path, Visitor& visitor,
                   unsigned threads);

}  // namespace paddock::search
