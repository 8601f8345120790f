// The words of `paddock run`: how a person asks for a sandbox.
#pragma once

#include <optional>
#include <string>

#include <paddock/shell.h>

#include "cli/command.h"

namespace paddock::cli {

Command run_command();

// "processes=100", "memory=2G": into the limits. What is wrong with it, or nothing.
std::optional<std::string> set_limit(CommandLimits& limits, const std::string& text);

// "none", "host", "allow=example.org,*.example.com:443": into the options. The same.
std::optional<std::string> set_network(ShellOptions& shell, const std::string& text);

}  // namespace paddock::cli
