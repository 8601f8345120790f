// One directory of a walk: what is wanted of its entries, in order, and a descriptor to open them
// by. Read once, then immutable; threads share it.
#pragma once

#include <atomic>
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
#include "fs/root_state.h"
#include "search/ignore_rules.h"
#include "sys/dir.h"

namespace paddock::search {

struct WalkOptions {
    bool hidden = false;   // with names that begin with a dot
    bool ignored = false;  // with what ignore files exclude
    bool sockets = false;  // and FIFOs and devices, which are passed over else

    // Rules of the workspace: is there anything at this path for the caller? Asked on any thread.
    // Absent: yes.
    std::function<bool(std::string_view path, FileType type)> visible{};

    // May its content be looked at? Of each file that is opened, asked on any thread. Absent: yes.
    std::function<bool(const Handle& file)> readable{};

    GlobalIgnores global_rules{};  // see ignore_rules.h

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

}  // namespace paddock::search
