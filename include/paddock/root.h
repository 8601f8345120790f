// Root: one directory, and everything that can be done beneath it and nowhere else.
//
// Promise: every object acted on was reached from the root by names, without passing a link that
// leaves it, a magic link or a foreign mount, and was inside at some instant during the call;
// nothing above the root is ever looked up. No method checks a string and then opens it.
//
// Not promised: a directory that someone entitled to do so moves out of the root while a call
// holds it; the content behind a hard link that is read; what other processes of the same user do
// directly. A device node is opened (non-blocking) before it is refused.
//
// Paths are bytes, relative to the root, or absolute and below it as RootOptions allows. They are
// normalised lexically first: "sub/../file" is "file" whether "sub" exists or not. Links inside
// are followed, except where a method says that it acts on the name itself ("no-follow").
//
// Threads: a Root is immutable; every method may be called from any thread at any time. Copies
// share the descriptor and are cheap; the directory stays open until the last copy is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <paddock/error.h>
#include <paddock/handle.h>
#include <paddock/limits.h>
#include <paddock/root_options.h>

namespace paddock {

class Root;

namespace fs {
struct RootState;
const RootState& state_of(const Root& root) noexcept;
}  // namespace fs

class Root {
public:
    // Opens `directory` (any spelling; a final link is followed once unless the options refuse
    // it) and pins it. Errors: not_found, not_a_directory, permission_denied, invalid_path,
    // invalid_argument (not the one expected), mount_crossing or not_found for a listed mount,
    // not_available if openat2 was demanded and does not answer.
    static Result<Root> open(std::string_view directory, const RootOptions& options = {});

    // Takes over an open directory; close-on-exec is forced.
    static Result<Root> adopt(UniqueFd directory, const RootOptions& options = {});

    // Attenuation. What a handle has lost, nothing made from it regains.
    Root read_only() const;  // every change is refused with read_only
    // Existing files may change; no new name appears. Where the file system cannot exchange names,
    // write_file is not_available.
    Root without_create() const;
    // Passes no link, as if Symlinks were kReject, and takes no absolute path.
    Root linkless() const;
    Result<Root> sub_root(std::string_view path) const;

    // Which resolver this handle uses: the kernel's or the user-space walk.
    ResolverKind resolver() const noexcept;

    // The pinned directory, for reading its identity or as a Landlock rule. Borrowed.
    int fd() const noexcept;

    // The lexical half of a lookup: `path` relative to the root, normalised, without a final slash;
    // "." is the root. Touches no disk.
    Result<std::string> normalized(std::string_view path) const;

    // ADVISORY: where `path` leads, existing or to be created, or the refusal. The string is
    // stale the moment it is returned; never open it, hand `path` to another method instead.
    Result<Resolution> resolve(std::string_view path) const;

    // The present name of an open object, relative to the root, checked by looking it up again.
    // Needs /proc (else not_available); not_found if it has no name inside any more. Advisory too.
    Result<std::string> canonical_path(const Handle& handle) const;

    // --- files -------------------------------------------------------------------------------

    // Opens a regular file. FIFOs, sockets and devices are not_regular_file at once. With write
    // access the file is changed in place: one that has several hard links is refused
    // (permission_denied), setuid and setgid are dropped, and truncation happens after all checks.
    Result<Handle> open_file(std::string_view path, const OpenOptions& options = {}) const;
    Result<Handle> create(std::string_view path, std::optional<Mode> mode = {}) const;
    Result<Handle> create_exclusive(std::string_view path, std::optional<Mode> mode = {}) const;

    // The whole content; too_large if there is more than `bytes_max`. A size over it is found
    // before anything is read; limit_reached if there is no memory for that much.
    Result<std::string> read_file(std::string_view path,
                                  std::uint64_t bytes_max = limits::kReadFileBytesMax) const;

    // Replaces or creates a file atomically: readers see the old content or the new one. A link
    // inside is followed and stays a link. Keeps mode, owner, group, ACL and extended attributes;
    // drops setuid, setgid and file capabilities; refuses a file without write permission. The
    // inode is new, so other hard links keep the old content. A failure leaves the old content,
    // except after the name was taken: race (somebody put another file there) and an io_error of
    // the directory's sync may come when the new content is already in place.
    Status write_file(std::string_view path, std::string_view content,
                      const WriteOptions& options = {}) const;
    // The same; the result is which file it is now.
    Result<Identity> put_file(std::string_view path, std::string_view content,
                              const WriteOptions& options = {}) const;

    // ADVISORY: would write_file replace this regular file, by its type and its permissions?
    Status check_writable(std::string_view path) const;

    // Adds to the end, in place; creates the file if absent. Refuses several hard links.
    Status append_file(std::string_view path, std::string_view content) const;

    // Copies one regular file's bytes, as many as it had when opened; holes stay holes. A new file
    // gets its permission bits too. `to` must not exist unless `replace`; `replaces` is as in
    // WriteOptions. What is cancelled leaves nothing.
    Status copy_file(std::string_view from, std::string_view to, bool replace = false,
                     const std::optional<Stat>& replaces = {},
                     const std::stop_token& cancel = {}) const;
    Status copy_file(const Handle& from, std::string_view to, bool replace = false,
                     const std::optional<Stat>& replaces = {},
                     const std::stop_token& cancel = {}) const;

    // A new, empty, private file in `directory`, removed when the handle goes unless kept.
    Result<TempFile> temp_file(std::string_view directory = ".") const;

    // --- directories -------------------------------------------------------------------------

    // A directory, search permission suffices: for fchdir in a child, or sub_root.
    Result<Handle> open_directory(std::string_view path) const;

    Status mkdir(std::string_view path, std::optional<Mode> mode = {}) const;
    Status mkdir_all(std::string_view path, std::optional<Mode> mode = {}) const;

    // The entries, sorted by name; `truncated` says that there were more than `entries_max`.
    Result<Listing> list(std::string_view path,
                         std::size_t entries_max = limits::kListEntriesMax) const;

    // Visits everything below `path`, parents first, in directory order, on held descriptors.
    // Links are reported, never entered; so are mounts that are not listed. The visitor may skip
    // or stop.
    Status walk(std::string_view path, const WalkVisitor& visitor) const;

    // --- names (all no-follow: a link is acted on itself) ------------------------------------

    // A file, a link or an empty directory. stale_read if it is not `expected` in that very state
    // (identity, size and time of modification): other writers of paddock that expect a file wait
    // from the look to the end, and for other programs the look is right before.
    Status remove(std::string_view path, const std::optional<Stat>& expected = {}) const;
    // Absent is success. Links, and mounts that are not listed, stay unentered. Stops at the first
    // failure, or when it is cancelled: what was removed until then stays so.
    Status remove_all(std::string_view path, const std::stop_token& cancel = {}) const;
    // With `replaces`: stale_read if that is not what `to` names, as for remove(). Of the source
    // nothing is expected: whatever has the name `from` when the kernel renames it gets the other.
    // Whoever means a certain file looks at `to` afterwards.
    Status rename(std::string_view from, std::string_view to,
                  RenameMode mode = RenameMode::kReplace,
                  const std::optional<Stat>& replaces = {}) const;
    Status hard_link(std::string_view existing, std::string_view created) const;

    // Refuses (path_escape) a target that would lead outside.
    Status symlink(std::string_view target, std::string_view created) const;
    Result<LinkTarget> readlink(std::string_view path) const;
    Result<Stat> lstat(std::string_view path) const;

    // --- metadata ----------------------------------------------------------------------------

    Result<Stat> stat(std::string_view path) const;
    Result<bool> exists(std::string_view path) const;  // an escape is an error, not "false"

    // Both refuse the root itself, what is neither file nor directory and, because the inode may be
    // shared with the outside, a regular file that has several hard links. A directory keeps its
    // setgid bit.
    Status chmod(std::string_view path, Mode mode) const;
    Status utimes(std::string_view path, const Times& times) const;

private:
    friend const fs::RootState& fs::state_of(const Root& root) noexcept;

    enum class Rights : std::uint8_t { kAll, kNoCreate, kReadOnly };

    Root(std::shared_ptr<const fs::RootState> state, Rights rights) noexcept;

    bool may_write() const noexcept { return rights_ != Rights::kReadOnly; }
    bool may_create() const noexcept { return rights_ == Rights::kAll; }

    std::shared_ptr<const fs::RootState> state_;
    Rights rights_ = Rights::kAll;
};

}  // namespace paddock
