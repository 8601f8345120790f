// A call whose arguments are parsed already: what a server does that has parsed the whole request.
#pragma once

#include <string_view>

#include <paddock/tools.h>

#include "json/value.h"

namespace paddock::tools {

// As tools::call in everything else.
Answer call_parsed(const Workspace& workspace, std::string_view name, const json::Value& arguments,
                   const CallOptions& options = {});

}  // namespace paddock::tools
