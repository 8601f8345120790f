#include "cli/host_environment.h"

#include <unistd.h>

#include <cstdlib>

namespace paddock::cli {

std::vector<std::string> host_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.push_back(*variable);
    return variables;
}

std::string_view host_variable(const char* name) noexcept {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
    return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace paddock::cli
