// The seam for fault injection: every wrapper that acts on files or makes processes asks here
// before the kernel. Those that ask about the process and the host (process.h, landlock.h)
// do not.
//
// Tests install a hook that may fail the Nth call with an errno or cut a transfer short. No hook is
// installed outside tests, and the question is then one load and a branch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace paddock::sys {

enum class Call : std::uint8_t {
    kOpenat,
    kOpenat2,
    kStat,
    kRead,
    kWrite,
    kCopyRange,
    kSync,
    kTruncate,
    kMkdir,
    kUnlink,
    kRename,
    kLink,
    kSymlink,
    kReadlink,
    kChmod,
    kChown,
    kTimes,
    kXattr,
    kGetdents,
    kAccess,
    kSeek,
    kPoll,
    kMount,
    kProcess,
    kCredential,
    kSocket,
    kConnect,
    kAccept,
    kSend,
    kReceive,
};

struct Fault {
    int error = 0;              // errno to report instead of calling, 0: call
    std::size_t bytes_max = 0;  // of a transfer, 0: as asked
};

using FaultHook = Fault (*)(Call call) noexcept;

inline std::atomic<FaultHook> fault_hook{nullptr};

inline Fault next_fault(Call call) noexcept {
    const FaultHook hook = fault_hook.load(std::memory_order_acquire);
    return hook == nullptr ? Fault{} : hook(call);
}

}  // namespace paddock::sys
