// paddock(1) as roff, of the same tables as --help.
#pragma once

#include <string>
#include <vector>

#include "cli/parser.h"

namespace paddock::cli {

std::string man_page(const std::vector<Command>& commands);

}  // namespace paddock::cli
