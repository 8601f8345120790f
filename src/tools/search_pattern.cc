#include "tools/search_pattern.h"

#include <algorithm>

#include "text/names.h"
#include "tools/session.h"

namespace paddock::tools {

std::string written_pattern(std::string_view given) {
    const auto name = text::unquote(given);
    if (!name) return std::string(given);
    std::string pattern;
    for (const char c : *name) pattern.append(c == '\\' ? 2 : 1, c);
    return pattern;
}

Place place_of(const Session& session, const std::string& path, std::string_view given) {
    const std::string pattern = written_pattern(given);
    const std::size_t slash = pattern.rfind('/', pattern.find_first_of("*?[{\\"));
    const bool is_absolute = pattern.starts_with('/');
    if (slash == pattern.npos) return {path, pattern};
    const std::string plain = pattern.substr(0, std::max<std::size_t>(slash, 1));
    const bool climbs = ("/" + plain + "/").find("/../") != plain.npos;
    if (!is_absolute && !(climbs && session.options().unconfined)) return {path, pattern};
    const std::string start = is_absolute ? "" : text::unquote(path).value_or(path) + "/";
    return {text::quote_if_needed(start + plain), "." + pattern.substr(slash)};
}

}  // namespace paddock::tools
