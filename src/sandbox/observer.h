// Watches one command for what its walls refuse, and tells. Telemetry only, but for the
// calls that the gate performs: every other is let through to the kernel, which decides; the paths
// are read from memory that the command can change at any time, and links are not followed.
//
// One answer is its own: a name that would be made in a directory that commands do not see gets
// EROFS, as it would in one that they see. The kernel would say ENOENT.
//
// It must run where the command's memory can be read and its paths mean the same: in the warden. A
// server that has confined itself by Landlock could not.
//
// A call is told of if it would change a name behind a wall (denial.h), and would not fail for a
// simpler reason: mkdir of what exists, unlink of what does not. Of a tree that is removed the
// protected path is told, or else the directory, and not each name. Not seen: chmod, utimes and the
// like; UDP without connect; what seccomp itself refuses. Left to the name server (name_server.h):
// look-ups at the own loopback.
//
// The listener comes from the command, which installs its filter last, hands the descriptor over
// and runs its program. In between it must make no observed call: nobody would answer if the warden
// waits for the program to run.
//
// A program that asks for seccomp's TRACE itself (rr, proot) does not get it for calls that are
// observed, and one that asks for a listener of its own is refused (EBUSY), as where there is one
// already.
//
// Without a gate nothing here allocates. One call costs 5 to 7 microseconds: under 1 % of a build,
// half as much again where thousands of small files are created and nothing else is done, and as
// much again or more where a tree of them is removed.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "journal/journal.h"
#include "sandbox/denial.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {

// Commands of a session that are observed at once: those that run, and those that left processes
// running. Each holds two descriptors; with everything else that is below the usual limit of 1024.
// Those beyond run unobserved.
inline constexpr std::size_t kObserversMax = 256;

// The calls that an observing filter tells of (filter.cc), and where their arguments are.

inline constexpr int kNoArgument = -1;

// A name that a call would change. Positions of arguments.
struct ObservedName {
    int directory = kNoArgument;  // none: the current one
    int path = kNoArgument;       // none: no such name
};

enum class NameMust : std::uint8_t {
    kAnything,
    kExist,      // else the call fails for want of it
    kBeMissing,  // else the call fails because of it
};

struct ObservedCall {
    long number = 0;
    DeniedOperation operation = DeniedOperation::kWrite;
    NameMust must = NameMust::kAnything;
    ObservedName name = {};
    ObservedName second = {};        // rename: the new name
    int flags = kNoArgument;         // as in open(2)
    int rename_flags = kNoArgument;  // as in renameat2(2)
};

// Null for a call that is not observed.
const ObservedCall* observed_call(long number) noexcept;

// What the observers of a session share; outlives them.
struct ObservedWorld {
    WriteMap map = {};
    // Commands see a root of their own. What they do not see there does not exist.
    bool own_view = false;
    // Look at files with the rights of this user. For who has more: else what is told would tell
    // what exists.
    struct Looker {
        uid_t user = 0;
        gid_t group = 0;
    };
    std::optional<Looker> looker = {};
};

class Gates;

// Of one command, in the journal of the workspace and in those of the further roots that have a
// gate. The home's comes last, and counts no calls.
using CallIds = std::array<journal::CallId, limits::kFurtherRootsMax + 2>;

class Observer {
public:
    // `listener`: of the command's filter. `report`: a socket that keeps messages apart, with
    // DenialLog at the other end.
    // `gates`: perform what changes a root, for the calls `calls`; null: there are none.
    Observer(UniqueFd listener, UniqueFd report, const ObservedWorld& world, Gates* gates = nullptr,
             const CallIds& calls = {}) noexcept;

    // To be polled: POLLIN: serve(). POLLHUP: no process of the command is left, so the observer is
    // done. As long as it exists it must be served, and it must not be destroyed earlier: observed
    // calls would fail.
    int listener() const noexcept { return listener_.get(); }

    // Answers one call.
    void serve() noexcept;
    // Tells what the gate refused between calls.
    void tell_refusals() noexcept;
    // Nobody calls any more.
    void leave() noexcept;

private:
    void record(Wall wall, DeniedOperation operation, std::string_view target,
                std::string_view why = {}) noexcept;
    void send(const DenialRecord& record) noexcept;

    UniqueFd listener_;
    UniqueFd report_;
    const ObservedWorld* world_;
    Gates* gates_;
    CallIds calls_;
    // Of what was told already.
    std::array<std::uint64_t, limits::kDenialsMax> told_{};
    std::size_t told_count_ = 0;
};

// The observers of a session: one for each command that was started observed, until the last
// process of it is gone, which may be long after the command itself. Without a gate nothing here
// allocates.
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
    std::array<std::optional<Observer>, kObserversMax> observers_;  // the first count_
    std::size_t count_ = 0;
};

}  // namespace paddock::sandbox
