// The only way of a tool to files. Every path passes here: the escaped form is taken back, links
// are resolved, the rules are asked, bytes are counted, and an existing file is changed only if the
// session knows its present content.
//
// How a rule is kept without a race: a path is brought into its canonical form, git::Judge decides
// on that, and then the canonical path is used with a Root that passes no link at all. If somebody
// puts a link there in between, the call is refused. A change is judged, recorded and made while
// nobody else changes the workspace (recorder.h): commands pass the same gate.
//
// In results paths are relative to the workspace, or absolute in a further root, and quoted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>
#include <paddock/read_tracker.h>
#include <paddock/root.h>
#include <paddock/workspace.h>

#include "git/judge.h"
#include "git/tracked.h"
#include "policy/meter.h"
#include "policy/path_rules.h"
#include "search/walk.h"
#include "secrets/scanner.h"
#include "tools/answer.h"
#include "tools/hidden_files.h"
#include "tools/limit_watch.h"
#include "tools/read_file.h"
#include "tools/recorder.h"

namespace paddock::tools {

// What a change by Files is made of; the steps of a copy, and what it has made.

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

// A name that cannot be had while something else has it: a file where it needs a directory, or a
// directory in its place. Both canonical.
struct Blocked {
    std::string path;
    std::string by;
};

// What a new file takes after, as WriteOptions has it.
struct Model {
    std::string_view path{};  // empty: nothing
    bool is_optional = false;
};

struct Copied {
    struct Directory {
        std::string path;
        Mode mode;  // that it is to have
    };
    std::size_t files = 0;
    std::vector<Directory> made;  // each before what is in it
    std::size_t left_out = 0;     // special files, links that lead outside, what may not be read
    std::string left_out_names;   // the first of them, and why
};

// What the file tools of one root are made of. All that is referred to outlives them.
struct FilesSetup {
    Root root;
    Root linkless;
    std::string base;  // where relative paths begin; empty: in the root itself
    const policy::PathRules& rules;
    Recorder& recorder;
    HiddenFiles& hidden;
    policy::Meter& meter;
    DiskUse& disk;
    ReadTracker* reads = nullptr;                     // not tracked
    const secrets::SecretScanner* scanner = nullptr;  // null: secrets are not filtered
    std::string home = {};                            // see git::Judge::Facts
    search::GlobalIgnores ignored = {};               // what the operator's rules exclude
    bool read_only = false;
    std::string prefix = {};  // before each path in results; empty: the workspace itself
};

class Files {
public:
    using Setup = FilesSetup;
    explicit Files(Setup setup);

    // --- looking ---
    Result<OpenFile> open(std::string_view path) const;
    // Of a canonical path.
    Result<FileContent> read(const std::string& canonical, std::uint64_t bytes_max) const;
    Result<void> count_read(std::uint64_t bytes) const;
    std::uint64_t may_still_read() const;                   // bytes
    ReadTracker* reads() const noexcept { return reads_; }  // nullptr: not tracked

    // Canonical; of a directory that may be looked into.
    Result<std::string> directory(std::string_view path) const;
    // The same of one that commands can run in, absolute in a further root. path_escape.
    Result<std::string> command_directory(std::string_view path) const;
    Result<std::string> start_of_search(std::string_view path) const;
    // For search: what the rules do not deny.
    search::WalkOptions walk(bool hidden, bool ignored) const;
    // Has this session read or written a file of that name, whether or not it is there now?
    bool has_known(const std::string& canonical) const;
    // Canonical but for the last name, which is taken itself. A final slash demands a directory, if
    // something is there.
    Result<std::string> name(std::string_view path) const;
    // The same of a name that is to change: it must be written out.
    Result<std::string> own_name(std::string_view path) const;
    Result<Stat> stat_name(const std::string& canonical) const;
    // As it appears in results: where the link leads, without a path of the host.
    Result<std::string> link_target(const std::string& canonical) const;
    Result<Listing> list(const std::string& canonical, std::size_t entries_max) const;
    bool hides(std::string_view canonical) const;  // do the rules deny it?
    // What to say of a path that does not exist, with near ones inside: tools/near_paths.h.
    Error missing(std::string_view path) const;

    // The pinned directory for search, which passes the rules itself by way of hides().
    const Root& linkless() const { return linkless_; }

    // --- changing; each refuses what the rules protect ---
    bool is_read_only() const noexcept { return read_only_; }
    // May a file with this content be made here, or taken away? Every change asks this itself.
    Result<void> check_file(const std::string& canonical, std::string_view content) const;
    Result<void> check_removal(const std::string& canonical) const;
    // Where a file or directory is or would be.
    Result<Resolution> target(std::string_view path) const;
    Result<Change> prepare(std::string_view path) const;
    // Of a path that prepare() refuses as not_a_directory or is_a_directory: what has to go first.
    Result<Blocked> blocked(std::string_view path) const;
    // A directory and those below it, the deepest first. is_a_directory if it holds something else
    // that does not go.
    using Goes = std::function<bool(const std::string& canonical)>;
    Result<std::vector<std::string>> directories_of(const std::string& canonical,
                                                    const Goes& goes) const;
    // Content and mode at once, or nothing. A new file that is like no other: less the umask.
    Result<void> commit(const Change& change, std::string_view content,
                        std::optional<Mode> mode = {}, const Model& like = {}) const;
    // Puts back what was there before commit() gave the file the content `made`, and counts
    // nothing. stale_read if somebody else has changed it since.
    Result<void> restore(const Change& change, const std::string& made) const;
    // The known file, which has the name `from` now, gets a free one.
    Result<void> rename(const std::string& from, const FileContent& file,
                        const std::string& to) const;
    // Two known files get each other's names at once. To take that back: whoever changed one since.
    Result<void> exchange(const Change& one, const Change& other, bool is_back = false) const;
    // A removal that can be taken back: the file gets a temporary name, which is the result, until
    // drop_aside(). It lies beside the file or a directory above it. stale_read if it is another
    // file by now.
    Result<std::string> set_aside(const Change& change, const std::string& beside) const;
    // The known file, which has the name `other` now, gets the name `canonical` back.
    Result<void> put_back(const std::string& other, const std::string& canonical,
                          const Stat& stat) const;
    // stale_read if somebody has written to it since: then it has its own name again.
    Result<void> drop_aside(const Change& change, const std::string& aside) const;
    Result<void> make_directory(const std::string& canonical) const;
    // One that was removed comes back, empty, with its permissions.
    Result<void> restore_directory(const std::string& canonical, Mode mode) const;
    // Both make the directories above `to`, and replace only a file whose content is known and that
    // may be written. Of a copy that fails or is cancelled when a part has been made, the problem
    // says so. A move is cancelled before it changes anything, or not at all.
    Result<void> move(const std::string& from, const std::string& to, bool overwrite,
                      const std::stop_token& cancel = {}) const;
    Result<Copied> copy(const std::string& from, const std::string& to, bool overwrite,
                        const std::stop_token& cancel = {}) const;
    // The directories above that are not there yet, the deepest first; and to be rid of them again.
    std::vector<std::string> missing_parents(const std::string& canonical) const;
    void remove_empty(const std::vector<std::string>& directories) const;
    // Where nothing is recorded a tree goes piece by piece: if that fails or is cancelled, the
    // problem says that a part may be gone.
    Result<void> remove(const std::string& canonical, bool recursive,
                        const std::stop_token& cancel = {}) const;
    Result<void> remove(const Change& change) const;  // stale_read if it is another file by now

    std::string shown(std::string_view canonical) const;            // as it appears in results
    std::string shown_directory(std::string_view canonical) const;  // with a slash at its end
    static std::string shown_given(std::string_view path);          // a path as a caller wrote it

private:
    Result<Recorder::Change> begin_change() const;
    enum class Purpose : std::uint8_t { kLook, kChange };

    class Copying;  // a copy that is under way

    static bool names_directory(std::string_view path);        // ends in a slash or dots
    std::string written(std::string_view path) const;          // the escaped form taken back
    std::string_view ruled(std::string_view canonical) const;  // as the rules name it
    std::string_view ruled_directory(std::string_view canonical) const;  // empty: the root
    std::string named(std::string_view canonical) const;  // as a caller would write it
    static std::string named_given(std::string_view path);
    // Of a canonical path, or of what a caller gave.
    Error with_shown_path(Error error) const;
    static Error with_shown_path(Error error, std::string_view given);
    Error no_directory(std::string_view given, Error otherwise) const;  // what to do instead
    Error refused(const git::Refusal& refusal, const std::string& shown) const;
    Result<void> allowed(const git::Verdict& verdict, std::string_view canonical) const;
    // A refusal names what was given, if that is known.
    Result<void> check(std::string_view canonical, Purpose purpose,
                       std::optional<std::string_view> given = {}) const;
    // Of something in the directory `whole`, when that has been asked of: what a rule hides is not
    // named.
    Result<void> check_in(const std::string& whole, const git::Verdict& verdict,
                          const std::string& path) const;
    // May all that is below be taken away and, if `named` is another directory, get its names
    // there?
    Result<void> check_below(const std::string& directory, const std::string& named,
                             const std::stop_token& cancel) const;
    // Refuses a hidden file, whatever it is called by now.
    Result<Handle> open_to_read(std::string_view path) const;
    Result<Resolution> resolve(std::string_view path, std::string_view given,
                               Purpose purpose) const;
    Result<Resolution> resolve_parent(std::string_view parent, std::string_view given) const;
    Result<std::optional<Stat>> check_move(const std::string& from, const std::string& to,
                                           bool overwrite, const std::stop_token& cancel) const;
    Result<Change> known(OpenFile file) const;
    Result<void> check_known(const FileContent& content) const;
    // The file whose place another is to take, if there is one: known, writable, and no other kind.
    Result<std::optional<Stat>> replaced(const std::string& canonical) const;
    Result<void> check_room(const std::string& canonical) const;  // for a directory, by its kind
    // The steps of a change that has begun. Directories: those that missing_parents() found.
    Result<void> make_missing(Recorder::Change& change,
                              const std::vector<std::string>& directories) const;
    void remove_empty(Recorder::Change& change, const std::vector<std::string>& directories) const;
    Result<void> write_new(Recorder::Change& begun, const Change& change, std::string_view content,
                           std::optional<Mode> mode, const Model& like) const;
    Result<void> make_one_directory(Recorder::Change& change, const std::string& canonical,
                                    std::optional<Mode> mode = {}) const;
    Result<void> take_away(Recorder::Change& change, const std::string& canonical,
                           const Stat& stat) const;
    Result<void> give_name(Recorder::Change& change, const std::string& from, const std::string& to,
                           RenameMode mode, const std::optional<Stat>& replaces = {}) const;
    // The known file gets a free name: that file in that state, or stale_read and no change.
    // `purpose`: for the error.
    struct KnownFile {
        const Stat& stat;
        const std::string& name;  // for the error
    };
    Result<void> rename_known(Recorder::Change& begun, const KnownFile& known,
                              const std::string& from, const std::string& to,
                              std::string_view purpose) const;
    // Replaces what git begins to obey when `canonical` is made by a copy that was judged.
    Result<void> adopt_configs(Recorder::Change& change, const std::string& canonical) const;
    // The name is about to be given to a new file, instead of `old` if that is there.
    Result<journal::Intent> announce(Recorder::Change& change, const std::string& canonical,
                                     FileType type, const std::optional<Stat>& old = {}) const;
    Result<void> count_written(std::uint64_t bytes, std::optional<std::uint64_t> freed = {}) const;
    Root root_;
    Root linkless_;
    std::string base_;
    std::string prefix_;
    bool read_only_;
    const policy::PathRules& rules_;
    Recorder& recorder_;
    HiddenFiles& hidden_;
    policy::Meter& meter_;
    DiskUse& disk_;
    ReadTracker* reads_;
    const secrets::SecretScanner* scanner_;
    search::GlobalIgnores ignored_;
    git::Judge judge_;
};
}  // namespace paddock::tools
