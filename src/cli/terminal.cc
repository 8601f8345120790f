#include "cli/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/display.h"
#include "cli/workspace_options.h"
#include "sys/io.h"

namespace paddock::cli {
namespace {

std::string_view escape_of(Tone tone) {
    switch (tone) {
        case Tone::kGood: return "\x1b[32m";
        case Tone::kBad: return "\x1b[1;31m";
        case Tone::kDoubtful: return "\x1b[33m";
        case Tone::kQuiet: return "\x1b[2m";
        case Tone::kStrong: return "\x1b[1m";
        case Tone::kPath: return "\x1b[35m";
        case Tone::kDirectory: return "\x1b[1;34m";
        case Tone::kLink: return "\x1b[36m";
        case Tone::kPlain: break;
    }
    return {};
}

// Columns on the screen: bytes that begin a UTF-8 character.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

}  // namespace

bool is_terminal(int fd) noexcept { return ::isatty(fd) == 1; }

Paint::Paint(int fd, Colours colours)
    : colours_(colours == Colours::kAlways ||
               (colours == Colours::kAuto && is_terminal(fd) && host_variable("NO_COLOR").empty() &&
                host_variable("TERM") != "dumb")) {}

std::string Paint::operator()(Tone tone, std::string_view text) const {
    const std::string_view escape = escape_of(tone);
    if (!colours_ || escape.empty() || text.empty()) return std::string(text);
    return std::string(escape).append(text).append("\x1b[0m");
}

std::string table(const std::vector<std::vector<Cell>>& rows, const Paint& paint,
                  std::vector<std::size_t> widths) {
    constexpr std::size_t kAlignedMax = 60;  // one very long cell does not stretch all rows
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::size_t own = width(row[i].text);
            if (own <= kAlignedMax) widths[i] = std::max(widths[i], own);
        }
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += paint(row[i].tone, row[i].text);
            const std::size_t own = width(row[i].text);
            if (i + 1 < row.size()) text.append(std::max(widths[i], own) - own + 2, ' ');
        }
        text += '\n';
    }
    return text;
}

bool print(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return true;
    complain("cannot write the output: " + std::generic_category().message(errno));
    return false;
}

void complain(std::string_view text) {
    const std::string line =
        "paddock: " + (is_terminal(STDERR_FILENO) ? displayable_lines(text) : std::string(text));
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
    if (!line.ends_with('\n')) static_cast<void>(std::fputc('\n', stderr));
}

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

Waiting::Waiting(int fd, std::string what, std::chrono::milliseconds patience)
    : fd_(fd), what_(std::move(what)) {
    if (is_terminal(fd)) drawer_ = std::thread([this, patience] { draw(patience); });
}

Waiting::~Waiting() {
    if (!drawer_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    over_.notify_one();
    drawer_.join();
}

void Waiting::draw(std::chrono::milliseconds patience) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    if (over_.wait_for(lock, patience, [this] { return is_over_; })) return;
    do {
        const auto elapsed = std::chrono::steady_clock::now() - start;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
        const std::string line =
            "\r\x1b[K" + what_ + ": " + std::to_string(seconds) + " s, Ctrl-C stops it";
        static_cast<void>(sys::write_all(fd_, line));
    } while (!over_.wait_for(lock, std::chrono::seconds(1), [this] { return is_over_; }));
    static_cast<void>(sys::write_all(fd_, "\r\x1b[K"));
}

}  // namespace paddock::cli
