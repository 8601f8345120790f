// Everyday work as data. Each task is a script that succeeds outside; inside, it must succeed and
// print the same. Scripts print only what does not differ between two runs.
#pragma once

#include <span>

namespace gate {

struct Task {
    const char* name;
    const char* needs;             // programs
    const char* script;            // bash, run in the workspace
    const char* before = nullptr;  // by the owner, outside
    const char* after = nullptr;   // by the owner, outside: must succeed
    // What it needs and nobody has without namespaces, as a row of docs/everyday-work.md begins. It
    // must come to an end there, and fail.
    const char* low_lacks = nullptr;
    const char* unless = nullptr;  // by the owner, outside: prints why it cannot be done here
};

inline constexpr const char* kNoSockets = "sockets of any kind";
inline constexpr const char* kNoTerminals = "new terminals";
inline constexpr const char* kNoNamedMemory = "shared memory and semaphores with a name";
inline constexpr const char* kNoTmp = "programs that write to `/tmp` by name";

// Repositories and changes of files.
std::span<const Task> file_tasks();
// Compilers, package managers, servers, debuggers, terminals: the rest of a developer's world.
std::span<const Task> world_tasks();

// Repositories with tracked files that look like secrets or settings.
extern const char* const kTrackedSecrets;

}  // namespace gate
