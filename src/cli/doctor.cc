#include "cli/doctor.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <paddock/sandbox.h>

#include "fs/probe.h"
#include "fs/procfs.h"
#include "sandbox/confine.h"
#include "sandbox/probe.h"
#include "sys/files.h"
#include "sys/identity.h"
#include "sys/landlock.h"
#include "sys/process.h"

namespace paddock::cli {
namespace {

std::string why(const Failure& failure) {
    const char* known = ::strerrordesc_np(failure.os_error);
    if (failure.os_error != 0 && known != nullptr) return known;
    return std::string(failure.reason);
}

template <class Words>
std::string joined(const Words& words) {
    std::string line;
    for (const auto& word : words) {
        if (!line.empty()) line += ", ";
        line += word;
    }
    return line;
}

// A feature that is there or not.
Finding finding(std::string name, bool on, std::string detail, std::string without,
                std::string remedy) {
    Finding result;
    result.name = std::move(name);
    result.state = on ? State::kOn : State::kMissing;
    result.detail = std::move(detail);
    result.without = std::move(without);
    if (!on) result.remedy = std::move(remedy);
    return result;
}

Finding kernel() {
    const auto release = sys::kernel_release();
    return finding("kernel", release.has_value(), release ? *release : why(release.error()),
                   "nothing is lost: the version is shown for bug reports only", "");
}

Finding openat2() {
    const auto top = sys::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY);
    const bool works = top && fs::openat2_works(top->get()).value_or(false);
    Finding result =
        finding("openat2", works,
                works ? "works"
                      : "missing or blocked by a filter; paddock walks paths in user space instead",
                "each part of a path costs separate system calls: the same results, slower",
                "use Linux 5.6 or newer, or let the container's seccomp profile pass openat2");
    if (!works) result.state = State::kPartial;
    return result;
}

Finding mount_ids() {
    const sys::MountIds ids = sys::mount_ids();
    Finding result =
        finding("mount_ids", ids != sys::MountIds::kNone,
                ids == sys::MountIds::kNone ? "not reported" : "unique",
                "paddock cannot tell mounts below the workspace apart, so no workspace opens",
                "use Linux 5.8 or newer");
    if (ids == sys::MountIds::kReused) {
        result.state = State::kPartial;
        result.detail = "reported, but ids are reused";
        result.without =
            "a mount that replaces another while a workspace is open could look like the old one";
        result.remedy = "use Linux 6.8 or newer";
    }
    return result;
}

bool knows_fchmodat2(int) { return sys::chmod_path_fd(-1, 0).error().os_error == EBADF; }

Finding fchmodat2(bool proc) {
    Finding result =
        finding("fchmodat2", sys::ask_in_child(knows_fchmodat2, 0).value_or(false), "works",
                "file modes are changed through /proc/self/fd instead of the descriptor",
                "use Linux 6.6 or newer");
    if (result.state == State::kMissing) {
        result.state = proc ? State::kPartial : State::kMissing;
        result.detail = proc ? "missing; paddock uses /proc instead" : "missing, and no /proc";
    }
    return result;
}

Finding proc() {
    const auto top = sys::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY);
    const bool works = top && fs::host_path_of(top->get()).has_value();
    return finding(
        "proc", works, works ? "mounted" : "missing, or not procfs",
        "paddock cannot find the path of an open file or, before Linux 6.6, change modes",
        "mount procfs on /proc");
}

Finding landlock() {
    // Tried first, in a child: a filter may kill who asks.
    const auto tried = sandbox::try_landlock();
    const int abi = tried ? sandbox::landlock_abi(std::numeric_limits<int>::max()) : 0;
    const auto plan = sandbox::plan_for({}, abi);
    Finding result = finding(
        "landlock", tried.has_value(), tried ? "ABI " + std::to_string(abi) : why(tried.error()),
        "no second layer of protection: one bug in path handling could reach files outside",
        "boot a kernel built with CONFIG_SECURITY_LANDLOCK and with landlock in its lsm= list, "
        "and let the container's seccomp profile pass the landlock_* system calls");
    if (result.state == State::kOn && !plan.missing.empty()) {
        result.state = State::kPartial;
        result.detail += " of " + std::to_string(sys::landlock::kAbiKnown);
        result.without = "not enforced: " + joined(plan.missing);
        result.remedy = "use Linux 7.1 or newer for all of it";
    }
    return result;
}

std::string namespace_remedy(int os_error) {
    switch (os_error) {
        case ENOSPC: return "raise the sysctl user.max_user_namespaces";
        case ENOSYS:
        case EINVAL: return "boot a kernel built with CONFIG_USER_NS";
        default:
            return "allow them: sysctl kernel.unprivileged_userns_clone=1 (Debian), an AppArmor "
                   "profile with userns for this program (Ubuntu), or a container profile that "
                   "passes unshare";
    }
}

Finding user_namespaces() {
    const auto user = sandbox::try_user_namespace();
    const auto mount = sandbox::try_mount_namespace();
    Finding result =
        finding("user_namespaces", user && mount, user ? "available" : why(user.error()),
                "commands cannot get their own view of files, processes and network; only Landlock "
                "and seccomp confine them",
                user ? "" : namespace_remedy(user.error().os_error));
    if (user && !mount) {
        result.state = State::kPartial;
        result.detail = "available, but mounts cannot be changed inside: " + why(mount.error());
        result.remedy = namespace_remedy(mount.error().os_error);
    }
    return result;
}

Finding seccomp() {
    const auto tried = sandbox::try_seccomp();
    std::string detail = tried ? "filters can be installed" : why(tried.error());
    if (sys::has_seccomp_filter()) detail += "; this process already has a filter";
    return finding("seccomp", tried.has_value(), std::move(detail),
                   "commands can make every system call",
                   "boot a kernel built with CONFIG_SECCOMP_FILTER");
}

Finding cgroup() {
    const auto delegation = sandbox::cgroup_delegation();
    const auto offers = [&](std::string_view controller) {
        return delegation &&
               std::find(delegation->controllers.begin(), delegation->controllers.end(),
                         controller) != delegation->controllers.end();
    };
    const bool writable = delegation && delegation->writable;
    const bool delegated = writable && offers("memory") && offers("pids");
    Finding result;
    result.name = "cgroup_v2";
    result.without =
        "paddock counts the memory and processes of a session itself, ten times a second";
    if (!delegation) {
        result.detail = why(delegation.error());
    } else {
        result.detail = delegated  ? "delegated"
                        : writable ? "without control of memory and processes"
                                   : "mounted, but not delegated to this user";
        result.detail += delegation->controllers.empty()
                             ? "; no controllers"
                             : "; controllers: " + joined(delegation->controllers);
    }
    if (delegated) {
        result.state = State::kOn;
        return result;
    }
    result.state = writable ? State::kPartial : State::kMissing;
    result.remedy =
        "boot with the unified cgroup hierarchy and start paddock in a delegated group: a systemd "
        "service with Delegate=yes, or systemd-run --user --scope -p Delegate=yes";
    return result;
}

Finding no_new_privs() {
    const auto tried = sandbox::try_no_new_privs();
    std::string detail = tried ? "can be set" : why(tried.error());
    if (sys::no_new_privs().value_or(false)) detail += "; already set";
    return finding("no_new_privs", tried.has_value(), std::move(detail),
                   "Landlock and seccomp work for root only, and setuid programs keep working",
                   "let the container's seccomp profile pass prctl");
}

}  // namespace

std::string_view state_name(State state) noexcept {
    switch (state) {
        case State::kOn: return "on";
        case State::kPartial: return "partial";
        case State::kMissing: break;
    }
    return "missing";
}

std::vector<Finding> examine_host() {
    std::vector<Finding> findings;
    findings.push_back(kernel());
    findings.push_back(openat2());
    findings.push_back(mount_ids());
    const Finding procfs = proc();
    findings.push_back(fchmodat2(procfs.state == State::kOn));
    findings.push_back(procfs);
    findings.push_back(landlock());
    findings.push_back(user_namespaces());
    findings.push_back(seccomp());
    findings.push_back(cgroup());
    findings.push_back(no_new_privs());
    return findings;
}

}  // namespace paddock::cli
