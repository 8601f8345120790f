// What a tree holds of certain names, looked up again at the cost of one stat for each directory.
//
// A directory is listed again only if its identity or its time of change differs: whatever adds,
// removes or renames an entry sets that time, and no unprivileged process can set it back. A
// directory that was changed just before it was listed may change again within the same tick of
// the clock, so it is listed once more the next time; and on file systems that are not known to
// keep this time faithfully (FUSE, network) every directory is listed every time.
//
// Of a directory with more than limits::kSnapshotNotableMax notable entries only so many are kept,
// and it is listed every time: whoever removes what is noted sees the others next. Those that are
// harmless are counted apart, since they stay. Until nothing is left out cut() says where.
//
// Everything is on held descriptors; no link is passed and no mount that the root does not admit.
// One thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

#include "base/outcome.h"
#include "search/interruption.h"

namespace paddock::search {

struct NotableEntry {
    std::string name;
    FileType type = FileType::kUnknown;
};

// What to remember of an entry, and whether to go on below it.
struct EntryInterest {
    bool note = false;
    bool enter = true;  // directories
    bool harmless = false;
};
// `directory` is open for reading, and holds the entry.
using EntryChooser = std::function<EntryInterest(int directory, std::string_view path,
                                                 std::string_view name, FileType type)>;

inline constexpr Failure kUnfinishedLook{Code::kLimitReached, 0,
                                         "takes too long to be looked through"};

class TreeSnapshot {
public:
    using Time = std::chrono::system_clock::time_point;

    // `choose` must answer the same for the same arguments.
    TreeSnapshot(Root root, EntryChooser choose);
    TreeSnapshot(const TreeSnapshot&) = delete;
    TreeSnapshot& operator=(const TreeSnapshot&) = delete;
    TreeSnapshot(TreeSnapshot&&) noexcept;
    TreeSnapshot& operator=(TreeSnapshot&&) = delete;
    ~TreeSnapshot();

    // Brings the snapshot up to date. limit_reached for more than limits::kSnapshotDirectoriesMax
    // directories: the snapshot is then empty, and starts afresh the next time. An interrupted
    // look is kUnfinishedLook: the next one goes on with what is known by then.
    Done look(Time now = std::chrono::system_clock::now(), Interruption* interruption = nullptr);

    // Directories that hold something notable, in no order; an empty path: the root itself.
    using DirectoryVisitor =
        std::function<void(const std::string& path, const std::vector<NotableEntry>& notable)>;
    void each_notable(const DirectoryVisitor& visit) const;

    // A directory of which not all that is notable is in the snapshot, if there is one.
    const std::optional<std::string>& cut() const noexcept;

    // Directories that could not be read, and why.
    using Unreadable = std::map<std::string, Failure>;
    Unreadable unreadable() const;

    // Where this very directory is now; empty if that is not known, and for the root.
    std::string path_of(const Stat& directory) const;

    // Topmost directories that are not where they were, by the last look; some may have been
    // removed.
    struct Left {
        std::string path;
        Stat stat;
    };
    const std::vector<Left>& left() const noexcept;

    std::size_t directories() const noexcept;
    std::size_t listed() const noexcept;  // by the last look

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace paddock::search
