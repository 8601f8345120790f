// Ctrl-C and its kin end a run early, but not before it has tidied up.
#pragma once

#include <csignal>

#include <array>

namespace paddock::cli::prove {

// While one exists, SIGINT, SIGTERM and SIGHUP only set a flag. One at a time.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // The signal that came, 0 if none did.
    static int caught() noexcept;

    static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

private:
    std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace paddock::cli::prove
