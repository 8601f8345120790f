// Deterministic races: something happens just before a chosen system call of the library.
#pragma once

#include <functional>

#include "sys/fault.h"

namespace paddock::testing {

// While it lives, `before` is asked ahead of every system call, with the calls counted from 1. What
// it returns is injected; an empty Fault lets the call through. One at a time, one thread.
class StopPoint {
public:
    using Before = std::function<sys::Fault(sys::Call call, int number)>;

    explicit StopPoint(Before before);
    ~StopPoint();
    StopPoint(const StopPoint&) = delete;
    StopPoint& operator=(const StopPoint&) = delete;

    int calls() const { return calls_; }

private:
    static sys::Fault ask(sys::Call call) noexcept;

    const Before before_;
    int calls_ = 0;
};

}  // namespace paddock::testing
