// One random workspace and many random paths: the model, the kernel's resolver, the user-space walk
// and, for what is accepted, the plain OS must give the same answer; nothing may come from outside,
// and nothing outside may change.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "agreement/arena.h"
#include "agreement/byte_source.h"

namespace paddock::agreement {

struct Settings {
    bool mounts = false;    // may be made by this process
    unsigned looks = 100;   // paths that are looked at in one workspace, at most
    unsigned changes = 20;  // made to it afterwards, at most
};

struct Tally {
    std::size_t cases = 0;  // paths looked at, and changes
    std::size_t changes = 0;
    std::size_t leaks = 0;  // refused paths by which the plain OS would have left the root
    std::map<std::string, std::size_t> answers;  // of stat, and of changes
};

// Returns the first disagreement with everything needed to understand it, or an empty string.
std::string run_scenario(ByteSource& bytes, Arena& arena, const Settings& settings, Tally& tally);

}  // namespace paddock::agreement
