#include "sandbox/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <limits>

#include "sandbox/confine.h"
#include "sys/identity.h"

namespace paddock::testing {
namespace {

// ThreadSanitizer gives a forked child a thread of its own.
bool child_has_one_thread() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(sys::is_single_threaded().value_or(true) ? 0 : 1);
    int status = 0;
    return ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

void in_child(const std::function<void()>& body) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        try {
            body();
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
        std::fflush(nullptr);
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "the confined child failed, wait status " << status;
}

int kernel_abi() { return sandbox::landlock_abi(std::numeric_limits<int>::max()); }

std::string no_landlock(int abi) {
    const int present = kernel_abi();
    if (present < abi) {
        return "needs Landlock ABI " + std::to_string(abi) + ", here is " + std::to_string(present);
    }
    if (present < 8 && !child_has_one_thread()) {
        return "this build has a thread of its own, which Landlock before ABI 8 cannot confine";
    }
    return {};
}

int count_descriptors() {
    int count = 0;
    for (int fd = 0; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
}

int error_of(long result) { return result < 0 ? errno : 0; }

int os_open_error(const std::string& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    const int error = error_of(fd);
    if (fd >= 0) ::close(fd);
    return error;
}

}  // namespace paddock::testing
