// While one exists, a signal that would end the process asks for a stop instead: a command is
// ended, and what it left under protected names is undone. One at a time; signals stay blocked
// afterwards, since the process is about to end.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

#include <paddock/unique_fd.h>

namespace paddock::cli {

class CancelOnSignal {
public:
    // Where descriptors cannot be had, signals do what they always do.
    CancelOnSignal();
    ~CancelOnSignal();
    CancelOnSignal(const CancelOnSignal&) = delete;
    CancelOnSignal& operator=(const CancelOnSignal&) = delete;

    std::stop_token token() const { return stop_.get_token(); }
    int caught() const noexcept { return caught_; }  // 0: none

private:
    void watch();

    UniqueFd signals_;
    UniqueFd over_;
    std::stop_source stop_;
    std::atomic<int> caught_ = 0;
    std::thread watcher_;
};

}  // namespace paddock::cli
