#include "tools/turns.h"

#include <array>
#include <functional>

#include "search/git_layout.h"

namespace paddock::tools {

std::mutex& turn_of(const std::string& canonical) {
    static std::array<std::mutex, 64> turns;
    return turns[std::hash<std::string>{}(canonical) % turns.size()];
}

std::shared_mutex& names() {
    static std::shared_mutex turns;
    return turns;
}

std::unique_lock<std::mutex> turn_with_git(const std::string& canonical) {
    static std::mutex turn;
    if (!search::has_git_name(canonical)) return {};
    return std::unique_lock(turn);
}

}  // namespace paddock::tools
