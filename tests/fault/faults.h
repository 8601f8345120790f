// Faults at the sys seam, for as long as a Faults lives. One at a time; any thread may run into it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "sys/fault.h"

namespace paddock::testing {

struct FaultPlan {
    std::optional<sys::Call> only = {};  // the calls that count; absent: all
    std::size_t nth = 0;                 // the counted call that is hit, from 1; 0: none
    std::size_t period = 0;              // and every period-th one after it; 0: no other
    int error = 0;                       // what a hit reports
    std::size_t bytes_max = 0;           // or how far a hit transfer gets
    std::function<void()> before = {};   // or what somebody else does just before; must not throw
};

inline FaultPlan nth_call(std::size_t nth, int error) { return {.nth = nth, .error = error}; }

inline FaultPlan storm(sys::Call only, int error) {
    return {.only = only, .nth = 1, .period = 1, .error = error};
}

class Faults {
public:
    explicit Faults(FaultPlan plan = {});
    ~Faults();
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    std::size_t calls() const { return calls_.load(); }  // that counted
    std::optional<sys::Call> struck() const;             // the last one that was hit

private:
    static sys::Fault answer(sys::Call call) noexcept;

    const FaultPlan plan_;
    std::atomic<std::size_t> calls_ = 0;
    std::atomic<int> struck_ = -1;
};

// "EMFILE at call 7 (openat)", for SCOPED_TRACE.
std::string describe(const FaultPlan& plan, std::optional<sys::Call> struck);

}  // namespace paddock::testing
