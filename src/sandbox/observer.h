// Watches one command for what its walls refuse, and tells. Telemetry only: every call is let
// through to the kernel, which decides; the paths are read from memory that the command can change
// at any time, and links are not followed.
//
// It must run where the command's memory can be read and its paths mean the same: in the warden. A
// server that has confined itself by Landlock could not.
//
// A call is told of if it would change a name behind a wall (write_map.h), and would not fail for a
// simpler reason: mkdir of what exists, unlink of what does not. Not seen: chmod, utimes and the
// like; what rm -r does below a directory that it holds; UDP without connect; what seccomp itself
// refuses.
//
// The listener comes from the command, which installs its filter last, hands the descriptor over
// and runs its program. In between it must make no observed call: nobody would answer if the warden
// waits for the program to run.
//
// Nothing here allocates. One call costs 5 to 7 microseconds: under 1 % of a build, half as much
// again where thousands of small files are created and nothing else is done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "sandbox/denial.h"
#include "sandbox/write_map.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {

class Observer {
public:
    // `listener`: of the command's filter. `report`: a socket that keeps messages apart, with
    // DenialLog at the other end. `map` outlives the observer.
    Observer(UniqueFd listener, UniqueFd report, const WriteMap& map) noexcept;

    // To be polled: POLLIN: serve(). POLLHUP: no process of the command is left, so the observer is
    // done. As long as it exists it must be served, and it must not be destroyed earlier: observed
    // calls would fail.
    int listener() const noexcept { return listener_.get(); }

    // Answers one call.
    void serve() noexcept;

private:
    void record(Wall wall, Deed deed, std::string_view target) noexcept;
    void send(const DenialRecord& record) noexcept;

    UniqueFd listener_;
    UniqueFd report_;
    const WriteMap* map_;
    // Of what was told already.
    std::array<std::uint64_t, limits::kDenialsMax> told_{};
    std::size_t told_count_ = 0;
};

}  // namespace paddock::sandbox
