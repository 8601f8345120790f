// What the test program does when it is run inside: one attempt by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::testing {

// Makes the attempt and returns 0 if it succeeded, else the errno; 125 for an unknown name.
int attempt(std::string_view name, const std::vector<std::string>& arguments);

}  // namespace paddock::testing
