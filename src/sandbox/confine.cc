#include "sandbox/confine.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/outcome.h"
#include "base/reason.h"
#include "sys/files.h"
#include "sys/identity.h"
#include "sys/landlock.h"
#include "sys/uapi.h"

namespace paddock::sandbox {
namespace {

namespace ll = sys::landlock;

enum class Field : std::uint8_t { kFiles, kNetwork, kScopes };

struct Right {
    std::string_view name;
    Field field;
    ll::Rights bit;
    int since;  // ABI
};

constexpr std::array<Right, 21> kRights{{
    {"execute", Field::kFiles, ll::kExecute, 1},
    {"write_file", Field::kFiles, ll::kWriteFile, 1},
    {"read_file", Field::kFiles, ll::kReadFile, 1},
    {"read_dir", Field::kFiles, ll::kReadDir, 1},
    {"remove_dir", Field::kFiles, ll::kRemoveDir, 1},
    {"remove_file", Field::kFiles, ll::kRemoveFile, 1},
    {"make_char", Field::kFiles, ll::kMakeChar, 1},
    {"make_dir", Field::kFiles, ll::kMakeDir, 1},
    {"make_reg", Field::kFiles, ll::kMakeReg, 1},
    {"make_sock", Field::kFiles, ll::kMakeSock, 1},
    {"make_fifo", Field::kFiles, ll::kMakeFifo, 1},
    {"make_block", Field::kFiles, ll::kMakeBlock, 1},
    {"make_sym", Field::kFiles, ll::kMakeSym, 1},
    {"refer", Field::kFiles, ll::kRefer, 2},
    {"truncate", Field::kFiles, ll::kTruncate, 3},
    {"bind_tcp", Field::kNetwork, ll::kBindTcp, 4},
    {"connect_tcp", Field::kNetwork, ll::kConnectTcp, 4},
    {"ioctl_dev", Field::kFiles, ll::kIoctlDev, 5},
    {"abstract_unix_socket", Field::kScopes, ll::kScopeAbstractUnixSocket, 6},
    {"signal", Field::kScopes, ll::kScopeSignal, 6},
    {"resolve_unix", Field::kFiles, ll::kResolveUnix, 9},
}};

bool is_requested(const ConfineSpec& spec, const Right& right) {
    switch (right.field) {
        case Field::kNetwork: return !spec.network;
        case Field::kScopes: return !spec.other_processes;
        case Field::kFiles: break;
    }
    return true;
}

ll::Rights& field_of(ll::Handled& handled, Field field) {
    switch (field) {
        case Field::kNetwork: return handled.network;
        case Field::kScopes: return handled.scopes;
        case Field::kFiles: break;
    }
    return handled.files;
}

constexpr ll::Rights kRead = ll::kReadFile | ll::kReadDir;

// FIFOs and sockets too: moving one to another directory needs the right to make one there.
constexpr ll::Rights kChange = ll::kWriteFile | ll::kTruncate | ll::kRemoveDir | ll::kRemoveFile |
                               ll::kMakeDir | ll::kMakeReg | ll::kMakeSym | ll::kMakeFifo |
                               ll::kMakeSock | ll::kRefer;

// By the ABI required.
constexpr std::array<std::string_view, ll::kAbiKnown - kLandlockAbiFloor + 1> kRequirements{
    "needs Landlock ABI 1 (Linux 5.13), and this kernel offers less",
    "needs Landlock ABI 2 (Linux 5.19), and this kernel offers less",
    "needs Landlock ABI 3 (Linux 6.2), and this kernel offers less",
    "needs Landlock ABI 4 (Linux 6.7), and this kernel offers less",
    "needs Landlock ABI 5 (Linux 6.10), and this kernel offers less",
    "needs Landlock ABI 6 (Linux 6.12), and this kernel offers less",
    "needs Landlock ABI 7 (Linux 6.15), and this kernel offers less",
    "needs Landlock ABI 8 (Linux 7.0), and this kernel offers less",
    "needs Landlock ABI 9 (Linux 7.1), and this kernel offers less",
};

}  // namespace

Plan plan_for(const ConfineSpec& spec, int abi) {
    Plan plan;
    for (const Right& right : kRights) {
        if (!is_requested(spec, right)) continue;
        plan.requested.push_back(right.name);
        if (right.since > abi) {
            plan.missing.push_back(right.name);
            continue;
        }
        plan.enforced.push_back(right.name);
        field_of(plan.handled, right.field) |= right.bit;
    }
    return plan;
}

ll::Rights granted(Access access, const ll::Handled& handled) {
    if (access == Access::kRemoveDirectories) return ll::kRemoveDir & handled.files;
    ll::Rights rights = kRead;
    if (access == Access::kReadExecute) rights |= ll::kExecute;
    if (access == Access::kReadWrite) rights |= kChange;
    return rights & handled.files;
}

std::string_view too_old_for(int abi_min) {
    return kRequirements[static_cast<std::size_t>(abi_min - kLandlockAbiFloor)];
}

namespace {

namespace ll = sys::landlock;

constexpr std::string_view kNoLandlock =
    "needs Landlock, which is not built into this kernel, missing from lsm= on its command line, "
    "or blocked by a seccomp filter";

template <class Permit>
bool lacks_reason(const std::optional<Permit>& permit) {
    return permit && !is_reason(permit->reason);
}

Done check(const ConfineSpec& spec) {
    const auto wrong = [](std::string_view why) { return refuse(Code::kInvalidArgument, why); };
    if (lacks_reason(spec.network) || lacks_reason(spec.other_processes) ||
        lacks_reason(spec.best_effort)) {
        return wrong("a permit has no reason");
    }
    if (spec.best_effort && spec.abi_min != kLandlockAbiFloor) {
        return wrong("best effort and a required ABI contradict each other");
    }
    if (spec.abi_min < kLandlockAbiFloor || spec.abi_min > ll::kAbiKnown) {
        return wrong("the required Landlock ABI is not 1 to 9");
    }
    for (const AccessRule& rule : spec.rules) {
        const auto stat = sys::fstat(rule.directory);
        if (!stat) return wrong("a rule's descriptor is not open");
        if (stat->type != FileType::kDirectory)
            return wrong("a rule's descriptor is not a directory");
    }
    return {};
}

// The number of threads in /proc/self/task, 2 standing for more; nothing without a real procfs.
Outcome<int> threads_in_proc() {
    PADDOCK_ASSIGN(tasks, sys::openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY));
    PADDOCK_ASSIGN(file_system, sys::file_system(tasks.get()));
    if (file_system.type != sys::uapi::kProcSuperMagic) return refuse(Code::kNotAvailable);
    sys::DirReader reader;
    int count = 0;
    while (count < 2) {
        PADDOCK_ASSIGN(entry, reader.next(tasks.get()));
        if (entry == nullptr) break;
        ++count;
    }
    return count;
}

Done check_single_thread() {
    bool single = false;
    if (const auto count = threads_in_proc()) {
        single = *count == 1;
    } else {
        const auto answer = sys::is_single_threaded();
        if (!answer) {
            return refuse(Code::kSandboxUnavailable,
                          "cannot tell whether there are other threads; mount /proc");
        }
        single = *answer;
    }
    if (single) return {};
    return refuse(Code::kSandboxUnavailable,
                  "other threads are running, which Landlock before ABI 8 cannot confine; confine "
                  "before starting any");
}

Done enforce(const ConfineSpec& spec, const ll::Handled& handled, int abi) {
    PADDOCK_ASSIGN(ruleset, ll::create_ruleset(handled));
    for (const AccessRule& rule : spec.rules) {
        PADDOCK_TRY(
            ll::allow_beneath(ruleset.get(), rule.directory, granted(rule.access, handled)));
    }
    unsigned flags = 0;
    if (abi >= 7) flags |= ll::kLogNewExecOn;
    if (abi >= 8) flags |= ll::kAllThreads;
    return ll::restrict_self(ruleset.get(), flags);
}

Failure unavailable(const Failure& cause) {
    std::string_view reason = "the kernel refused the Landlock domain";
    if (cause.os_error == E2BIG) reason = "this process is in 16 Landlock domains already";
    return refuse(Code::kSandboxUnavailable, reason, cause.os_error);
}

std::vector<std::string> permits_of(const ConfineSpec& spec) {
    std::vector<std::string> permits;
    if (spec.network) permits.push_back("network: " + spec.network->reason);
    if (spec.other_processes) {
        permits.push_back("other_processes: " + spec.other_processes->reason);
    }
    if (spec.best_effort) permits.push_back("best_effort: " + spec.best_effort->reason);
    return permits;
}

Outcome<ConfineReport> confine(const ConfineSpec& spec, int abi) {
    PADDOCK_TRY(check(spec));
    if (!spec.best_effort && abi < spec.abi_min) {
        return refuse(Code::kSandboxUnavailable,
                      abi == 0 ? kNoLandlock : too_old_for(spec.abi_min));
    }
    if (abi > 0 && abi < 8) PADDOCK_TRY(check_single_thread());

    Plan plan = plan_for(spec, abi);
    if (const auto set = sys::set_no_new_privs(); !set) {
        return refuse(Code::kSandboxUnavailable, "no_new_privs cannot be set",
                      set.error().os_error);
    }
    if (abi > 0) {
        if (const auto done = enforce(spec, plan.handled, abi); !done) {
            return unavailable(done.error());
        }
    }

    ConfineReport report;
    report.status = abi == 0               ? Enforcement::kNone
                    : plan.missing.empty() ? Enforcement::kFull
                                           : Enforcement::kPartly;
    report.kernel_abi = abi;
    report.requested = std::move(plan.requested);
    report.enforced = std::move(plan.enforced);
    report.missing = std::move(plan.missing);
    report.permits = permits_of(spec);
    report.no_new_privs = sys::no_new_privs().value_or(false);
    report.denials_audited = abi >= 7;
    return report;
}

}  // namespace

int landlock_abi(int ceiling) { return std::min(ll::abi().value_or(0), ceiling); }

Result<ConfineReport> confine_self_at(const ConfineSpec& spec, int ceiling) {
    auto report = confine(spec, landlock_abi(ceiling));
    if (report) return std::move(*report);
    return as_error(report.error(), "confine", {});
}

}  // namespace paddock::sandbox

namespace paddock {

std::string_view enforcement_name(Enforcement status) noexcept {
    switch (status) {
        case Enforcement::kFull: return "full";
        case Enforcement::kPartly: return "partly";
        case Enforcement::kNone: break;
    }
    return "none";
}

Result<ConfineReport> confine_self(const ConfineSpec& spec) {
    return sandbox::confine_self_at(spec, std::numeric_limits<int>::max());
}

}  // namespace paddock
