// Sessions of one workspace tell each other whether they are at work: whether one has a command
// whose doings its guard has not looked through yet. What appears meanwhile is nobody's word for
// the owner's.
//
// Two files in the quarantine, named after the workspace's directory: whoever is at work holds one
// shared, whoever is about to look and to begin holds the other alone. The kernel lets go of both
// when a session ends, however it does. Sessions with another quarantine, or with none, are not
// seen. One thread at a time.
#pragma once

#include <optional>

#include <paddock/root.h>

namespace paddock::tools {

class OtherSessions {
public:
    // Without a quarantine, or where these files cannot be made, there are no others.
    OtherSessions(const std::optional<Root>& quarantine, const Root& workspace);

    // From now until begin() or rest() no other one begins. Is none at work? If another keeps its
    // turn for very long it counts as being so.
    bool are_at_rest();

    void begin();  // to work
    void rest();

private:
    struct Files {
        Handle turn;
        Handle work;
    };
    std::optional<Files> files_;
};

}  // namespace paddock::tools
