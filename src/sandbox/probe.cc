#include "sandbox/probe.h"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <string_view>

#include "sandbox/kernel_text.h"
#include "sys/host.h"
#include "sys/io.h"
#include "sys/landlock.h"
#include "sys/open.h"
#include "sys/process.h"
#include "sys/stat.h"

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
        return refuse(Code::kSandboxUnavailable, "whoever asks is killed");
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
    PADDOCK_ASSIGN(mounts, read_text(AT_FDCWD, "/proc/self/mountinfo"));
    for (const std::string& line : split(mounts, '\n')) {
        const std::size_t type = line.find(" - cgroup2 ");
        const auto fields = split(line, ' ');
        if (type != std::string::npos && fields.size() > 5)
            return CgroupMount{fields[4], fields[3]};
    }
    return refuse(Code::kNotAvailable, "the cgroup v2 hierarchy is not mounted");
}

Outcome<std::string> own_cgroup() {
    PADDOCK_ASSIGN(groups, read_text(AT_FDCWD, "/proc/self/cgroup"));
    for (const std::string& line : split(groups, '\n')) {
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
    PADDOCK_ASSIGN(offered, read_text(directory.get(), "cgroup.controllers"));
    CgroupDelegation delegation;
    // Moving a process in needs the file, making a group needs the directory.
    delegation.writable = sys::may_write(directory.get()).has_value() &&
                          sys::openat(directory.get(), "cgroup.procs", O_WRONLY).has_value();
    while (!offered.empty() && offered.back() == '\n') offered.pop_back();
    delegation.controllers = split(offered, ' ');
    return delegation;
}

}  // namespace paddock::sandbox
