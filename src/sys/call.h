// The shape of every wrapper that answers "done" or an errno: ask the fault seam, call, retry
// EINTR.
#pragma once

#include <cerrno>

#include "base/outcome.h"
#include "sys/fault.h"

namespace paddock::sys {

template <class System>
Done call(Call which, System system) {
    for (;;) {
        if (const Fault fault = next_fault(which); fault.error != 0) {
            if (fault.error == EINTR) continue;
            return Failure::from_errno(fault.error);
        }
        if (system() == 0) return {};
        if (errno != EINTR) return Failure::from_errno(errno);
    }
}

}  // namespace paddock::sys
