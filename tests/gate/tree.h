// A tree as text: names, types, modes, contents, link targets and hard links, one line an entry.
// Two trees are the same if their texts are; of contents, the first megabyte. Times, owners, inode
// numbers and the journal of a workspace are left out.
//
// Everything goes by descriptors from `directory`, so a tree may be deeper than a path is long.
#pragma once

#include <string>

namespace gate {

// Entries deeper than `levels` show as "...". A directory that cannot be read shows as unreadable.
std::string describe_tree(int directory, int levels = 16);

// One line about one name: "file 644 'text'", "link -> x", "dir 755", or the error's name.
std::string describe(int directory, const std::string& name);

// Removes everything below, not the directory itself. Opens closed directories first. What cannot
// be removed stays: the caller sees it in the next description.
void empty_tree(int directory);

// Names in it, sorted, without "." and "..".
struct Listing {
    int error = 0;
    std::string names;  // each ended by a NUL
};
Listing list(int directory);

// Control bytes, backslashes and bytes above ASCII as \xNN.
std::string escaped(const std::string& text);

std::string error_name(int error);

}  // namespace gate
