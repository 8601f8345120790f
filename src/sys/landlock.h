// Landlock: the constants of ABI 1 to 9 and the three system calls.
//
// Own constants, because Debian 12's headers stop at ABI 2. Those of ABI 1 to 7 have been used on a
// running kernel. kAllThreads (ABI 8) and kResolveUnix (ABI 9) were only compared with the patches
// that brought them: no kernel that has them was at hand.
#pragma once

#include <cstdint>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys::landlock {

inline constexpr int kAbiKnown = 9;

using Rights = std::uint64_t;

// Files. ABI 1, Linux 5.13.
inline constexpr Rights kExecute = 1U << 0;
inline constexpr Rights kWriteFile = 1U << 1;
inline constexpr Rights kReadFile = 1U << 2;
inline constexpr Rights kReadDir = 1U << 3;
inline constexpr Rights kRemoveDir = 1U << 4;
inline constexpr Rights kRemoveFile = 1U << 5;
inline constexpr Rights kMakeChar = 1U << 6;
inline constexpr Rights kMakeDir = 1U << 7;
inline constexpr Rights kMakeReg = 1U << 8;
inline constexpr Rights kMakeSock = 1U << 9;
inline constexpr Rights kMakeFifo = 1U << 10;
inline constexpr Rights kMakeBlock = 1U << 11;
inline constexpr Rights kMakeSym = 1U << 12;
inline constexpr Rights kRefer = 1U << 13;        // ABI 2, Linux 5.19
inline constexpr Rights kTruncate = 1U << 14;     // ABI 3, Linux 6.2
inline constexpr Rights kIoctlDev = 1U << 15;     // ABI 5, Linux 6.10
inline constexpr Rights kResolveUnix = 1U << 16;  // ABI 9, Linux 7.1

// Network. ABI 4, Linux 6.7.
inline constexpr Rights kBindTcp = 1U << 0;
inline constexpr Rights kConnectTcp = 1U << 1;

// Scopes. ABI 6, Linux 6.12.
inline constexpr Rights kScopeAbstractUnixSocket = 1U << 0;
inline constexpr Rights kScopeSignal = 1U << 1;

// Flags of restrict_self.
inline constexpr unsigned kLogNewExecOn = 1U << 1;  // ABI 7, Linux 6.15
inline constexpr unsigned kAllThreads = 1U << 3;    // ABI 8, Linux 7.0

// What a ruleset denies unless a rule grants it. Older kernels take the whole structure as long as
// the fields that they do not know are zero.
struct Handled {
    Rights files = 0;
    Rights network = 0;
    Rights scopes = 0;
};

// The highest ABI of this kernel; ENOSYS: built without, EOPNOTSUPP: not enabled at boot.
Outcome<int> abi();

Outcome<UniqueFd> create_ruleset(const Handled& handled);

// Grants `rights` on `directory` and all below it.
Done allow_beneath(int ruleset, int directory, Rights rights);

// For the calling thread and its future children. Needs no_new_privs, or CAP_SYS_ADMIN.
Done restrict_self(int ruleset, unsigned flags);

}  // namespace paddock::sys::landlock
