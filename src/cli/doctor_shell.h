// What the commands of a session would be confined by on this host, found by starting a session in
// an empty directory that is removed again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <paddock/shell.h>

#include "cli/doctor.h"

namespace paddock::cli {

struct ShellFinding {
    std::optional<ShellReport> report{};  // nothing: commands are refused here
    std::string refusal{};                // then why, and what to do
};

// Call it from a process that has no other threads yet.
ShellFinding examine_shell();

// One for each layer, in the order of Layer: what it does, or why it is missing and the remedy.
std::vector<Finding> layers_of(const ShellReport& report);

}  // namespace paddock::cli
