#include "tools/turns.h"

#include <array>
#include <functional>

namespace paddock::tools {

std::mutex& turn_of(const std::string& canonical) {
    static std::array<std::mutex, 64> turns;
    return turns[std::hash<std::string>{}(canonical) % turns.size()];
}

std::shared_mutex& names() {
    static std::shared_mutex turns;
    return turns;
}

}  // namespace paddock::tools
