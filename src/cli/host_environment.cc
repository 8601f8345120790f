#include "cli/host_environment.h"

#include <unistd.h>

namespace paddock::cli {

std::vector<std::string> host_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.push_back(*variable);
    return variables;
}

}  // namespace paddock::cli
