#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>

#include "inmates/attempt.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

constexpr int kVictimFd = 7;
constexpr unsigned kDaemonSeconds = 600;

std::string in_proc(const Ground& ground, const char* name) {
    return "/proc/" + ground["victim"] + "/" + name;
}

// In a pid namespace of one's own the same number is somebody else.
bool sees_victim(const Ground& ground) { return holds(in_proc(ground, "cmdline"), ground["mark"]); }

Verdict trace(pid_t process) {
    return succeeded_if(::ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0);
}

Verdict trace_keeper(const Ground&) {
    const pid_t keeper = ::getppid();
    return trace(keeper == 0 ? 1 : keeper);
}

Verdict steal_descriptor(const Ground& ground) {
    const long process = ::syscall(SYS_pidfd_open, ground.number("victim"), 0);
    if (process < 0) return succeeded_if(false);
    const long stolen = ::syscall(SYS_pidfd_getfd, process, kVictimFd, 0);
    if (stolen < 0) return succeeded_if(false);
    char text[64] = {};
    return succeeded_if(::pread(static_cast<int>(stolen), text, sizeof text - 1, 0) > 0 &&
                        std::string(text).find(ground["secret"]) != std::string::npos);
}

Verdict leave_daemon(const Ground& ground) {
    int running[2];
    if (::pipe(running) != 0) return Verdict::kBlocked;
    if (::fork() == 0) {
        ::setsid();
        if (::fork() == 0) {
            ::prctl(PR_SET_NAME, ground["daemon"].c_str());
            for (int number = 1; number < 32; ++number) ::signal(number, SIG_IGN);
            (void)!::write(running[1], "", 1);
            for (unsigned left = kDaemonSeconds; left > 0;) left = ::sleep(left);
        }
        ::_exit(0);
    }
    char byte = 0;
    return succeeded_if(::wait(nullptr) > 0 && ::read(running[0], &byte, 1) == 1);
}

bool lives(const std::string& name) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
        if (holds(entry.path().string() + "/comm", name)) return true;
    }
    return false;
}

// Ending takes a moment, that of a namespace most of all.
template <class Condition>
bool holds_on(Condition condition) {
    constexpr int kTries = 40;
    for (int i = 0; i < kTries && condition(); ++i) ::usleep(50'000);
    return condition();
}

bool daemon_survives(const Ground& ground) {
    return holds_on([&] { return lives(ground["daemon"]); });
}

bool victim_is_gone(const Ground& ground) {
    return !holds_on([&] { return sees_victim(ground); });
}

constexpr Attempt kAttempts[] = {
    {"see-process", "find a process of the host in /proc",
     [](const Ground& g) { return succeeded_if(sees_victim(g)); }},
    {"signal", "send a signal to a process of the host",
     [](const Ground& g) { return succeeded_if(::kill(g.number("victim"), SIGUSR1) == 0); },
     victim_is_gone},
    {"trace", "trace a process of the host",
     [](const Ground& g) {
         return sees_victim(g) ? trace(g.number("victim")) : Verdict::kBlocked;
     }},
    {"trace-keeper", "trace the process that runs the sandbox", trace_keeper},
    {"read-environment", "read the environment of a process of the host",
     [](const Ground& g) { return succeeded_if(holds(in_proc(g, "environ"), g["secret"])); }},
    {"read-by-process", "read a key through the root of a process of the host",
     [](const Ground& g) {
         return succeeded_if(
             holds(in_proc(g, "root") + g.path("home", ".ssh/id_decoy"), g["secret"]));
     }},
    {"steal-descriptor", "take a descriptor from a process of the host", steal_descriptor},
    {"daemon", "leave a daemon behind", leave_daemon, daemon_survives},
};

}  // namespace

std::span<const Attempt> processes() { return kAttempts; }

}  // namespace inmates
