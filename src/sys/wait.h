// Waiting for descriptors, and waking up who waits.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

struct Watched {
    int fd = -1;            // -1: not watched
    bool ready = false;     // can be read without waiting, or has ended
    bool only_end = false;  // ready only when it has ended: nobody is at the other side
};

// Waits until at least one is ready. False: the time is up. At most 8.
Outcome<bool> wait_readable(std::span<Watched> watched,
                            std::optional<std::chrono::milliseconds> at_most = {});

// A descriptor that is readable from wake() to rest().
Outcome<UniqueFd> make_wakeup();
void wake(int wakeup) noexcept;
void rest(int wakeup) noexcept;

}  // namespace paddock::sys
