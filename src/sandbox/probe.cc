#include "sandbox/probe.h"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <string_view>

#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/kernel_text.h"
#include "sys/landlock.h"
#include "sys/process.h"

namespace paddock::sandbox {
namespace {

template <Done (*kTry)()>
bool tell(int report) {
    const Done done = kTry();
    const int error = done ? 0 : done.error().os_error;
    return sys::write_all(report, {reinterpret_cast<const char*>(&error), sizeof error})
        .has_value();
}

template <Done (*kTry)()>
Done in_child() {
    PADDOCK_ASSIGN(pipe, sys::pipe());
    PADDOCK_ASSIGN(told, sys::ask_in_child(tell<kTry>, pipe.write.get()));
    if (!told) {
        return refuse(Code::kSandboxUnavailable, "a filter kills the process that asks");
    }
    int error = 0;
    PADDOCK_ASSIGN(size, sys::read(pipe.read.get(), reinterpret_cast<char*>(&error), sizeof error));
    if (size != sizeof error) return refuse(Code::kInternal);
    if (error != 0) return Failure::from_errno(error);
    return {};
}

Done confine_and_list() {
    PADDOCK_TRY(sys::set_no_new_privs());
    sys::landlock::Handled handled;
    handled.files = sys::landlock::kReadDir;
    PADDOCK_ASSIGN(ruleset, sys::landlock::create_ruleset(handled));
    PADDOCK_TRY(sys::landlock::restrict_self(ruleset.get(), 0));
    const auto listed = sys::openat(AT_FDCWD, "/", O_RDONLY | O_DIRECTORY);
    if (!listed && listed.error().os_error == EACCES) return {};
    return Failure::from_errno(EIO);
}

Done filter_and_call() {
    constexpr int kMark = EXDEV;
    PADDOCK_TRY(sys::set_no_new_privs());
    PADDOCK_TRY(sys::filter_getppid(kMark));
    const auto parent = sys::parent_id();
    if (!parent && parent.error().os_error == kMark) return {};
    return Failure::from_errno(EIO);
}

Done enter_user_namespace() { return sys::unshare(CLONE_NEWUSER); }

Done enter_mount_namespace() {
    PADDOCK_TRY(sys::unshare(CLONE_NEWUSER | CLONE_NEWNS));
    return sys::make_mounts_private();
}

// Where the cgroup v2 hierarchy is mounted, and which of its groups is the mount's root.
struct CgroupMount {
    std::string point;
    std::string root;
};

Outcome<CgroupMount> cgroup_mount() {
    PADDOCK_ASSIGN(mounts, sys::read_text(AT_FDCWD, "/proc/self/mountinfo"));
    for (const std::string& line : sys::split(mounts, '\n')) {
        const std::size_t type = line.find(" - cgroup2 ");
        const auto fields = sys::split(line, ' ');
        if (type != std::string::npos && fields.size() > 5)
            return CgroupMount{fields[4], fields[3]};
    }
    return refuse(Code::kNotAvailable, "the cgroup v2 hierarchy is not mounted");
}

Outcome<std::string> own_cgroup() {
    PADDOCK_ASSIGN(groups, sys::read_text(AT_FDCWD, "/proc/self/cgroup"));
    for (const std::string& line : sys::split(groups, '\n')) {
        if (line.starts_with("0::/")) return line.substr(3);
    }
    return refuse(Code::kNotAvailable, "this process is in no cgroup v2 group");
}

}  // namespace

Done try_no_new_privs() { return in_child<sys::set_no_new_privs>(); }
Done try_landlock() { return in_child<confine_and_list>(); }
Done try_seccomp() { return in_child<filter_and_call>(); }
Done try_user_namespace() { return in_child<enter_user_namespace>(); }
Done try_mount_namespace() { return in_child<enter_mount_namespace>(); }

Outcome<UniqueFd> own_cgroup_directory() {
    PADDOCK_ASSIGN(mount, cgroup_mount());
    PADDOCK_ASSIGN(group, own_cgroup());
    std::string_view below = group;
    if (mount.root != "/") {
        if (!below.starts_with(mount.root)) {
            return refuse(Code::kNotAvailable, "the group of this process is not mounted");
        }
        below.remove_prefix(mount.root.size());
    }
    const std::string path = mount.point + std::string(below);
    return sys::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_DIRECTORY);
}

Outcome<CgroupDelegation> cgroup_delegation() {
    PADDOCK_ASSIGN(directory, own_cgroup_directory());
    PADDOCK_ASSIGN(offered, sys::read_text(directory.get(), "cgroup.controllers"));
    CgroupDelegation delegation;
    // Moving a process in needs the file, making a group needs the directory.
    delegation.writable = sys::may_write(directory.get()).has_value() &&
                          sys::openat(directory.get(), "cgroup.procs", O_WRONLY).has_value();
    while (!offered.empty() && offered.back() == '\n') offered.pop_back();
    delegation.controllers = sys::split(offered, ' ');
    return delegation;
}

namespace {

#define NO_CGROUP "no cgroup v2 group is delegated"
#define DELEGATE "run in a systemd unit or scope with Delegate=yes"

#define NO_LISTENER \
    "no seccomp filter can have a listener here: one outside has it already, perhaps"
#define NO_GATE                                                                                    \
    "changes cannot be judged before they are made: that takes Linux 5.19, openat2 and a seccomp " \
    "listener"
#define NO_GATE_FULL \
    "; existing sealed files are read-only for commands, new ones are only reported"
#define NO_GATE_LOW                                                                             \
    "; on the low level existing sealed files and the journal are not protected from commands " \
    "either, changes of sealed files are only reported"
#define NEWER_KERNEL "use a newer kernel, outside of a container that listens itself"
#define NO_WAY_OUT \
    "listed destinations need a network namespace, which is refused here; see `paddock doctor`"

#define NO_WAY_IN \
    "published ports need a network namespace, which is refused here; see `paddock doctor`"

bool is_namespace(Layer layer) { return layer <= Layer::kCgroupNamespace; }

}  // namespace

ShellReport report_of(const ShellOptions& options, const Reached& reached) {
    ShellReport report;
    report.level = reached.level;
    report.landlock_abi = reached.landlock_abi;
    report.user = reached.user;
    if (!reached.observes) report.denials_untold = NO_LISTENER;
    if (options.host_network) {
        report.permits.push_back("host_network: " + options.host_network->reason);
    }
    for (std::size_t i = 0; i < kLayers; ++i) {
        const auto layer = static_cast<Layer>(i);
        if (layer == Layer::kNetworkNamespace && options.host_network) continue;
        if (layer == Layer::kGate && !reached.needs_gate) continue;
        report.requested.push_back(layer);
        if (is_namespace(layer) && reached.level == SandboxLevel::kLow) {
            const StageText& text = stage_text(reached.refused.stage);
            report.missing.push_back({layer, text.reason, text.remedy, reached.refused.os_error});
        } else if (layer == Layer::kCgroup && reached.no_cgroup) {
            report.missing.push_back({layer, NO_CGROUP, DELEGATE, reached.no_cgroup->os_error});
        } else if (layer == Layer::kGate && !reached.gated) {
            const bool is_full = reached.level == SandboxLevel::kFull;
            const char* const reason = is_full ? NO_GATE NO_GATE_FULL : NO_GATE NO_GATE_LOW;
            report.missing.push_back({layer, reason, NEWER_KERNEL, 0});
        } else {
            report.enforced.push_back(layer);
        }
    }
    return report;
}

Done check_required(const ShellOptions& options, const Reached& reached) {
    // Landlock knows ports, not hosts.
    if (!options.network_allow.empty() && reached.level == SandboxLevel::kLow) {
        return refuse(Code::kSandboxUnavailable, NO_WAY_OUT, reached.refused.os_error);
    }
    if (!options.publish.empty() && reached.level == SandboxLevel::kLow) {
        return refuse(Code::kSandboxUnavailable, NO_WAY_IN, reached.refused.os_error);
    }
    for (const Layer layer : options.required) {
        if (is_namespace(layer) && reached.level == SandboxLevel::kLow) {
            return stage_failure(reached.refused.stage, reached.refused.os_error);
        }
        if (layer == Layer::kCgroup && reached.no_cgroup) {
            return refuse(Code::kSandboxUnavailable, NO_CGROUP "; " DELEGATE,
                          reached.no_cgroup->os_error);
        }
        if (layer == Layer::kGate && reached.needs_gate && !reached.gated) {
            return refuse(Code::kSandboxUnavailable, NO_GATE "; " NEWER_KERNEL);
        }
    }
    return {};
}

}  // namespace paddock::sandbox
