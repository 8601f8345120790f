// Passes a terminal through: what the user types goes to the command's own terminal, what the
// command prints comes back, and a change of the window's size, a signal and the loss of the
// terminal are told.
#pragma once

#include <termios.h>

#include <functional>
#include <optional>

#include "sandbox/warden.h"

namespace paddock::cli {

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

}  // namespace paddock::cli
