// Directories of the workspace whose permissions a command took away: that keeps nothing in place.
// Nothing happens where the owner may do what is needed anyway, or permissions cannot be changed.
// `root` passes no link and outlives; an empty path is the root itself.
#pragma once

#include <string_view>

#include <paddock/root.h>
#include <paddock/unique_fd.h>

namespace paddock::tools {

// The owner may change the directory as long as this lives. Then its permissions are put back, on
// the same object, wherever it is by then.
class Unlocked {
public:
    Unlocked(const Root& root, std::string_view directory);
    ~Unlocked();
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    UniqueFd own_;
    int directory_ = -1;  // -1: nothing to be put back
    Mode before_ = 0;
};

// The owner may look into it from now on. True if that was changed.
bool make_readable(const Root& root, std::string_view directory);

}  // namespace paddock::tools
