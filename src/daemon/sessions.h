// The sessions of the legacy era: a client gets an id when it initializes, and sends it with
// everything after. Bounded: whoever has been silent for longest makes room.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/outcome.h"
#include "mcp/conversation.h"

namespace paddock::daemon {

class Sessions {
public:
    struct Begun {
        std::string id;  // unguessable, visible ASCII
        std::shared_ptr<mcp::Conversation> conversation;
    };

    explicit Sessions(std::size_t most) : most_(most) {}

    Outcome<Begun> begin(const std::string& caller);
    // nullptr: there is none of that id for this caller.
    std::shared_ptr<mcp::Conversation> find(std::string_view id, std::string_view caller);
    // Cancels what it has under way. False: there is none.
    bool end(std::string_view id, std::string_view caller);
    void end_all();
    std::size_t size() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Session {
        std::shared_ptr<mcp::Conversation> conversation;
        Clock::time_point used;
    };

    void make_room();

    const std::size_t most_;
    mutable std::mutex mutex_;
    std::map<std::string, Session, std::less<>> sessions_;
};

}  // namespace paddock::daemon
