// The gallery of commands: what a hostile shell command tries, run by bash as it is and by
// paddock's bash in the sandbox of a session. Both sides are judged by the same measure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/prove/ground.h"
#include "cli/prove/host_decoys.h"
#include "cli/prove/report.h"

namespace paddock::cli::prove {

struct CommandAttack {
    std::string_view id;  // the attempt of tests/inmates that it shows
    std::string_view title;
    // Runs in the workspace. $OUT is the outside, $VICTIM a process and $PORT a service of the
    // host's, which gives the secret, $DESCRIPTOR one that was left open; $MARK is for what is left
    // behind.
    std::string_view script;
    // What is wrong after the session has ended, besides the secret in the output and a changed
    // outside; empty: nothing.
    std::string_view (*harm)(const Ground& ground, const HostDecoys& host) = nullptr;
    bool low_rung_holds = true;  // false: only namespaces prevent it
    bool needs_gate = false;     // only the gate prevents it
};

std::vector<CommandAttack> command_gallery();

enum class Runner : bool { kPlainBash, kPaddock };

// Never throws; what cannot be set up is kSkipped. A trial makes and removes "ground" in `scratch`.
// For processes with a single thread.
Verdict try_command(const CommandAttack& attack, Runner runner, const std::string& scratch);

// "full", "low": the rung that commands get in `scratch`; empty if none, and `why` tells.
std::string rung_in(const std::string& scratch, std::string& why);

}  // namespace paddock::cli::prove
