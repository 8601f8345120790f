#include "tools/answer.h"

#include <algorithm>
#include <array>

namespace paddock::tools {
namespace {

// What a caller asked for, or what the name in quotes is. Other words name steps inside paddock.
constexpr std::array<std::string_view, 14> kPublic{
    "copy",    "copy to", "glob", "grep",   "kill",   "list", "move",
    "pattern", "publish", "read", "remove", "rename", "run",  "write"};

std::string text_of(const Error& error) {
    const bool is_public =
        std::find(kPublic.begin(), kPublic.end(), error.operation) != kPublic.end();
    if (error.path.empty() || is_public) return error.explanation();
    Error plain = error;
    plain.operation = {};
    return plain.explanation();
}

}  // namespace

Problem::Problem(const Error& error) : code(error.code), text(text_of(error)) {}

}  // namespace paddock::tools
