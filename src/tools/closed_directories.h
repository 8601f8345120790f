// Directories that cannot be read: one could hide anything, and so could those below it. Those that
// were closed before the commands stay so; a command's are opened again.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include <paddock/root.h>

#include "search/tree_snapshot.h"

namespace paddock::tools {

class ClosedDirectories {
public:
    explicit ClosedDirectories(const Root& root) : root_(root) {}

    // These need not be readable, and no others.
    void leave(const search::TreeSnapshot::Unreadable& directories);

    // By path and as an object, as far as that can be looked at: another one in its place is not
    // meant.
    bool is_left(const std::string& path) const;

    // It, what is above it and what is below it. The number of those below; nothing if there was
    // nothing to be done about it, for one because of `why`, and it is left from now on.
    std::optional<std::size_t> open(const std::string& path, const Failure& why);

private:
    void leave(const std::string& path);

    const Root root_;
    std::map<std::string, Stat> left_;
};

}  // namespace paddock::tools
