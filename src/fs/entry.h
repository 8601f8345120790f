// Opening what a directory listing named, for walks that hold the directory: one system call where
// the kernel resolves.
//
// Both never follow a link, never enter a mount that may not be entered and never open an object
// that the root refuses. What has become something else since it was listed is an error like any
// other; the walk goes on without it.
#pragma once

#include <paddock/root.h>

#include "base/outcome.h"
#include "fs/root_state.h"
#include "sys/dir.h"

namespace paddock::fs {

const RootState& state_of(const Root& root) noexcept;

// Not every file system tells with the name; kUnknown if it is gone meanwhile.
FileType type_of_entry(int directory, const sys::DirEntry& entry);

// `directory` was reached from the root, and is held. For reading.
Outcome<UniqueFd> open_directory_entry(const RootState& state, int directory, const char* name);

// A regular file, for reading; the root's rule about hard links applies.
Outcome<Handle> open_file_entry(const RootState& state, int directory, const char* name);

}  // namespace paddock::fs
