// Something that happens just before each system call of the library, for as long as the object
// lives: an attacker's move at an exact moment, a count, or an error in place of the call.
//
// One at a time; the calls of every thread come here.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "sys/fault.h"

namespace paddock::testing {

class CallHook {
public:
    using Act = std::function<sys::Fault(sys::Call)>;

    explicit CallHook(Act act) {
        act_ = std::move(act);
        sys::fault_hook = [](sys::Call call) noexcept { return act_(call); };
    }
    CallHook(const CallHook&) = delete;
    CallHook& operator=(const CallHook&) = delete;
    ~CallHook() { sys::fault_hook = nullptr; }

private:
    static inline Act act_;
};

// How many system calls `run` makes; with `only`, how many of that kind.
template <class Run>
int count_calls(Run run, std::optional<sys::Call> only = {}) {
    int count = 0;
    const CallHook hook([&](sys::Call call) {
        if (!only || *only == call) ++count;
        return sys::Fault{};
    });
    run();
    return count;
}

// Every moment at which an attacker could act: set_up() and run() once for each system call that
// run() makes, with move() just before that call. The last time no move is made.
template <class SetUp, class Move, class Run>
void at_every_call(SetUp set_up, Move move, Run run) {
    constexpr int kCallsMax = 1000;
    for (int n = 1; n < kCallsMax; ++n) {
        set_up();
        int count = 0;
        const CallHook hook([&](sys::Call) {
            if (++count == n) move();
            return sys::Fault{};
        });
        run();
        if (count < n) return;
    }
}

}  // namespace paddock::testing
