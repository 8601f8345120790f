// How much of a long test to do: a number from the environment, else the full one, or the smaller
// one where a sanitizer makes everything slow.
#pragma once

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PADDOCK_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PADDOCK_SANITIZED 1
#endif

namespace paddock::testing {

#ifdef PADDOCK_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline long budget(const char* variable, long full, long sanitized) {
    const char* text = std::getenv(variable);
    if (text != nullptr && *text != '\0') return std::strtol(text, nullptr, 10);
    return kSanitized ? sanitized : full;
}

}  // namespace paddock::testing
