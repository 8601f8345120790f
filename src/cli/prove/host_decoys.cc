#include "cli/prove/host_decoys.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace paddock::cli::prove {
namespace {

// Beyond what programs use for themselves.
constexpr int kFirstLeftOpen = 90;

void must(bool done, const char* what) {
    if (!done) throw std::system_error(errno, std::generic_category(), what);
}

void end(pid_t process) {
    if (process <= 0) return;
    ::kill(process, SIGKILL);
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
}

[[noreturn]] void serve(int listener) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) ::_exit(1);
        (void)!::send(client, kSecret.data(), kSecret.size(), MSG_NOSIGNAL);
        ::close(client);
    }
}

// Of this trial alone: no other one's begins with it.
std::string new_mark() {
    static std::atomic<int> trials = 0;
    return "paddock-prove-left-" + std::to_string(::getpid()) + "-" + std::to_string(++trials) +
           "-";
}

}  // namespace

HostDecoys::HostDecoys(const Ground& ground) : mark_(new_mark()) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread looks at variables
    must(::setenv(kVariable, std::string(kSecret).c_str(), 1) == 0, "setenv");
    const UniqueFd secret = ground.open_secret();
    // Without close-on-exec, on purpose.
    left_open_ = UniqueFd(::fcntl(secret.get(), F_DUPFD, kFirstLeftOpen));
    must(left_open_.valid(), "dup");
    start_victim();
    start_service();
}

HostDecoys::~HostDecoys() {
    end(victim_);
    end(service_);
    ::unsetenv(kVariable);  // NOLINT(concurrency-mt-unsafe): as in the constructor
}

void HostDecoys::start_victim() {
    std::array<int, 2> running;
    must(::pipe2(running.data(), O_CLOEXEC) == 0, "pipe");
    const UniqueFd started(running[0]);
    UniqueFd starting(running[1]);
    victim_ = ::fork();
    must(victim_ >= 0, "fork");
    if (victim_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::execlp("sleep", "sleep", "100000", nullptr);
        ::_exit(127);
    }
    starting.reset();
    char byte = 0;
    (void)!::read(started.get(), &byte, 1);  // ends when the program runs
}

void HostDecoys::start_service() {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    must(::bind(listener.get(), any, size) == 0 && ::listen(listener.get(), 8) == 0 &&
             ::getsockname(listener.get(), any, &size) == 0,
         "a service on the loopback");
    port_ = ntohs(address.sin_port);
    service_ = ::fork();
    must(service_ >= 0, "fork");
    if (service_ == 0) serve(listener.get());
}

std::string HostDecoys::assignments(const Ground& ground) const {
    return "OUT='" + ground.out() + "' VICTIM=" + std::to_string(victim_) +
           " PORT=" + std::to_string(port_) + " DESCRIPTOR=" + std::to_string(left_open_.get()) +
           " MARK=" + mark_ + "\n";
}

bool HostDecoys::victim_lives() const {
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(victim_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
}

// While a process runs another program there is a moment without any words: one look is not enough.
bool HostDecoys::end_left_behind() const {
    constexpr int kLooks = 25;
    for (int i = 0; i < kLooks; ++i) {
        if (end_marked()) return true;
    }
    return false;
}

bool HostDecoys::end_marked() const {
    constexpr std::size_t kWordsBytes = 4096;
    bool found = false;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
        const std::string name = entry.path().filename();
        pid_t process = 0;
        std::from_chars(name.data(), name.data() + name.size(), process);
        if (process <= 0 || process == ::getpid()) continue;
        // A process that ends meanwhile makes reading fail, which an iterator would throw.
        std::string words(kWordsBytes, '\0');
        std::ifstream file(entry.path() / "cmdline", std::ios::binary);
        file.read(words.data(), static_cast<std::streamsize>(words.size()));
        if (words.find(mark_) == words.npos) continue;
        found = true;
        ::kill(process, SIGKILL);
    }
    return found;
}

}  // namespace paddock::cli::prove
