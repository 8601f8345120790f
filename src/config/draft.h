// The values of all settings while they are gathered: what the sources say, not yet what it means
// together.
#pragma once

#include <string>
#include <vector>

#include <paddock/config.h>

#include "policy/toolchains.h"

namespace paddock::config {

struct Draft {
    WorkspaceOptions workspace{};
    ShellOptions shell{};
    ServeSettings serve{};

    std::string root{};                // empty: not said
    std::string outside_reason{};      // permit::Unconfined
    std::string every_mount_reason{};  // permit::EveryMount
    std::vector<std::string> ignore{};
    std::vector<std::string> secrets{};  // "NAME=env:VARIABLE", "NAME=file:PATH"
    bool bash = true;
    std::string network = "none";  // or "host", "listed", or hosts and presets with commas
    std::vector<std::string> toolchains = policy::toolchain_names();
    bool fresh_home = false;
};

}  // namespace paddock::config
