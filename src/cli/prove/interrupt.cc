#include "cli/prove/interrupt.h"

#include <atomic>

namespace paddock::cli::prove {
namespace {

std::atomic<int> g_caught{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) { g_caught = signal; }

}  // namespace

Interrupt::Interrupt() {
    g_caught = 0;
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], nullptr, &before_[i]);
        // Who was started with a signal ignored (nohup) keeps it so.
        if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
    }
}

Interrupt::~Interrupt() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        ::sigaction(kSignals[i], &before_[i], nullptr);
    }
}

int Interrupt::caught() noexcept { return g_caught; }

}  // namespace paddock::cli::prove
