// Whole trees, on held descriptors: never through a link, never onto another mount.
#pragma once

#include <functional>

#include <paddock/root_options.h>

#include "base/outcome.h"
#include "fs/resolver.h"

namespace paddock::fs {

// Visits everything below `start`, an open readable directory; `prefix` is put before each path.
Done walk_tree(const RootState& state, int start, std::string prefix, const WalkVisitor& visitor);

// What a removal must not take although it bears the name. Each object is looked at in the
// directory that is held, just before its name goes.
struct Sparing {
    Stat only{};                                // the one that is meant
    std::function<bool(const Stat&)> spares{};  // left where it is, with all below it
};

// Removes the name at `place` and all below it. What vanishes meanwhile counts as removed.
// With `sparing`: race if the name is another object's or nobody's by now. Directories below that
// do not let it are made to; what cannot go all the same is left, and when all else has been
// removed the first reason is the error: denied_by_rule for what is spared.
Done remove_tree(const RootState& state, const Place& place, const Sparing* sparing = nullptr);

// The entries of an open directory: the `entries_max` first ones by name.
Outcome<Listing> list_entries(int directory, std::size_t entries_max);

}  // namespace paddock::fs
