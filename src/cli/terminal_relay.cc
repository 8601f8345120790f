#include "cli/terminal_relay.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace paddock::cli {
namespace {

constexpr std::size_t kRelayBytes = 4096;

void write_all(int fd, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(fd, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
}

// False: there will be no more. What nobody takes is lost: its writer must not wait for ever.
bool pass_on(int from, int to) {
    std::array<char, kRelayBytes> buffer;
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got > 0) write_all(to, buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
}

void tell_size(int terminal) {
    winsize size{};
    if (::ioctl(screen(), TIOCGWINSZ, &size) == 0) ::ioctl(terminal, TIOCSWINSZ, &size);
}

// SIGWINCH as something to read, instead of a handler.
class SizeChanges {
public:
    SizeChanges() {
        sigset_t change;
        sigemptyset(&change);
        sigaddset(&change, SIGWINCH);
        ::pthread_sigmask(SIG_BLOCK, &change, &before_);
        fd_ = UniqueFd(::signalfd(-1, &change, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    ~SizeChanges() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SizeChanges(const SizeChanges&) = delete;
    SizeChanges& operator=(const SizeChanges&) = delete;

    int fd() const { return fd_.get(); }
    void take() const {
        signalfd_siginfo info{};
        [[maybe_unused]] const ssize_t got = ::read(fd_.get(), &info, sizeof info);
    }

private:
    sigset_t before_{};
    UniqueFd fd_;
};

bool is_ready(const pollfd& watched) { return (watched.revents & (POLLIN | POLLHUP)) != 0; }

}  // namespace

KeptModes::KeptModes(int terminal) : terminal_(terminal) {
    termios now{};
    if (::tcgetattr(terminal_, &now) == 0) before_ = now;
}

KeptModes::~KeptModes() {
    if (before_) ::tcsetattr(terminal_, TCSADRAIN, &*before_);
}

void KeptModes::make_raw() const {
    if (!before_) return;
    termios raw = *before_;
    ::cfmakeraw(&raw);
    ::tcsetattr(terminal_, TCSADRAIN, &raw);
}

bool is_interactive() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

int screen() {
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        if (::isatty(stream) == 1) return stream;
    }
    return -1;
}

sandbox::TerminalSize window_size(int terminal) {
    winsize size{};
    if (::ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return {};
    return {size.ws_row, size.ws_col};
}

void relay_terminal(int terminal, int status, const SignalRelay& signals) {
    const SizeChanges sizes;
    const int shown_on = screen();
    bool keys_come = is_interactive();
    for (bool ended = false;;) {
        // Once the command has ended, only what is there already is shown.
        std::array<pollfd, 5> watched{
            pollfd{terminal, POLLIN, 0}, pollfd{keys_come ? STDIN_FILENO : -1, POLLIN, 0},
            pollfd{sizes.fd(), POLLIN, 0}, pollfd{ended ? -1 : status, POLLIN, 0},
            pollfd{ended ? -1 : signals.fd, POLLIN, 0}};
        const int ready = ::poll(watched.data(), watched.size(), ended ? 0 : -1);
        if (ready < 0 && errno != EINTR) return;
        if (ready < 0) continue;
        if (ready == 0 || (ended && !is_ready(watched[0]))) return;
        if (is_ready(watched[0]) && !pass_on(terminal, shown_on)) terminal = -1;
        if (is_ready(watched[1]) && !pass_on(STDIN_FILENO, terminal)) {
            keys_come = false;
            signals.hang_up();
        }
        if (is_ready(watched[2])) {
            sizes.take();
            tell_size(terminal);
        }
        if (is_ready(watched[4])) signals.pass_on();
        ended = ended || is_ready(watched[3]);
    }
}

}  // namespace paddock::cli
