// What of the layers is there, from which rung was reached and why not the other. Pure.
#pragma once

#include <optional>

#include <paddock/shell.h>

#include "base/outcome.h"
#include "sandbox/stage.h"

namespace paddock::sandbox {

struct Reached {
    Rung rung = Rung::kFull;
    StageError refused = {};  // on the low rung: what kept it from being the full one
    std::optional<Failure> no_cgroup = {};
    int landlock_abi = 0;
    unsigned user = 0;
    bool observes = false;
    bool needs_gate = false;  // commands may change the workspace
    bool gated = false;
};

ShellReport report_of(const ShellOptions& options, const Reached& reached);

// sandbox_unavailable, with the remedy, if a layer that the operator requires is missing.
Done check_required(const ShellOptions& options, const Reached& reached);

}  // namespace paddock::sandbox
