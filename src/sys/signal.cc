#include "sys/signal.h"

#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/call.h"

namespace paddock::sys {
namespace {

constexpr long kNrPidfdSendSignal = 424;
constexpr long kNrPidfdOpen = 434;

// abort() is not kept from ending the process by a mask.
constexpr int kEnding[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGABRT,
                           SIGUSR1, SIGUSR2, SIGALRM, SIGPROF,   SIGVTALRM,
                           SIGXCPU, SIGXFSZ, SIGIO,   SIGSTKFLT, SIGPWR};

sigset_t only_child() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

void set_action(int number, void (*action)(int)) {
    struct sigaction wanted {};
    wanted.sa_handler = action;
    ::sigaction(number, &wanted, nullptr);
}

}  // namespace

SignalsHeldBack::SignalsHeldBack() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsHeldBack::~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void become_quiet_parent() noexcept {
    for (int number = 1; number < NSIG; ++number) set_action(number, SIG_DFL);
    set_action(SIGPIPE, SIG_IGN);
    const sigset_t blocked = only_child();
    pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

void become_plain_child() noexcept {
    set_action(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

void ignore_signal(int number) noexcept { set_action(number, SIG_IGN); }

Outcome<UniqueFd> hold_ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : kEnding) sigaddset(&set, number);
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kProcess, [&] {
                       return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
                   }));
    return UniqueFd(static_cast<int>(fd));
}

int take_signal(int signals) noexcept {
    signalfd_siginfo info{};
    const auto got = ::read(signals, &info, sizeof info);
    return got == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

Outcome<UniqueFd> child_signals() {
    const sigset_t set = only_child();
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kProcess, [&] {
                       return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
                   }));
    return UniqueFd(static_cast<int>(fd));
}

void clear_child_signals(int signals) noexcept {
    signalfd_siginfo info;
    while (::read(signals, &info, sizeof info) > 0) {
    }
}

Outcome<UniqueFd> hold_process(pid_t process) {
    PADDOCK_ASSIGN(
        fd, ask_kernel(Call::kProcess, [&] { return ::syscall(kNrPidfdOpen, process, 0U); }));
    return UniqueFd(static_cast<int>(fd));
}

Done send_signal(int held, int number) {
    return call(Call::kProcess,
                [&] { return ::syscall(kNrPidfdSendSignal, held, number, nullptr, 0U); });
}

Done signal_child(pid_t child, int number) {
    return call(Call::kProcess, [&] { return ::kill(child, number); });
}

Done signal_group(pid_t group, int number) {
    return call(Call::kProcess, [&] { return ::kill(-group, number); });
}

}  // namespace paddock::sys
