// The values of all settings while they are gathered: what the sources say, not yet what it means
// together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <paddock/config.h>

namespace paddock::config {

enum class Network : std::uint8_t { kNone, kListed, kHost };

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
    Network network = Network::kNone;
};

}  // namespace paddock::config
