#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace paddock {

void check_failed(const char* condition, const char* file, int line) noexcept {
    (void)std::fprintf(stderr, "paddock: broken invariant: %s (%s:%d)\n", condition, file, line);
    std::abort();
}

}  // namespace paddock
