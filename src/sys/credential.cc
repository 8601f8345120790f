#include "sys/credential.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "sys/call.h"

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
    const struct rlimit wanted { bounded, bounded };
    return call(Call::kCredential, [&] { return ::setrlimit(resource, &wanted); });
}

}  // namespace paddock::sys
