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
#include "tools/answer.h"

namespace paddock::tools {

// A regular file, open for reading.
struct OpenFile {
    std::string path;  // canonical
    Handle handle;
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
          ReadTracker* reads);

    // --- looking ---

    Attempt<OpenFile> open(std::string_view path) const;
    Attempt<FileContent> read(std::string_view path, std::uint64_t bytes_max) const;
    Attempt<void> count_read(std::uint64_t bytes) const;
    ReadTracker* reads() const noexcept { return reads_; }  // nullptr: not tracked

    // Canonical; of a directory that may be looked into.
    Attempt<std::string> directory(std::string_view path) const;
    // The same, or a file.
    Attempt<std::string> start_of_search(std::string_view path) const;
    // For search: what the rules do not deny.
    std::function<bool(std::string_view path, FileType type)> visibility() const;
    // Canonical but for the last name, which is taken itself.
    Attempt<std::string> name(std::string_view path) const;
    Attempt<Stat> stat_name(const std::string& canonical) const;
    Attempt<LinkTarget> link_target(const std::string& canonical) const;
    Attempt<Listing> list(const std::string& canonical, std::size_t entries_max) const;
    bool hides(std::string_view canonical) const;     // the rules deny it
    bool protects(std::string_view canonical) const;  // the rules deny changing it
    // What to say of a path that does not exist, with up to three near names inside.
    Problem missing(std::string_view path) const;

    // The pinned directory for search, which passes the rules itself by way of hides().
    const Root& linkless() const noexcept { return linkless_; }

    // --- changing; each refuses what the rules protect ---

    // Where a file or directory is or would be.
    Attempt<Resolution> target(std::string_view path) const;
    Attempt<Change> prepare(std::string_view path) const;
    Attempt<void> commit(const Change& change, std::string_view content,
                         std::optional<Mode> mode = {}) const;
    Attempt<void> make_directory(const std::string& canonical) const;
    Attempt<void> move(const std::string& from, const std::string& to, bool overwrite) const;
    Attempt<Copied> copy(const std::string& from, const std::string& to, bool overwrite) const;
    Attempt<void> remove(const std::string& canonical, bool recursive) const;

    // As it appears in results.
    std::string shown(std::string_view canonical) const;
    static std::string shown_name(std::string_view name);

private:
    enum class Purpose : std::uint8_t { kLook, kChange };

    std::string written(std::string_view path) const;               // the escaped form taken back
    std::string ruled(std::string_view canonical) const;            // as the rules name it
    std::string ruled_directory(std::string_view canonical) const;  // empty: the root
    Problem denied(std::string_view path, std::string_view rule, PathAccess access) const;
    Attempt<void> check(std::string_view canonical, std::string_view path, Purpose purpose) const;
    Attempt<void> check_below(const std::string& canonical, Purpose purpose) const;
    Attempt<Resolution> resolve(std::string_view path, Purpose purpose) const;
    Attempt<void> copy_one(const std::string& from, const std::string& to, FileType type,
                           bool overwrite, Copied& copied) const;
    Attempt<void> check_known(const FileContent& content) const;
    Attempt<void> count_written(std::uint64_t bytes) const;

    Root root_;
    Root linkless_;
    std::string base_;
    policy::PathRules rules_;
    policy::Meter& meter_;
    ReadTracker* reads_;  // nullptr: not tracked
};

}  // namespace paddock::tools
