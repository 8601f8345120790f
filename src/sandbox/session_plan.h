// From what the operator asked for and what the host has to a WardenPlan: looks at the host,
// changes nothing but to make the low level's private directory.
#pragma once

#include <span>
#include <string_view>

#include "base/outcome.h"
#include "sandbox/observer.h"
#include "sandbox/view_plan.h"
#include "sandbox/warden.h"
#include "sandbox/warden_plan.h"

namespace paddock::sandbox {

// What the observers of a session know of its walls.

// For a plan that is complete otherwise.
ObservedWorld observed_world(const WardenPlan& plan);

// `path` is relative to `workspace`, or absolute. Allocates nothing; what does not fit is left out.
void add_protection(WriteMap& map, std::string_view workspace, std::string_view path,
                    std::span<char> buffer) noexcept;

// Errors: invalid_argument.
Done check_spec(const WardenSpec& spec);

// `abi` of Landlock, at least 1. Descriptors of the channel are left to the caller. Errors:
// invalid_argument (what cannot be shown), sandbox_unavailable (no user to run commands as), those
// of the kernel.
Outcome<WardenPlan> plan_full_level(const WardenSpec& spec, int abi);
Outcome<WardenPlan> plan_low_level(const WardenSpec& spec, int abi);

}  // namespace paddock::sandbox
