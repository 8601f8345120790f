// Changes take turns within this process, whichever session makes them.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <string>

namespace paddock::tools {

// Those to one path.
std::mutex& turn_of(const std::string& canonical);

// A directory that gets another name gives one to all that is in it, also to what is being written
// there. So moves are alone; everything else goes on side by side, and holds this shared.
std::shared_mutex& names();

// Two changes may each bring one half of a repository. To be taken before names(), and empty where
// no name is one of git's.
std::unique_lock<std::mutex> turn_with_git(const std::string& canonical);

}  // namespace paddock::tools
