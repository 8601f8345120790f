#include "tools/written_pattern.h"

#include "text/quote.h"

namespace paddock::tools {

std::string written_pattern(std::string_view given) {
    const auto name = text::unquote(given);
    if (!name) return std::string(given);
    std::string pattern;
    for (const char c : *name) pattern.append(c == '\\' ? 2 : 1, c);
    return pattern;
}

}  // namespace paddock::tools
