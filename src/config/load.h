// config::load without the disk: for a file that was read already.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <paddock/config.h>

#include "config/host.h"
#include "config/settings.h"

namespace paddock::config {

// The last step: what the settings mean together, and what that needs of the host.

using Origins = std::map<std::string, std::string>;  // of settings that are not the default

struct Context {
    const Source& source;
    const Variables& variables;
    const std::string& file;  // empty: none was read
    bool has_workspace;       // the file has a table of that name
    const Origins& origins;
};

// Fills `configuration`, or says what is wrong. The root that is in force is put into the draft.
std::vector<Problem> finish(const Context& context, Draft& draft, Configuration& configuration);

tl::expected<Configuration, std::vector<Problem>> load_from(const Source& source,
                                                            const std::optional<ConfigFile>& file);

}  // namespace paddock::config
