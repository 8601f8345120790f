#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "inmates/attempt.h"
#include "inmates/file_handle.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

constexpr int kUserKeyring = -4;
constexpr int kKeyctlSearch = 10;
constexpr int kKeyctlRead = 11;
constexpr int kReadWholeLog = 3;

Verdict mount_in(const std::string& directory) {
    ::mkdir(directory.c_str(), 0700);
    const bool mounted = ::mount("decoy", directory.c_str(), "tmpfs", 0, nullptr) == 0;
    if (mounted) ::umount2(directory.c_str(), MNT_DETACH);
    return succeeded_if(mounted);
}

Verdict mount_in_namespace(const Ground& ground) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return Verdict::kBlocked;
    return mount_in(ground.path("ws", "mounted"));
}

Verdict clone3_namespace(const Ground&) {
    clone_args arguments{};
    arguments.flags = CLONE_NEWUSER;
    arguments.exit_signal = SIGCHLD;
    const long child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) ::_exit(0);
    if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, 0);
    return succeeded_if(child > 0);
}

Verdict make_device(const Ground& ground) {
    const std::string device = ground.path("ws", "device");
    if (::mknod(device.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) != 0) return Verdict::kBlocked;
    return succeeded_if(::open(device.c_str(), O_RDWR | O_CLOEXEC) >= 0);
}

Verdict set_up_ring(const Ground& ground) {
    if (!ground.has("io_uring")) return cannot_try("no io_uring in this kernel");
    io_uring_params parameters{};
    return succeeded_if(::syscall(SYS_io_uring_setup, 1, &parameters) >= 0);
}

Verdict add_key(const Ground& ground) {
    const std::string name = ground["mark"] + "-added";
    return succeeded_if(::syscall(SYS_add_key, "user", name.c_str(), "x", 1, kUserKeyring) >= 0);
}

Verdict read_key(const Ground& ground) {
    if (!ground.has("key")) return cannot_try("no keyrings in this kernel");
    const long key =
        ::syscall(SYS_keyctl, kKeyctlSearch, kUserKeyring, "user", ground["key"].c_str(), 0);
    char text[64] = {};
    return succeeded_if(key >= 0 &&
                        ::syscall(SYS_keyctl, kKeyctlRead, key, text, sizeof text - 1) > 0 &&
                        ground["secret"] == text);
}

Verdict make_bpf_map(const Ground&) {
    bpf_attr attributes{};
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = 4;
    attributes.value_size = 4;
    attributes.max_entries = 1;
    return succeeded_if(::syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) >= 0);
}

Verdict measure_performance(const Ground& ground) {
    if (!ground.has("perf")) return cannot_try("no perf events in this kernel");
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_SW_CPU_CLOCK;
    return succeeded_if(::syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0) >= 0);
}

Verdict catch_faults(const Ground& ground) {
    if (!ground.has("userfaultfd")) return cannot_try("no userfaultfd in this kernel");
    return succeeded_if(::syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY) >= 0);
}

// Opened, not written.
Verdict open_named(const Ground& ground, const char* name, int flags) {
    if (!ground.has(name)) return cannot_try("this machine has no such file");
    return succeeded_if(::open(ground[name].c_str(), flags | O_CLOEXEC) >= 0);
}

Verdict open_by_handle(const Ground& ground) {
    if (!ground.has("handle")) return cannot_try("this file system has no handles");
    const int mount = ::open(ground["ws"].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int file = FileHandle::open(ground["handle"], mount);
    char content[64] = {};
    return succeeded_if(file >= 0 && ::read(file, content, sizeof content - 1) > 0 &&
                        std::strstr(content, ground["secret"].c_str()) != nullptr);
}

Verdict join_namespace(const Ground& ground) {
    const std::string name = "/proc/" + ground["victim"] + "/ns/net";
    if (!holds("/proc/" + ground["victim"] + "/cmdline", ground["mark"])) return Verdict::kBlocked;
    const int space = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    return succeeded_if(space >= 0 && ::setns(space, CLONE_NEWNET) == 0);
}

// An empty module is no module: what counts is whether the kernel looks at it.
Verdict load_module(const Ground& ground) {
    if (!ground.has("modules")) return cannot_try("no modules in this kernel");
    return succeeded_if(::syscall(SYS_init_module, "", 0, "") != 0 && errno == ENOEXEC);
}

Verdict read_kernel_log(const Ground&) {
    char text[256];
    return succeeded_if(::syscall(SYS_syslog, kReadWholeLog, text, sizeof text) >= 0);
}

Verdict type_into_terminal(const Ground&) {
    bool typed = true;
    for (const char* key = "#\n"; *key != '\0'; ++key) {
        typed = ::ioctl(STDIN_FILENO, TIOCSTI, key) == 0 && typed;
    }
    return succeeded_if(typed);
}

// The scene has looked what came out of its terminal.
bool typed_into_terminal(const Ground& ground) { return ground["typed"] == "#\n"; }

constexpr Attempt kAttempts[] = {
    {"mount", "mount a tmpfs", [](const Ground& g) { return mount_in(g.path("ws", "mounted")); },
     nullptr, Needs::kRoot},
    {"user-namespace", "make a user namespace by unshare",
     [](const Ground&) { return succeeded_if(::unshare(CLONE_NEWUSER) == 0); }},
    {"user-namespace-clone3", "make a user namespace by clone3", clone3_namespace},
    {"user-namespace-mount", "mount inside a user namespace of one's own", mount_in_namespace},
    {"join-namespace", "enter the network namespace of a process of the host", join_namespace,
     nullptr, Needs::kRoot},
    {"chroot", "change the root directory",
     [](const Ground& g) { return succeeded_if(::chroot(g["ws"].c_str()) == 0); }, nullptr,
     Needs::kRoot},
    {"device", "make a character device and open it", make_device, nullptr, Needs::kRoot},
    {"disk", "open a disk of the host",
     [](const Ground& g) { return open_named(g, "disk", O_RDONLY); }, nullptr, Needs::kRoot},
    {"open-by-handle", "open a file outside by its handle", open_by_handle, nullptr, Needs::kRoot},
    {"core-pattern", "open /proc/sys/kernel/core_pattern for writing",
     [](const Ground& g) { return open_named(g, "core_pattern", O_WRONLY); }, nullptr,
     Needs::kRoot},
    {"sysrq", "open /proc/sysrq-trigger for writing",
     [](const Ground& g) { return open_named(g, "sysrq", O_WRONLY); }, nullptr, Needs::kRoot},
    {"sysfs", "open a setting of the kernel in /sys for writing",
     [](const Ground& g) { return open_named(g, "sysfs", O_WRONLY); }, nullptr, Needs::kRoot},
    {"io-uring", "set up an io_uring", set_up_ring},
    {"add-key", "add a key to the user's keyring", add_key},
    {"read-key", "read a key in the user's keyring on the host", read_key},
    {"bpf", "make a BPF map", make_bpf_map, nullptr, Needs::kRoot},
    {"perf", "watch the kernel by a perf event", measure_performance, nullptr, Needs::kRoot},
    {"userfaultfd", "make a userfaultfd", catch_faults},
    {"module", "offer a kernel module", load_module, nullptr, Needs::kRoot},
    {"kernel-log", "read the kernel log", read_kernel_log, nullptr, Needs::kRoot},
    {"gain-privileges", "gain privileges by running a set-id program: no_new_privs is not set",
     [](const Ground&) { return succeeded_if(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0); }},
    {"terminal", "type into the terminal of the person outside", type_into_terminal,
     typed_into_terminal, Needs::kNothing, true},
};

}  // namespace

std::span<const Attempt> kernel() { return kAttempts; }

}  // namespace inmates
