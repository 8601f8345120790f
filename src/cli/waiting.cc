#include "cli/waiting.h"

#include "cli/terminal.h"
#include "sys/io.h"

namespace paddock::cli {

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
