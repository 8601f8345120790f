// How a command ends that has nothing to run.
#pragma once

#include <string>

namespace paddock::cli {

// Exit codes: 0 all is well, 1 a path or a call was refused, a need is missing or an attack got
// through, 2 the call makes no sense or could not be carried out.
inline constexpr int kRefused = 1;
inline constexpr int kUsageError = 2;

// After a signal, as shells have it.
inline constexpr int kAddedToSignal = 128;

// `text` is the answer (exit 0) or the complaint.
struct Ending {
    int exit_code = 0;
    std::string text;
};

}  // namespace paddock::cli
