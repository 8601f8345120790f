// What a model is told of the workspace before its first call, in less than 2 kB. Some clients put
// it into the model's prompt, some show it as the description of the tools.
#pragma once

#include <string>

#include <paddock/workspace.h>

namespace paddock::mcp {

std::string instructions_for(const Workspace& workspace);

}  // namespace paddock::mcp
