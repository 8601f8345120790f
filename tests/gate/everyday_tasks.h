// Everyday work as data. Each task is a script that succeeds outside; inside, it must succeed and
// print the same. Scripts print only what does not differ between two runs.
#pragma once

#include <span>

namespace gate {

struct Task {
    const char* name;
    const char* needs;                // programs
    const char* script;               // bash, run in the workspace
    const char* before = nullptr;     // by the owner, outside
    const char* after = nullptr;      // by the owner, outside: must succeed
    const char* low_lacks = nullptr;  // why it cannot be done without namespaces
};

inline constexpr const char* kNoSockets = "without a network namespace commands have no sockets";
inline constexpr const char* kNoTerminals =
    "without a mount namespace the only terminals are the host's";
inline constexpr const char* kNoTmp = "without a mount namespace /tmp is the host's";

// Repositories and changes of files.
std::span<const Task> file_tasks();
// Compilers, package managers, servers, debuggers, terminals: the rest of a developer's world.
std::span<const Task> world_tasks();

// Repositories with tracked files that look like secrets or settings.
extern const char* const kTrackedSecrets;

}  // namespace gate
