// Output for people: colours where they are wanted, and columns that line up.
#pragma once

#include <termios.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sandbox/warden.h"

namespace paddock::cli {

enum class Colours : std::uint8_t { kAuto, kAlways, kNever };

// How the user wants results.
struct Output {
    bool json = false;
    Colours colours = Colours::kAuto;
};

enum class Tone : std::uint8_t {
    kPlain,
    kGood,
    kBad,
    kDoubtful,
    kQuiet,
    kStrong,
    kPath,
    kDirectory,
    kLink,
};

bool is_terminal(int fd) noexcept;

// Colours text, or leaves it alone.
class Paint {
public:
    // kAuto: only if `fd` is a terminal, TERM is not "dumb" and NO_COLOR is absent or empty.
    Paint(int fd, Colours colours);

    std::string operator()(Tone tone, std::string_view text) const;
    bool colours() const noexcept { return colours_; }

private:
    bool colours_;
};

struct Cell {
    std::string text;
    Tone tone = Tone::kPlain;
};

// One line per row, two spaces between columns. A column is as wide as its widest cell, and not
// narrower than `widths` says.
std::string table(const std::vector<std::vector<Cell>>& rows, const Paint& paint,
                  std::vector<std::size_t> widths = {});

// Writes all of it to standard output. False, after a message on standard error, if that fails.
// What must not reach a terminal has been taken out by the caller.
bool print(std::string_view text);

// "paddock: " and the text, on standard error; on a terminal only what is displayable.
void complain(std::string_view text);

// Passes a terminal through: what the user types goes to the command's own terminal, what the
// command prints comes back, and a change of the window's size, a signal and the loss of the
// terminal are told.
// The modes of the user's terminal, which are put back when this goes.
class KeptModes {
public:
    explicit KeptModes(int terminal);
    ~KeptModes();
    KeptModes(const KeptModes&) = delete;
    KeptModes& operator=(const KeptModes&) = delete;

    // Until then keys such as Ctrl-C reach the command as they are, and its own terminal makes
    // signals of them.
    void make_raw() const;

private:
    const int terminal_;
    std::optional<termios> before_;
};

// True if standard input and output are both a terminal: else what is typed is not for the command,
// but for whoever is at the other end of a pipe or for the shell.
bool is_interactive();

// The stream that is a terminal to print on: standard output, else standard error, else -1.
int screen();

sandbox::TerminalSize window_size(int terminal);

struct SignalRelay {
    int fd = -1;                      // readable: a signal has come for the command
    std::function<void()> pass_on{};  // takes it
    std::function<void()> hang_up{};  // the user's terminal is gone
};

// Until `status` can be read, and all that was printed by then has been shown on the screen(). Keys
// are passed on only if is_interactive().
void relay_terminal(int terminal, int status, const SignalRelay& signals);

// A line on a terminal that says that something still goes on, and for how long; drawn only when it
// takes longer than a moment, and gone when the object is.
class Waiting {
public:
    // Nothing at all if `fd` is no terminal.
    Waiting(int fd, std::string what, std::chrono::milliseconds patience = std::chrono::seconds(1));
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    void draw(std::chrono::milliseconds patience);

    const int fd_;
    const std::string what_;
    std::mutex mutex_;
    std::condition_variable over_;
    bool is_over_ = false;
    std::thread drawer_;
};

}  // namespace paddock::cli
