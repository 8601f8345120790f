// The only way of a tool to files. Every path passes here: the escaped form is taken back, links
// are resolved, the rules are asked, bytes are counted, and an existing file is changed only if the
// session knows its present content.
//
// How a rule is kept without a race: a path is brought into its canonical form, the rules decide on
// that, and then the canonical path is used with a Root that passes no link at all. If somebody
// puts a link there in between, the call is refused.
//
// In results and messages paths appear relative to the root, quoted where they are not plain text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/read_tracker.h>
#include <paddock/root.h>
#include <paddock/workspace.h>

#include "policy/meter.h"
#include "policy/path_rules.h"
#include "search/git_layout.h"
#include "tools/answer.h"
#include "tools/disk_use.h"

namespace paddock::tools {

// A regular file, open for reading. All that is read counts, the beginning once.
class OpenFile {
public:
    OpenFile(std::string path, Handle handle, policy::Meter& meter)
        : path_(std::move(path)), handle_(std::move(handle)), meter_(meter) {}

    const std::string& path() const noexcept { return path_; }  // canonical
    const Stat& stat() const noexcept { return handle_.stat(); }

    Attempt<std::size_t> read_at(std::uint64_t position, char* buffer, std::size_t size);
    Attempt<std::string> read_all(std::uint64_t bytes_max);

private:
    Attempt<void> count(std::uint64_t from, std::uint64_t bytes);

    std::string path_;
    Handle handle_;
    policy::Meter& meter_;
    std::uint64_t counted_ = 0;  // bytes from the start of the file
};

struct FileContent {
    std::string path;  // canonical
    Stat stat;
    std::string bytes;
};

// The right to replace or create one file: it passed the rules and the tracker.
struct Change {
    std::string path;                // canonical
    std::optional<FileContent> old;  // absent: there is no such file yet
};

struct Copied {
    std::size_t files = 0;
    std::size_t left_out = 0;  // special files, and links that lead outside
};

class Files {
public:
    // `base`: where relative paths begin, relative to the root; empty: in the root itself.
    Files(Root root, Root linkless, std::string base, policy::PathRules rules, policy::Meter& meter,
          DiskUse& disk, ReadTracker* reads);

    // --- looking ---

    Attempt<OpenFile> open(std::string_view path) const;
    // Of a canonical path.
    Attempt<FileContent> read(const std::string& canonical, std::uint64_t bytes_max) const;
    Attempt<void> count_read(std::uint64_t bytes) const;
    std::uint64_t may_still_read() const;                   // bytes
    ReadTracker* reads() const noexcept { return reads_; }  // nullptr: not tracked

    // Canonical; of a directory that may be looked into.
    Attempt<std::string> directory(std::string_view path) const;
    // The same, or a file.
    Attempt<std::string> start_of_search(std::string_view path) const;
    // For search: what the rules do not deny.
    std::function<bool(std::string_view path, FileType type)> visibility() const;
    // Canonical but for the last name, which is taken itself.
    Attempt<std::string> name(std::string_view path) const;
    // The same of a name that is to be given, taken away or removed: it must be written out.
    Attempt<std::string> own_name(std::string_view path) const;
    Attempt<Stat> stat_name(const std::string& canonical) const;
    // As it appears in results: where the link leads, without a path of the host.
    Attempt<std::string> link_target(const std::string& canonical) const;
    Attempt<Listing> list(const std::string& canonical, std::size_t entries_max) const;
    bool hides(std::string_view canonical) const;  // the rules deny it
    // What to say of a path that does not exist, with up to three near names inside.
    Problem missing(std::string_view path) const;

    // The pinned directory for search, which passes the rules itself by way of hides().
    const Root& linkless() const noexcept { return linkless_; }
    const policy::PathRules& rules() const noexcept { return rules_; }

    // --- changing; each refuses what the rules protect ---

    // Where a file or directory is or would be.
    Attempt<Resolution> target(std::string_view path) const;
    Attempt<Change> prepare(std::string_view path) const;
    Attempt<void> commit(const Change& change, std::string_view content,
                         std::optional<Mode> mode = {}) const;
    // Puts back what was there before commit() gave the file the content `made`, or before it was
    // removed if that is absent. Counts nothing: the workspace has had it before. stale_read if
    // somebody else has changed it since.
    Attempt<void> restore(const Change& change, const std::optional<std::string>& made) const;
    Attempt<void> make_directory(const std::string& canonical) const;
    // Both make the directories above `to`, and replace a file only if its content is known.
    Attempt<void> move(const std::string& from, const std::string& to, bool overwrite) const;
    Attempt<Copied> copy(const std::string& from, const std::string& to, bool overwrite) const;
    Attempt<void> remove(const std::string& canonical, bool recursive) const;
    Attempt<void> remove(const Change& change) const;  // stale_read if it is another file by now

    // As it appears in results.
    std::string shown(std::string_view canonical) const;
    static std::string shown_name(std::string_view name);
    static std::string shown_given(std::string_view path);  // a path as a caller wrote it

private:
    enum class Purpose : std::uint8_t { kLook, kChange };

    static bool names_directory(std::string_view path);        // ends in a slash or dots
    std::string written(std::string_view path) const;          // the escaped form taken back
    std::string_view ruled(std::string_view canonical) const;  // as the rules name it
    std::string_view ruled_directory(std::string_view canonical) const;  // empty: the root
    Problem denied(std::string_view path, const policy::Decision& decision) const;
    Attempt<void> check(std::string_view canonical, std::string_view path, Purpose purpose) const;
    // Does git obey what is there or is to be, although no name says so? kMake: of this file or
    // directory alone; kTakeAway: with all that is or would be below.
    Attempt<void> check_obeyed(const std::string& canonical, search::GitChange change) const;
    // Is it a part that the rules protect? The refusal names `path`.
    Attempt<void> check_part(const search::GitPart& part, const std::string& path) const;
    Attempt<void> check_below(const std::string& directory, const std::string& named,
                              Purpose purpose) const;
    Attempt<Resolution> resolve(std::string_view path, Purpose purpose) const;
    Attempt<Resolution> resolve_parent(std::string_view parent, std::string_view path) const;
    Attempt<void> copy_one(const std::string& from, const std::string& to, FileType type,
                           bool overwrite, Copied& copied) const;
    // The change of a file whose present content the session knows.
    Attempt<Change> known(OpenFile file) const;
    Attempt<void> check_known(const FileContent& content) const;
    void mark_written(const std::string& canonical, std::string_view content) const;
    Attempt<void> check_replaced(const std::string& canonical) const;
    Attempt<void> make_directories(const std::string& canonical) const;
    Attempt<void> make_parent(const std::string& canonical) const;
    Attempt<void> count_written(std::uint64_t bytes, std::uint64_t replaced) const;

    Root root_;
    Root linkless_;
    std::string base_;
    policy::PathRules rules_;
    policy::Meter& meter_;
    DiskUse& disk_;
    ReadTracker* reads_;  // nullptr: not tracked
};

}  // namespace paddock::tools
