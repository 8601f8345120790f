// Whole trees, on held descriptors: never through a link, never onto another mount.
#pragma once

#include <cstdint>
#include <stop_token>

#include <paddock/root_options.h>

#include "base/outcome.h"
#include "fs/resolver.h"

namespace paddock::fs {

// Passes over one directory in a recursive removal before "somebody keeps filling it" is the
// answer.
inline constexpr int kRemovePassesMax = 64;

// Copying a file's content inside the kernel where it can be done there. Holes stay holes, so that
// a sparse file cannot fill the disk.

// The first `size` bytes of `from`, less if it has become shorter, into the empty file `to`. Error:
// cancelled, soon after it was asked for.
Done copy_content(int from, std::uint64_t size, int to, const std::stop_token& cancel = {});

// Visits everything below `start`, an open readable directory; `prefix` is put before each path.
Done walk_tree(const RootState& state, int start, std::string prefix, const WalkVisitor& visitor);

// Directories below that do not let anything in them go.
enum class Locked : std::uint8_t { kStay, kAreOpened };

// Removes the name at `place` and all below it. What vanishes meanwhile counts as removed. The
// answer is cancelled if that comes before the last name is taken away.
Done remove_tree(const RootState& state, const Place& place, Locked locked = Locked::kStay,
                 const std::stop_token& cancel = {});

// The entries of an open directory: the `entries_max` first ones by name.
Outcome<Listing> list_entries(int directory, std::size_t entries_max);

}  // namespace paddock::fs
