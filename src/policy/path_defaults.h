// The path rules of every workspace, unless the operator's own rules say otherwise: secrets are not
// shown, and what git, shells, editors and agents run or obey is not changed.
#pragma once

#include <span>

#include "policy/path_rules.h"

namespace paddock::policy {

std::span<const PathRule> default_path_rules();

}  // namespace paddock::policy
