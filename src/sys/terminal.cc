#include "sys/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "sys/call.h"
#include "sys/files.h"

namespace paddock::sys {

Outcome<Terminal> open_terminal(int directory, const char* multiplexer) {
    Terminal terminal;
    PADDOCK_ASSIGN(master, openat(directory, multiplexer, O_RDWR | O_NOCTTY));
    const int unlocked = 0;
    PADDOCK_TRY(call(Call::kProcess, [&] { return ::ioctl(master.get(), TIOCSPTLCK, &unlocked); }));
    PADDOCK_ASSIGN(peer, ask_kernel(Call::kProcess, [&] {
                       return ::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
                   }));
    terminal.peer = UniqueFd(static_cast<int>(peer));
    terminal.master = std::move(master);
    return terminal;
}

Done set_terminal_size(int terminal, std::uint16_t rows, std::uint16_t columns) {
    const winsize size{rows, columns, 0, 0};
    return call(Call::kProcess, [&] { return ::ioctl(terminal, TIOCSWINSZ, &size); });
}

Done leave_lines_alone(int terminal) {
    termios modes{};
    PADDOCK_TRY(call(Call::kProcess, [&] { return ::tcgetattr(terminal, &modes); }));
    modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    return call(Call::kProcess, [&] { return ::tcsetattr(terminal, TCSANOW, &modes); });
}

Done take_terminal(int terminal) {
    return call(Call::kProcess, [&] { return ::ioctl(terminal, TIOCSCTTY, 0); });
}

}  // namespace paddock::sys
