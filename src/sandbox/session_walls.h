// What the observers of a session know of its walls.
#pragma once

#include <span>
#include <string_view>

#include "sandbox/observer.h"
#include "sandbox/protection.h"
#include "sandbox/warden_plan.h"

namespace paddock::sandbox {

// For a plan that is complete otherwise.
ObservedWorld observed_world(const WardenPlan& plan);

// `path` is relative to `workspace`, or absolute. Allocates nothing; what does not fit is left out.
void add_protection(WriteMap& map, std::string_view workspace, std::string_view path,
                    std::span<char> buffer) noexcept;

}  // namespace paddock::sandbox
