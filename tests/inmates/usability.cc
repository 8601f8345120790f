// Ordinary work. Here success is wanted.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstdlib>
#include <initializer_list>
#include <thread>
#include <vector>

#include "inmates/attempt.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

bool run(std::initializer_list<const char*> words) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::vector<char*> arguments;
        for (const char* word : words) arguments.push_back(const_cast<char*>(word));
        arguments.push_back(nullptr);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && status == 0;
}

Verdict commit(const Ground& ground) {
    if (!run({"git", "--version"})) return cannot_try("no git here");
    write_text(ground.path("ws", "work"), "done\n");
    return succeeded_if(run({"git", "add", "work"}) &&
                        run({"git", "-c", "user.name=Inmate", "-c", "user.email=inmate@example.org",
                             "commit", "-q", "-m", "work"}));
}

Verdict use_own_loopback(const Ground&) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return succeeded_if(::bind(server, any, size) == 0 && ::listen(server, 1) == 0 &&
                        ::getsockname(server, any, &size) == 0 &&
                        ::connect(client, any, size) == 0);
}

Verdict trace_child(const Ground&) {
    const pid_t child = ::fork();
    if (child == 0) {
        const bool traced = ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0;
        ::_exit(traced ? 0 : 1);
    }
    int status = 0;
    return succeeded_if(::waitpid(child, &status, 0) == child && status == 0);
}

Verdict make_socket_pair(const Ground&) {
    int ends[2];
    return succeeded_if(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
}

Verdict list_interfaces(const Ground&) {
    ifaddrs* list = nullptr;
    return succeeded_if(::getifaddrs(&list) == 0);
}

Verdict use_threads(const Ground&) {
    int sum = 0;
    std::thread([&] { sum = 1; }).join();
    return succeeded_if(sum == 1);
}

constexpr Attempt kAttempts[] = {
    {"work-write", "write in the workspace",
     [](const Ground& g) { return succeeded_if(write_text(g.path("ws", "work"), "done")); },
     [](const Ground& g) { return holds(g.path("ws", "work"), "done"); }},
    {"work-commit", "commit with git", commit},
    {"work-tmp", "write in /tmp",
     [](const Ground& g) { return succeeded_if(write_text(g["tmp"], "done")); }},
    {"work-home", "write below $HOME",
     [](const Ground&) {
         const char* home = std::getenv("HOME");
         return succeeded_if(home != nullptr && write_text(std::string(home) + "/work", "done"));
     }},
    {"work-run", "run a program", [](const Ground&) { return succeeded_if(run({"/bin/true"})); }},
    {"work-threads", "start a thread", use_threads},
    {"work-loopback", "serve and connect on the own loopback", use_own_loopback},
    {"work-interfaces", "list network interfaces", list_interfaces},
    {"work-socketpair", "make a socket pair", make_socket_pair},
    {"work-trace", "trace a child", trace_child},
};

}  // namespace

std::span<const Attempt> usability() { return kAttempts; }

}  // namespace inmates
