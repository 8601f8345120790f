#include "sys/process.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "sys/call.h"
#include "sys/memory.h"
#include "sys/signal.h"

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

#ifdef PADDOCK_THREAD_SANITIZER
#include <sanitizer/linux_syscall_hooks.h>
#endif

namespace paddock::sys {
namespace {

constexpr long kNrCloseRange = 436;
constexpr auto kPidfd = static_cast<idtype_t>(3);  // P_PIDFD
constexpr int kSameMemory = kChildrenShareMemory ? CLONE_VM : 0;

long plain_clone(unsigned long flags, int* held) {
    return ::syscall(SYS_clone, flags, nullptr, held, nullptr, nullptr);
}

// ThreadSanitizer has to be told of a system call that makes a copy: no lock of its own may be held
// there by a thread that the copy does not have. The copy says what its parent says: otherwise it
// would get a thread of the runtime's own, which counts among the processes of commands.
#ifdef PADDOCK_THREAD_SANITIZER
long told_clone(unsigned long flags, int* held) {
    __sanitizer_syscall_pre_fork();
    const long id = plain_clone(flags, held);
    const int error = errno;
    __sanitizer_syscall_post_fork(id == 0 ? 1 : id);
    errno = error;
    return id;
}
#else
long told_clone(unsigned long flags, int* held) { return plain_clone(flags, held); }
#endif

std::uint64_t microseconds(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000U +
           static_cast<std::uint64_t>(time.tv_usec);
}

}  // namespace

Outcome<Child> copy_process(int namespaces) {
    int held = -1;
    const auto flags = static_cast<unsigned long>(namespaces) | CLONE_PIDFD;
    PADDOCK_ASSIGN(id, ask_kernel(Call::kProcess, [&] { return told_clone(flags, &held); }));
    if (id == 0) return Child{};
    return Child{static_cast<pid_t>(id), UniqueFd(held)};
}

Outcome<pid_t> borrow_process(int (*body)(void*), void* argument, std::span<std::byte> stack) {
    PADDOCK_ASSIGN(id, ask_kernel(Call::kProcess, [&] {
                       return ::clone(body, stack.data() + stack.size(),
                                      kSameMemory | CLONE_VFORK | SIGCHLD, argument);
                   }));
    return static_cast<pid_t>(id);
}

Outcome<Child> share_process(int (*body)(void*), void* argument, std::span<std::byte> stack,
                             int flags) {
    int held = -1;
    PADDOCK_ASSIGN(id, ask_kernel(Call::kProcess, [&] {
                       return ::clone(body, stack.data() + stack.size(),
                                      kSameMemory | CLONE_PIDFD | flags, argument, &held);
                   }));
    return Child{static_cast<pid_t>(id), UniqueFd(held)};
}

// Waiting does not ask the fault seam: the kernel has no way to fail it but the ones that mean
// something.
Outcome<int> wait_for(int held) {
    siginfo_t info{};
    while (::waitid(kPidfd, static_cast<id_t>(held), &info, WEXITED | __WALL) != 0) {
        if (errno != EINTR) return Failure::from_errno(errno);
    }
    return info.si_status;
}

Outcome<std::optional<Ended>> take_ended() {
    int status = 0;
    struct rusage usage {};
    const pid_t id = ::wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (id < 0) return Failure::from_errno(errno);
    if (id == 0) return std::nullopt;
    Ended ended;
    ended.id = id;
    if (WIFSIGNALED(status)) {
        ended.signal = WTERMSIG(status);
    } else {
        ended.exit_code = WEXITSTATUS(status);
    }
    ended.user_us = microseconds(usage.ru_utime);
    ended.system_us = microseconds(usage.ru_stime);
    ended.peak_memory_kb = static_cast<std::uint64_t>(usage.ru_maxrss);
    return ended;
}

bool have_same_memory(pid_t one, pid_t other) noexcept {
    return ::syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0;
}

void leave(int status) noexcept { ::_exit(status); }

// glibc would answer with the id of the original.
pid_t own_id() noexcept { return static_cast<pid_t>(::syscall(SYS_getpid)); }

Done new_session() {
    return call(Call::kProcess, [] { return ::setsid(); });
}

Done adopt_orphans() {
    return call(Call::kProcess, [] { return ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); });
}

Done enter_directory(int directory) {
    return call(Call::kProcess, [&] { return ::fchdir(directory); });
}

Done set_host_name(const char* name) {
    return call(Call::kProcess, [&] { return ::sethostname(name, std::strlen(name)); });
}

mode_t set_creation_mask(mode_t mask) noexcept { return ::umask(mask); }

Done place_descriptor(int from, int to) {
    // dup2 onto itself would leave it close-on-exec.
    if (from == to) return call(Call::kProcess, [&] { return ::fcntl(to, F_SETFD, 0); });
    return call(Call::kProcess, [&] { return ::dup2(from, to); });
}

Done close_from(int first) { return close_between(first, INT_MAX); }

Done close_from_when_run(int first) {
    constexpr unsigned kCloseOnExec = 1U << 2;
    return call(Call::kProcess, [&] {
        return ::syscall(kNrCloseRange, static_cast<unsigned>(first), ~0U, kCloseOnExec);
    });
}

Done close_between(int first, int last) {
    return call(Call::kProcess, [&] {
        return ::syscall(kNrCloseRange, static_cast<unsigned>(first), static_cast<unsigned>(last),
                         0);
    });
}

Failure run_program(const char* path, char* const* arguments, char* const* environment) noexcept {
    const int injected = next_fault(Call::kProcess).error;
    if (injected != 0) return Failure::from_errno(injected);
    ::execve(path, arguments, environment);
    return Failure::from_errno(errno);
}

Outcome<pid_t> fork_process() {
    PADDOCK_ASSIGN(child, ask_kernel(Call::kProcess, [] { return ::fork(); }));
    return static_cast<pid_t>(child);
}

Done collect(pid_t child) {
    while (::waitpid(child, nullptr, 0) < 0) {
        if (errno != EINTR) return Failure::from_errno(errno);
    }
    return {};
}

Outcome<Child> fork_into(int namespaces) {
    // Nobody else can have locked anything.
    if (__libc_single_threaded != 0) return copy_process(namespaces | SIGCHLD);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Failure::from_errno(errno);
    const UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);
    PADDOCK_ASSIGN(between, fork_process());
    if (between == 0) {
        const auto flags = static_cast<unsigned long>(namespaces) | CLONE_PARENT;
        const long id = ::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr);
        if (id == 0) return Child{};
        const long told = id > 0 ? id : -errno;
        const bool is_told = ::write(write_end.get(), &told, sizeof told) == sizeof told;
        ::_exit(is_told ? 0 : 1);
    }
    write_end.reset();
    long id = -EIO;
    while (::read(read_end.get(), &id, sizeof id) < 0 && errno == EINTR) {
    }
    (void)collect(between);  // ECHILD: the program ignores the ends of its children
    if (id < 0) return Failure::from_errno(static_cast<int>(-id));
    PADDOCK_ASSIGN(held, hold_process(static_cast<int>(id)));
    return Child{static_cast<pid_t>(id), std::move(held)};
}

namespace {

constexpr std::size_t kWatchedMax = 8;

using Clock = std::chrono::steady_clock;

// For poll, rounded up: 0 would not wait at all.
int time_left(const std::optional<Clock::time_point>& deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    return static_cast<int>(
        std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace

Outcome<bool> wait_readable(std::span<Watched> watched,
                            std::optional<std::chrono::milliseconds> at_most) {
    PADDOCK_CHECK(watched.size() <= kWatchedMax);
    std::array<pollfd, kWatchedMax> wanted{};
    for (std::size_t i = 0; i < watched.size(); ++i) {
        const short events = watched[i].only_end ? short{0} : short{POLLIN};
        wanted[i] = {watched[i].fd, events, 0};
    }
    std::optional<Clock::time_point> deadline;
    if (at_most) deadline = Clock::now() + *at_most;
    const auto ready = ask_kernel(
        Call::kPoll, [&] { return ::poll(wanted.data(), watched.size(), time_left(deadline)); });
    if (!ready) return ready.error();
    for (std::size_t i = 0; i < watched.size(); ++i) watched[i].ready = wanted[i].revents != 0;
    return *ready > 0;
}

Outcome<UniqueFd> make_wakeup() {
    const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) return Failure::from_errno(errno);
    return UniqueFd(fd);
}

void wake(int wakeup) noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wakeup, &one, sizeof one);
}

void rest(int wakeup) noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t taken = ::read(wakeup, &count, sizeof count);
}

}  // namespace paddock::sys
