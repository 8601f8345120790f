// Replacing a file by a new one under the same name, so that nobody ever sees half of it.
//
// The new content goes to a private file beside the target, gets the target's owner, extended
// attributes and permissions while it goes to the disk, and takes over the name by one rename. A
// failure before that leaves the target as it was and no temporary file; only a killed process can
// leave one, or a disk that refuses to remove it, named ".paddock-" and 16 hex digits.
//
// Replacing a known file (WriteOptions::replaces) holds the lock of the directory from the last
// look to the end, so of any number of writers that know the same file one
// succeeds and the others get stale_read. Programs without the lock are met by an exchange of the
// two names: it brings out what the name had, and if that is not what was known, the name gets back
// the newest that anybody gave it. replace_model_test.cc tries every order of the steps.
#pragma once

#include <functional>

#include <paddock/root_options.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "fs/resolver.h"

namespace paddock::fs {

// The turn of a writer that expects a certain file under a name.
//
// To look at a name and then to change it are two system calls. Writers of paddock hold this lock
// from the look to the end of the change, so any number of them, in any number of processes, come
// one after the other. Writers that expect nothing need no lock: their change is one call.
//
// It is a flock of the directory. Programs that take no such lock are not kept out: replace.cc
// looks again after the change. A directory that cannot be read, and a file system without locks,
// give no lock, and the change is made without it.

class [[nodiscard]] DirectoryLock {
public:
    // Waits up to limits::kDirectoryLockDeadline for other holders, then race.
    static Outcome<DirectoryLock> take(int directory);
    DirectoryLock(DirectoryLock&&) noexcept = default;
    DirectoryLock& operator=(DirectoryLock&&) = delete;
    ~DirectoryLock();

private:
    explicit DirectoryLock(UniqueFd fd) noexcept : fd_(std::move(fd)) {}

    UniqueFd fd_;  // none: there is no lock
};

// Writes the content to the open, empty file.
using Fill = std::function<Done(int fd)>;

// `place` is the target's; its node must be current or absent. Refuses what is not a regular file
// or not writable. race if something appeared where nothing was: locate again.
// Without `may_create` the name must still be there when the new file takes it.
// `like`: the open file of the option of that name.
// The result is which file it is now.
Outcome<Identity> replace_file(const Place& place, const WriteOptions& options, bool may_create,
                               const Fill& fill, int like = -1);

// For a change of this name that expects this very file in this very state: keeps other writers out
// of the directory. stale_read if it is another.
Outcome<DirectoryLock> lock_expected(const Place& place, const Stat& expected);

// A new private file (mode 0600) in `directory`, which lies at `parent_path`.
Outcome<TempFile> make_temp(int directory, const std::string& parent_path);

// May the content of this file be changed by this user? Permission bits count for root too: a file
// that nobody may write is not written.
Done check_writable(const Place& place);

}  // namespace paddock::fs
