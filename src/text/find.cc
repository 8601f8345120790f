#include "text/find.h"

#include <cstring>

namespace paddock::text {

std::size_t find(std::string_view text, std::string_view needle, std::size_t from) noexcept {
    if (from > text.size()) return std::string_view::npos;
    const void* found =
        memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
    if (found == nullptr) return std::string_view::npos;
    return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace paddock::text
