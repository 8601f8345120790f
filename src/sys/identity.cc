#include "sys/identity.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "sys/call.h"
#include "sys/uapi.h"

namespace paddock::sys {
namespace {

Done control(int what, unsigned long first, unsigned long second = 0) {
    return call(Call::kCredential, [&] { return ::prctl(what, first, second, 0UL, 0UL); });
}

// The two halves of the kernel's structure.
struct CapabilitySets {
    __user_cap_data_struct halves[2] = {};
};

Outcome<CapabilitySets> capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    CapabilitySets sets;
    PADDOCK_TRY(
        call(Call::kCredential, [&] { return ::syscall(SYS_capget, &header, sets.halves); }));
    return sets;
}

Done set_capabilities(const CapabilitySets& sets) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    return call(Call::kCredential, [&] { return ::syscall(SYS_capset, &header, sets.halves); });
}

Done keep_at_most(Capabilities kept) {
    PADDOCK_ASSIGN(sets, capabilities());
    const std::uint32_t wanted[2] = {static_cast<std::uint32_t>(kept),
                                     static_cast<std::uint32_t>(kept >> 32)};
    for (int i = 0; i < 2; ++i) {
        sets.halves[i].permitted &= wanted[i];
        sets.halves[i].effective = sets.halves[i].permitted;
        sets.halves[i].inheritable = 0;
    }
    return set_capabilities(sets);
}

uid_t file_user(uid_t user) { return static_cast<uid_t>(::syscall(SYS_setfsuid, user)); }
gid_t file_group(gid_t group) { return static_cast<gid_t>(::syscall(SYS_setfsgid, group)); }

int resource_of(Limit limit) {
    switch (limit) {
        case Limit::kProcesses: return RLIMIT_NPROC;
        case Limit::kFileBytes: return RLIMIT_FSIZE;
        case Limit::kOpenFiles: return RLIMIT_NOFILE;
        case Limit::kCoreBytes: break;
    }
    return RLIMIT_CORE;
}

}  // namespace

// The raw calls: glibc's would ask every thread of the process, and a fresh copy of a process has
// one thread only.
Done become(uid_t user, gid_t group) {
    PADDOCK_TRY(
        call(Call::kCredential, [&] { return ::syscall(SYS_setresgid, group, group, group); }));
    return call(Call::kCredential, [&] { return ::syscall(SYS_setresuid, user, user, user); });
}

Done forget_groups() {
    return call(Call::kCredential, [] { return ::syscall(SYS_setgroups, 0, nullptr); });
}

Done keep_capabilities() { return control(PR_SET_KEEPCAPS, 1); }

Done lock_capabilities(Capabilities kept) {
    // Those that the kernel does not know end the list.
    for (unsigned long each = 0; each < 64; ++each) {
        const auto known = control(PR_CAPBSET_DROP, each);
        if (!known && known.error().os_error == EINVAL) break;
        if (!known) return known.error();
    }
    PADDOCK_TRY(control(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL));
    constexpr unsigned long kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                    SECBIT_NO_CAP_AMBIENT_RAISE |
                                    SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    PADDOCK_TRY(control(PR_SET_SECUREBITS, kBits));
    return keep_at_most(kept);
}

Done use_capabilities(Capabilities wanted) {
    PADDOCK_ASSIGN(sets, capabilities());
    const std::uint32_t halves[2] = {static_cast<std::uint32_t>(wanted),
                                     static_cast<std::uint32_t>(wanted >> 32)};
    for (int i = 0; i < 2; ++i) {
        sets.halves[i].effective = sets.halves[i].permitted & halves[i];
    }
    return set_capabilities(sets);
}

void act_on_files_as(uid_t user, gid_t group) noexcept {
    (void)file_group(group);
    (void)file_user(user);
}

Done drop_capabilities() { return set_capabilities(CapabilitySets{}); }

// Both calls answer with what was before, and never say that they failed.
LookingAs::LookingAs(uid_t user, gid_t group) noexcept
    : user_(file_user(user)), group_(file_group(group)) {
    const bool taken = file_user(user) == user && file_group(group) == group;
    const auto sets = capabilities();
    if (sets) used_ = sets->halves[0].effective | Capabilities{sets->halves[1].effective} << 32;
    works_ = taken && sets && use_capabilities(0).has_value();
}

LookingAs::~LookingAs() {
    (void)use_capabilities(used_);
    file_group(group_);
    file_user(user_);
}

Done set_dumpable(bool dumpable) { return control(PR_SET_DUMPABLE, dumpable ? 1 : 0); }

Done set_limit(Limit limit, std::uint64_t value) {
    const auto resource = static_cast<__rlimit_resource>(resource_of(limit));
    struct rlimit present;
    PADDOCK_TRY(call(Call::kCredential, [&] { return ::getrlimit(resource, &present); }));
    const rlim_t bounded = std::min<rlim_t>(value, present.rlim_max);
    const struct rlimit wanted {
        bounded, bounded
    };
    return call(Call::kCredential, [&] { return ::setrlimit(resource, &wanted); });
}

Outcome<std::string> kernel_release() {
    struct utsname names;
    if (::uname(&names) != 0) return Failure::from_errno(errno);
    return std::string(names.release);
}

MountIds mount_ids() {
    struct statx raw;
    constexpr unsigned kMask = uapi::kStatxMntId | uapi::kStatxMntIdUnique;
    if (::statx(AT_FDCWD, "/", AT_SYMLINK_NOFOLLOW, kMask, &raw) != 0) return MountIds::kNone;
    if ((raw.stx_mask & uapi::kStatxMntIdUnique) != 0) return MountIds::kUnique;
    return (raw.stx_mask & uapi::kStatxMntId) != 0 ? MountIds::kReused : MountIds::kNone;
}

Outcome<bool> no_new_privs() {
    const int set = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    if (set < 0) return Failure::from_errno(errno);
    return set == 1;
}

Done set_no_new_privs() {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Failure::from_errno(errno);
    return {};
}

Outcome<bool> is_single_threaded() {
    // Unsharing a thread from itself changes nothing; the kernel refuses where there are others.
    if (::unshare(CLONE_THREAD) == 0) return true;
    if (errno == EINVAL) return false;
    return Failure::from_errno(errno);
}

Done unshare(int flags) {
    if (::unshare(flags) != 0) return Failure::from_errno(errno);
    return {};
}

Done make_mounts_private() {
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

Done filter_getppid(int error) {
    const unsigned answer = SECCOMP_RET_ERRNO | static_cast<unsigned>(error);
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof program[0], program};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

Outcome<int> parent_id() {
    const long id = ::syscall(SYS_getppid);
    if (id < 0) return Failure::from_errno(errno);
    return static_cast<int>(id);
}

Outcome<Pipe> pipe(NeverWaits which) {
    int ends[2];
    const int flags = which == NeverWaits::kNone ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK;
    if (::pipe2(ends, flags) != 0) return Failure::from_errno(errno);
    Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
    if (which == NeverWaits::kReader && ::fcntl(pipe.write.get(), F_SETFL, 0) != 0) {
        return Failure::from_errno(errno);
    }
    return pipe;
}

std::size_t pipe_capacity(int fd) noexcept {
    const int bytes = ::fcntl(fd, F_GETPIPE_SZ);
    return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
}

}  // namespace paddock::sys
