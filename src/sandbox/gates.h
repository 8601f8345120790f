// The gates of a session: one before the workspace and one before each further root that commands
// may change.
//
// A call goes from gate to gate until one takes it. Each reads the path anew and acts only on what
// it finds in its own root, so what a command exchanges in between changes nothing: a call that no
// gate takes is let through, and Landlock protects all roots. A rename or a link from one root to
// another is EXDEV, as between mounts.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "journal/journal.h"
#include "sandbox/gate.h"
#include "sandbox/observer.h"

namespace paddock::sandbox {

class Gates {
public:
    // The first is that of the workspace. Paths of the others are reported with `prefix`.
    void add(std::unique_ptr<Gate> gate, std::string prefix = {});

    // As those of a gate. `of`: one for each, in the order in which they were added.
    Gate::Answer handle(const sys::seccomp::Notification& call, int listener, const CallIds& of,
                        std::optional<GateRefusal>& refused);
    bool has_parked() const noexcept;
    void retry();
    std::optional<GateRefusal> take_refusal(int listener);
    void forget(int listener);
    // Each gate gets those of its root: relative to the workspace, or absolute in another root.
    void set_repositories(std::span<const std::string> directories);
    // `names`: gets the first of them, limits::kChangedNamesMax at most.
    journal::Changes end_call(const CallIds& calls, std::vector<journal::NameChange>& names);

private:
    struct Entry {
        std::unique_ptr<Gate> gate;
        std::string prefix;
    };

    std::vector<Entry> entries_;
};

}  // namespace paddock::sandbox
