// `paddock doctor`: the findings as a table or as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <paddock/shell.h>

#include "cli/arguments.h"
#include "cli/doctor.h"
#include "sandbox/toolchains.h"

namespace paddock::cli {

// What the commands of a session would be confined by on this host, found by starting a session in
// an empty directory that is removed again.

struct ShellFinding {
    std::optional<ShellReport> report{};  // nothing: commands are refused here
    std::string refusal{};                // then why, and what to do
};

// Call it from a process that has no other threads yet.
ShellFinding examine_shell();

// One for each layer, in the order of Layer: what it does, or why it is missing and the remedy.
std::vector<Finding> layers_of(const ShellReport& report);

// Which toolchains of the user commands would see, and why; where their home is kept.
struct WorldFinding {
    sandbox::Toolchains toolchains;
    std::string homes;  // the directory; empty: homes end with the session
};

// With the configuration in force, or the defaults if that is refused.
WorldFinding examine_world();

// Without it no workspace opens, or it has only one wall.
bool is_needed(const Finding& finding) noexcept;

int run(const DoctorRequest& request);

}  // namespace paddock::cli
