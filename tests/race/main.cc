// The race tests, in memory unless TMPDIR says otherwise: a disk would set their pace. Or, as `race
// --find-descriptors-below PATH`, the child that one of them starts: it exits with 1 if it was
// given a descriptor of anything below PATH.
#include <gtest/gtest.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>

#include "testing/jail.h"

namespace {

bool has_descriptors_below(std::string_view path) {
    for (const std::string& number : paddock::testing::os_list("/proc/self/fd")) {
        char target[PATH_MAX];
        const ssize_t size = ::readlink(("/proc/self/fd/" + number).c_str(), target, sizeof target);
        if (size > 0 &&
            std::string_view(target, static_cast<std::size_t>(size)).starts_with(path)) {
            return true;
        }
    }
    return false;
}

void prefer_memory() {
    constexpr long kTmpfs = 0x01021994;
    const char* directory = "/dev/shm";
    struct statfs found;
    if (::statfs(directory, &found) == 0 && found.f_type == kTmpfs &&
        ::access(directory, W_OK | X_OK) == 0) {
        ::setenv("TMPDIR", directory, 0);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--find-descriptors-below") {
        return has_descriptors_below(argv[2]) ? 1 : 0;
    }
    prefer_memory();
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
