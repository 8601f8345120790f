// config::load without the disk: for a file that was read already.
#pragma once

#include <optional>
#include <vector>

#include <paddock/config.h>

#include "config/host.h"

namespace paddock::config {

tl::expected<Configuration, std::vector<Problem>> load_from(const Source& source,
                                                            const std::optional<ConfigFile>& file);

}  // namespace paddock::config
