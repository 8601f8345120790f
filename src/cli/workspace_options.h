// The workspace that a command works on: what the configuration says, with the words of the call.
// Every command that opens one asks here.
#pragma once

#include <tl/expected.hpp>

#include <paddock/config.h>

#include "cli/arguments.h"

namespace paddock::cli {

// The configuration in force. The error tells all that is wrong with it.
enum class StateDirectory : bool { kLeave, kMake };
tl::expected<config::Configuration, Ending> configuration(
    const SettingWords& words, StateDirectory state = StateDirectory::kMake);

// The same for a session: searches also pass over what the user's git passes over.
tl::expected<config::Configuration, Ending> session_configuration(const SettingWords& words);

// Its workspace.
tl::expected<WorkspaceOptions, Ending> workspace_options(const SettingWords& words);

}  // namespace paddock::cli
