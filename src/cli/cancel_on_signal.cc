#include "cli/cancel_on_signal.h"

#include <array>
#include <utility>

#include "sys/signal.h"
#include "sys/wait.h"

namespace paddock::cli {

CancelOnSignal::CancelOnSignal() {
    auto over = sys::make_wakeup();
    if (!over) return;
    auto signals = sys::hold_ending_signals();
    if (!signals) return;
    over_ = std::move(*over);
    signals_ = std::move(*signals);
    watcher_ = std::thread([this] { watch(); });
}

CancelOnSignal::~CancelOnSignal() {
    if (!watcher_.joinable()) return;
    sys::wake(over_.get());
    watcher_.join();
}

void CancelOnSignal::watch() {
    std::array<sys::Watched, 2> watched{sys::Watched{signals_.get()}, sys::Watched{over_.get()}};
    if (!sys::wait_readable(watched) || !watched[0].ready) return;
    caught_ = sys::take_signal(signals_.get());
    stop_.request_stop();
}

}  // namespace paddock::cli
