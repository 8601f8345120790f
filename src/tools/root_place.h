// Where a directory is, whatever it is called: bind mounts give one several names.
//
// Not seen: a directory that another file system shows as its own (overlay, FUSE, network).
#pragma once

#include <string>
#include <vector>

#include <paddock/handle.h>

#include "base/outcome.h"

namespace paddock::tools {

class RootPlace {
public:
    static Outcome<RootPlace> of(int directory);

    // Is one the other, or below it, under any name?
    bool overlaps(const RootPlace& other) const;

    const std::string& path() const noexcept { return path_; }  // canonical, on the host

private:
    bool holds(const RootPlace& other) const;

    std::string path_;
    std::vector<Identity> upwards_;  // of itself and of the directories above it
    std::string device_;             // of the file system; empty: not known
    std::string in_device_;          // its path there
};

}  // namespace paddock::tools
