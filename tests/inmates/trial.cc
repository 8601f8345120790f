#include "inmates/trial.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "inmates/plain.h"

namespace inmates {
namespace {

constexpr int kInheritedDirectory = 8;
constexpr int kInheritedFile = 9;
constexpr int kHangs = 300'000;  // ms: only so that a mistake ends some time

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

std::vector<std::string> command_line(const Attempt& attempt,
                                      const std::vector<std::string>& launcher,
                                      const Scene& scene) {
    std::vector<std::string> words;
    for (const std::string& word : launcher) {
        words.push_back(replace_all(replace_all(word, "{ws}", scene.ground()["ws"]), "{home}",
                                    scene.ground()["home"]));
    }
    for (const std::string& word :
         {scene.program(), std::string(attempt.name), scene.ground_file()}) {
        words.push_back(word);
    }
    return words;
}

// A terminal of the outside; -1 for attempts that get none.
struct Terminal {
    explicit Terminal(bool wanted) {
        if (wanted && ::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) {
            std::perror("openpty");
        }
    }
    ~Terminal() {
        ::close(master);
        ::close(slave);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    std::string typed() const {
        char text[64];
        if (slave < 0 || ::fcntl(slave, F_SETFL, O_NONBLOCK) != 0) return {};
        const ssize_t size = ::read(slave, text, sizeof text);
        return {text, size < 0 ? 0 : static_cast<std::size_t>(size)};
    }

    int master = -1;
    int slave = -1;
};

// What careless callers leave open, and a secret in the environment.
void leave_traces(const Scene& scene) {
    const Ground& ground = scene.ground();
    ::dup2(::open(ground["outside"].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC),
           kInheritedDirectory);
    ::dup2(::open(ground.path("outside", "secret").c_str(), O_RDONLY | O_CLOEXEC), kInheritedFile);
    ::setenv("INMATE_DECOY_SECRET", ground["secret"].c_str(), 1);
    ::setenv("HOME", ground["home"].c_str(), 1);
}

[[noreturn]] void become(const std::vector<std::string>& words, const Scene& scene,
                         const Terminal& terminal) {
    ::setsid();
    const int output = ::open(scene.output().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    int input = terminal.slave;
    if (input >= 0) {
        ::ioctl(input, TIOCSCTTY, 0);
    } else {
        input = ::open("/dev/null", O_RDONLY);
    }
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::syscall(SYS_close_range, 3, ~0U, 0);
    leave_traces(scene);
    if (::chdir(scene.ground()["ws"].c_str()) != 0) ::_exit(127);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    std::perror(arguments[0]);
    ::_exit(127);
}

void wait_bounded(pid_t child) {
    const auto held = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    pollfd polled{held, POLLIN, 0};
    if (::poll(&polled, 1, kHangs) == 0) ::kill(child, SIGKILL);
    ::close(held);
    ::waitpid(child, nullptr, 0);
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::size_t newline = text.rfind('\n');
    return newline == std::string::npos ? text : text.substr(newline + 1);
}

std::string reason_in(const std::string& output) {
    const std::size_t begin = output.find(kCannotTryLead);
    if (begin == std::string::npos) return {};
    return output.substr(begin, output.find('\n', begin) - begin);
}

// An inmate that was killed said nothing: it was stopped.
Verdict verdict_in(const std::string& output) {
    const std::string lead = "verdict: ";
    const std::size_t at = output.rfind(lead);
    if (at == std::string::npos) return Verdict::kBlocked;
    return static_cast<Verdict>(std::atoi(output.c_str() + at + lead.size()));
}

// What fails without any sandbox says nothing about one.
bool fails_anyway(const Attempt& attempt) {
    return attempt.needs == Needs::kRoot && ::geteuid() != 0;
}

Outcome judge(const Attempt& attempt, const Scene& scene) {
    const std::string output = read_text(scene.output());
    if (output.find("inmate: " + std::string(attempt.name)) == std::string::npos) {
        return {Verdict::kBlocked, last_line(output), false};
    }
    Verdict verdict = verdict_in(output);
    if (verdict == Verdict::kCannotTry) return {verdict, reason_in(output)};
    if (attempt.seen != nullptr) verdict = succeeded_if(attempt.seen(scene.ground()));
    if (verdict == Verdict::kBlocked && fails_anyway(attempt)) {
        return {Verdict::kCannotTry, "needs root"};
    }
    return {verdict};
}

}  // namespace

Outcome try_attempt(const Attempt& attempt, const std::vector<std::string>& launcher,
                    const Place& place) {
    Scene scene(place);
    const std::vector<std::string> words = command_line(attempt, launcher, scene);
    const Terminal terminal(attempt.terminal);
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) become(words, scene, terminal);
    wait_bounded(child);
    scene.set_typed(terminal.typed());
    return judge(attempt, scene);
}

}  // namespace inmates
