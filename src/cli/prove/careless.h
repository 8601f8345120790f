// Tools without paddock, as they are met in the field: a look at the text of a path, or at the
// disk, and then a call by name.
//
// A check gives the path that the tool would use, or nothing if it refuses. An act gives what came
// of it; errors are simply nothing gained. Every link of a Ground ends in that Ground, so nothing
// but decoys can be reached from here.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "cli/prove/attack.h"

namespace paddock::cli::prove::careless {

using Checked = std::optional<std::string>;

// --- checks ----------------------------------------------------------------------------------

Checked joined(const Ground& ground, std::string_view path);   // none; absolute paths win
Checked no_dots(const Ground& ground, std::string_view path);  // refuses what begins with ".."
Checked lexical(const Ground& ground, std::string_view path);  // normalises, knows no links
Checked prefix(const Ground& ground, std::string_view path);   // "/ws-evil" begins with "/ws"
Checked real(const Ground& ground, std::string_view path);     // realpath of what exists of it
Checked no_link(const Ground& ground, std::string_view path);  // lexical, and lstat says no link

// "found", "outside" or "absent": what the tool would tell the caller.
std::string_view answer(const Ground& ground, std::string_view path);

// --- acts ------------------------------------------------------------------------------------

enum class Links : bool { kSeen, kFollowed };

Attempt read(const Checked& path);
Attempt list(const Checked& path);
Attempt read_tree(const Checked& path);  // follows links
Attempt write(const Checked& path);      // truncates, then writes
Attempt append(const Checked& path);
Attempt truncate(const Checked& path);
Attempt replace(const Checked& path);  // new file, old mode, rename
Attempt chmod(const Checked& path, mode_t mode);
Attempt make_directories(const Checked& path);
Attempt remove_tree(const Checked& path, Links links = Links::kSeen);
Attempt rename(const Checked& from, const Checked& to);
Attempt copy(const Checked& from, const Checked& to);

}  // namespace paddock::cli::prove::careless
