// CHECK: an invariant of ours, tested in release builds too. Never for what a caller may cause.
#pragma once

namespace paddock {

[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace paddock

#define PADDOCK_CHECK(condition) \
    ((condition) ? void() : ::paddock::check_failed(#condition, __FILE__, __LINE__))
