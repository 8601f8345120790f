// Whole trees, on held descriptors: never through a link, never onto another mount.
#pragma once

#include <paddock/root_options.h>

#include "base/outcome.h"
#include "fs/resolver.h"

namespace paddock::fs {

// Visits everything below `start`, an open readable directory; `prefix` is put before each path.
Done walk_tree(const RootState& state, int start, std::string prefix, const WalkVisitor& visitor);

// Removes the name at `place` and all below it. What vanishes meanwhile counts as removed.
Done remove_tree(const RootState& state, const Place& place);

// The entries of an open directory: the `entries_max` first ones by name.
Outcome<Listing> list_entries(int directory, std::size_t entries_max);

}  // namespace paddock::fs
