// The workspace that a command works on: what the configuration says, with the words of the call.
// Every command that opens one asks here.
#pragma once

#include <tl/expected.hpp>

#include <paddock/config.h>

#include "cli/arguments.h"

namespace paddock::cli {

// Tells all that is wrong with a configuration.
struct BadConfiguration : Ending {
    bool is_call = false;  // only words of the call are at fault, no file and no variable
};

// The configuration in force.
enum class StateDirectory : bool { kLeave, kMake };
tl::expected<config::Configuration, BadConfiguration> configuration(
    const SettingWords& words, StateDirectory state = StateDirectory::kMake);

// The same for a session: searches also pass over what the user's git passes over, and what it
// obeys by configurations outside of the workspace is protected.
tl::expected<config::Configuration, BadConfiguration> session_configuration(
    const SettingWords& words, StateDirectory state = StateDirectory::kMake);

// Its workspace.
tl::expected<WorkspaceOptions, BadConfiguration> workspace_options(const SettingWords& words);

}  // namespace paddock::cli
