// The variables that paddock was started with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

std::vector<std::string> host_environment();  // "NAME=value"

std::string_view host_variable(const char* name) noexcept;  // empty if it is absent too

}  // namespace paddock::cli
