// A path rule as an operator writes it: "deny *.sqlite".
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <paddock/workspace.h>

namespace paddock::policy {

inline constexpr std::array<std::pair<std::string_view, PathAccess>, 3> kAccessWords{
    {{"allow", PathAccess::kAllow},
     {"read_only", PathAccess::kReadOnly},
     {"deny", PathAccess::kDeny}}};

std::optional<PathAccess> access_named(std::string_view word);

// Why a pattern would match nothing, or not what its author means, with what to do; a literal, to
// stand after the pattern. Empty: none of that. It may still be no glob.
std::string_view pattern_fault(std::string_view pattern);

}  // namespace paddock::policy
