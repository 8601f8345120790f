#include "sandbox/confine.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/outcome.h"
#include "base/reason.h"
#include "sandbox/rights.h"
#include "sys/dir.h"
#include "sys/host.h"
#include "sys/landlock.h"
#include "sys/open.h"
#include "sys/stat.h"
#include "sys/uapi.h"

namespace paddock::sandbox {
namespace {

namespace ll = sys::landlock;

constexpr std::string_view kNoLandlock =
    "needs Landlock, which is not built into this kernel, not among the lsm= of its command line, "
    "or forbidden by a seccomp filter";

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
        if (stat->type != FileType::kDirectory) return wrong("a rule's descriptor is no directory");
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
