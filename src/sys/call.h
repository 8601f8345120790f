// The shape of every wrapper: ask the fault seam, call, retry EINTR, turn errno into a Failure.
#pragma once

#include <cerrno>

#include "base/outcome.h"
#include "sys/fault.h"

namespace paddock::sys {

// `system` answers as system calls do: a value, or a negative one and errno.
template <class System>
Outcome<long> ask_kernel(Call which, System system) {
    for (;;) {
        const int injected = next_fault(which).error;
        const long answer = injected == 0 ? static_cast<long>(system()) : -1;
        if (answer >= 0) return answer;
        const int error = injected == 0 ? errno : injected;
        if (error != EINTR) return Failure::from_errno(error);
    }
}

template <class System>
Done call(Call which, System system) {
    PADDOCK_TRY(ask_kernel(which, system));
    return {};
}

}  // namespace paddock::sys
