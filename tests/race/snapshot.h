// Everything that can be told about a tree from the outside: names, kinds, modes, owners, inodes,
// times of change, contents. Two snapshots differ if anybody touched it in between, even if the
// change was taken back.
#pragma once

#include <map>
#include <string>

namespace paddock::testing {

// Name below the directory (empty: the directory itself) to a description.
using Snapshot = std::map<std::string, std::string>;

// `directory` is an open directory. Of its own inode the time of change is left out: an attacker
// who renames it changes that.
Snapshot take_snapshot(int directory);

// How many names were added, removed or changed.
std::size_t differences(const Snapshot& before, const Snapshot& after);

}  // namespace paddock::testing
