#include "sys/process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace paddock::sys {

bool has_seccomp_filter() {
    // Strict mode could not have got here, so any non-zero answer is a filter.
    return ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
}

Outcome<bool> ask_in_child(bool (*ask)(int argument), int argument) {
    // A raw clone without exit signal: no fork handlers run, no SIGCHLD handler of the host sees
    // it.
    const long child = ::syscall(SYS_clone, 0L, nullptr, nullptr, nullptr, nullptr);
    if (child == 0) ::_exit(ask(argument) ? 0 : 1);
    if (child < 0) return Failure::from_errno(errno);
    int status = 0;
    while (::waitpid(static_cast<pid_t>(child), &status, __WALL) < 0) {
        if (errno != EINTR) return Failure::from_errno(errno);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string signal_name(int number) {
    const char* name = ::sigabbrev_np(number);
    return name == nullptr ? std::to_string(number) : std::string("SIG") + name;
}

unsigned effective_user() noexcept { return ::geteuid(); }
unsigned effective_group() noexcept { return ::getegid(); }

std::span<char> shown_arguments() noexcept {
    char line[2048];
    const int file = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    const ssize_t size = ::read(file, line, sizeof line - 1);
    ::close(file);
    if (size <= 0) return {};
    line[size] = '\0';
    const char* field = std::strrchr(line, ')');
    // The name is the second field; 48 and 49 are the addresses.
    for (int number = 2; field != nullptr && number < 48; ++number) {
        field = std::strchr(field + 1, ' ');
    }
    if (field == nullptr) return {};
    char* rest = nullptr;
    const unsigned long begin = std::strtoul(field, &rest, 10);
    const unsigned long end = std::strtoul(rest, nullptr, 10);
    if (begin == 0 || end <= begin) return {};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives the address as a number.
    return {reinterpret_cast<char*>(begin), end - begin};
}

void show_as(const char* name, std::span<char> arguments) noexcept {
    ::prctl(PR_SET_NAME, name, 0, 0, 0);
    // Through the kernel, which answers with an error where a plain write would end the process.
    static constexpr std::array<char, 256> kNothing{};
    const auto process = static_cast<pid_t>(::syscall(SYS_getpid));
    while (!arguments.empty()) {
        const std::size_t part = std::min(arguments.size(), kNothing.size());
        const iovec from{const_cast<char*>(kNothing.data()), part};
        const iovec to{arguments.data(), part};
        if (::process_vm_writev(process, &from, 1, &to, 1, 0) <= 0) return;
        arguments = arguments.subspan(part);
    }
}

}  // namespace paddock::sys
