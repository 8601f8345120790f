#include "cli/prove/swapper.h"

#include <fcntl.h>
#include <stdio.h>

#include <utility>

namespace paddock::cli::prove {
namespace {

// Idle turns between two exchanges, some nanoseconds each. Without them the lock on the directory
// would hardly ever be free for the other side. At most about as long as a check before use takes.
constexpr unsigned kIdleTurnsMax = 32768;

bool exchange_names(const std::string& first, const std::string& second) {
    return ::renameat2(AT_FDCWD, first.c_str(), AT_FDCWD, second.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace

Swapper::Swapper(std::string first, std::string second)
    : first_(std::move(first)), second_(std::move(second)), thread_([this] { run(); }) {
    while (!started_) std::this_thread::yield();
}

Swapper::~Swapper() {
    ended_ = true;
    thread_.join();
}

bool Swapper::works(const std::string& first, const std::string& second) {
    return exchange_names(first, second) && exchange_names(first, second);
}

void Swapper::run() {
    unsigned idle_turns = 0;
    while (!ended_) {
        exchange_names(first_, second_);
        started_ = true;
        // A different number each time, so that the two sides do not fall into step.
        idle_turns = (idle_turns * 5 + 3) % kIdleTurnsMax;
        for (unsigned i = 0; i < idle_turns && !ended_; ++i) {
        }
    }
}

}  // namespace paddock::cli::prove
