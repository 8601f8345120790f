// A workspace with a bit of everything, and how to see what was done to it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "testing/jail.h"

namespace paddock::testing {

// Every object below the scratch directory by its path: kind, permissions, owner, content, link
// text, extended attributes, and a modification time if somebody set it to the distant past.
using Snapshot = std::map<std::string, std::string>;

inline constexpr std::string_view kOld = "the old content\n";

// "deep/d/d/...", so deep that no lookup holds every directory open. There, "up" links to "dir".
std::string deep_path();

class Scene : public Jail {
protected:
    Scene();

    // Makes the workspace anew, below the same root directory; the outside stays.
    void restore();

    Snapshot snapshot() const;

    // Takes the names of temporary files out of a snapshot and says how many there were.
    static std::size_t take_temporaries(Snapshot& snapshot);

    // What is in one and not in the other, a line each; empty if they are alike.
    static std::string difference(const Snapshot& found, const Snapshot& expected);
};

}  // namespace paddock::testing
