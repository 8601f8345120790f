// The observers of a session: one for each command that was started observed, until the last
// process of it is gone, which may be long after the command itself. Without a gate nothing here
// allocates.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "sandbox/observer.h"

namespace paddock::sandbox {

class ObserverTable {
public:
    bool is_full() const noexcept { return count_ == observers_.size(); }

    // There must be room.
    void add(UniqueFd listener, UniqueFd report, const ObservedWorld& world, Gates* gates = nullptr,
             const CallIds& calls = {}) noexcept;

    // Writes what is to be polled to the front of `waits`, which has room for kObserversMax, and
    // says how much of it that is.
    std::size_t add_waits(std::span<pollfd> waits) const noexcept;

    // After polling these: at most one call of each command is answered, so that none keeps the
    // others waiting.
    void serve(std::span<const pollfd> waits) noexcept;
    // Of all: what the gate refused between calls.
    void tell_refusals() noexcept;

private:
    std::array<std::optional<Observer>, limits::kObserversMax> observers_;  // the first count_
    std::size_t count_ = 0;
};

}  // namespace paddock::sandbox
