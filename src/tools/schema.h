// A declaration as JSON Schema: an object at the root, no unions, no "$schema".
#pragma once

#include "json/value.h"
#include "tools/declaration.h"

namespace paddock::tools {

json::Value input_schema(const Declaration& tool);

}  // namespace paddock::tools
