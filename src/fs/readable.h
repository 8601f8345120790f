// Opening a regular file for reading, and taking in all of it.
#pragma once

#include <cstdint>
#include <string>

#include <paddock/handle.h>
#include <paddock/root.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"
#include "sys/files.h"

namespace paddock::fs {

// Opening what a directory listing named, for walks that hold the directory: one system call where
// the kernel resolves.
//
// Both never follow a link, never enter a mount that may not be entered and never open an object
// that the root refuses. What has become something else since it was listed is an error like any
// other; the walk goes on without it.

const RootState& state_of(const Root& root) noexcept;

// Not every file system tells with the name; kUnknown if it is gone meanwhile.
FileType type_of_entry(int directory, const sys::DirEntry& entry);

// `directory` was reached from the root, and is held. For reading.
Outcome<UniqueFd> open_directory_entry(const RootState& state, int directory, const char* name);

// A regular file, for reading; the root's rule about hard links applies.
Outcome<Handle> open_file_entry(const RootState& state, int directory, const char* name);

// What may be changed in place: an inode with several names may have one outside.
// permission_denied for a regular file that has several hard links.
Done check_changeable(const Stat& stat);

// Is it the same file, with no name come or gone in between? A change of status without a change of
// content may be just that. race if not.
Done check_same_names(const Stat& before, const Stat& now);

// After a link count of 1 was read from an object opened at `path`: is it still there? If its name
// went away in between, the one name left may lie outside. race if so.
Done check_still_named(const RootState& state, const RelPath& path, const Stat& stat);

// A file or directory whose metadata may be changed, pinned (O_PATH). Never the root.
Outcome<UniqueFd> pin_changeable(const RootState& state, const RelPath& path);

// Checked to be a regular file, and that its hard links are to be read.
Outcome<Handle> open_readable(const RootState& state, const RelPath& path);

// The whole content of an open file that announces `size` bytes; too_large if it has more than
// `bytes_max`, limit_reached if there is no memory for it.
Outcome<std::string> read_content(int fd, std::uint64_t size, std::uint64_t bytes_max);

}  // namespace paddock::fs
