// A line on a terminal that says that something still goes on, and for how long; drawn only when it
// takes longer than a moment, and gone when the object is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace paddock::cli {

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
