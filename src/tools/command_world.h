// What commands find of the user's world: the home that lasts, and the toolchains on PATH.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sandbox/warden_spec.h"
#include "tools/lasting_home.h"

namespace paddock::tools {

struct CommandWorld {
    std::optional<LastingHome> home{};
    std::string scratch_home_reason{};       // why there is none, though it was asked for
    std::vector<std::string> variables{};    // of toolchains
    std::string search_path{};               // PATH
    std::vector<sandbox::HeldPath> shown{};  // of toolchains
};

// Adds it to the sandbox, `shown` excepted; the home is borrowed by `spec`. `environment`: of the
// host.
CommandWorld prepare_world(sandbox::WardenSpec& spec, std::span<const std::string> environment);

}  // namespace paddock::tools
