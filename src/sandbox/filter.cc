// The program: check the architecture, then bisect the numbers. A leaf is the code for a run of
// numbers that are treated alike: one answer, or a few tests and an answer each.
#include "sandbox/filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/msdos_fs.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

#include "base/check.h"

namespace paddock::sandbox {
namespace {

using Instructions = std::vector<sock_filter>;

constexpr std::size_t kJumpMax = 255;

constexpr sock_filter statement(int code, std::uint32_t k) {
    return {static_cast<std::uint16_t>(code), 0, 0, k};
}

constexpr sock_filter jump(int code, std::uint32_t k, std::size_t if_true, std::size_t if_false) {
    return {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_true),
            static_cast<std::uint8_t>(if_false), k};
}

constexpr sock_filter load(std::size_t offset) {
    return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

constexpr sock_filter answer(std::uint32_t value) { return statement(BPF_RET | BPF_K, value); }

void append(Instructions& code, const Instructions& more) {
    code.insert(code.end(), more.begin(), more.end());
}

// The low half of an argument: both machines are little-endian.
constexpr std::size_t argument_offset(std::uint8_t argument) {
    return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
}

// Falls through if the test holds, else jumps over the `rest` instructions behind it.
Instructions test_code(const Test& test, std::size_t rest) {
    Instructions code{load(argument_offset(test.argument))};
    if (test.mask != 0xffffffff) {
        code.push_back(statement(BPF_ALU | BPF_AND | BPF_K, test.mask));
    }
    code.push_back(
        jump(BPF_JMP | BPF_JEQ | BPF_K, test.value, test.equal ? 0 : rest, test.equal ? rest : 0));
    return code;
}

Instructions rule_code(const Rule& rule) {
    Instructions code{answer(rule.answer)};
    for (std::size_t i = rule.tests.size(); i-- > 0;) {
        if (rule.tests[i].mask == 0) continue;
        Instructions tested = test_code(rule.tests[i], code.size());
        append(tested, code);
        code = std::move(tested);
    }
    return code;
}

bool is_known(Machine machine, int number) {
    for (const NumberRange& range : known_numbers(machine)) {
        if (number >= range.first && number <= range.last) return true;
    }
    return false;
}

using Rules = std::vector<const Rule*>;

// Those of the specification, for each number.
std::vector<Rules> rules_by_number(const FilterSpec& spec, int end) {
    std::vector<Rules> rules(static_cast<std::size_t>(end));
    for (const RuleGroup& group : rule_groups()) {
        if (!group.wanted(spec)) continue;
        for (const Rule& rule : group.rules) {
            const int number = rule.call.number(spec.machine);
            if (number != kNoNumber) rules.at(static_cast<std::size_t>(number)).push_back(&rule);
        }
    }
    return rules;
}

Instructions number_code(const Rules& rules) {
    Instructions code;
    for (const Rule* rule : rules) {
        append(code, rule_code(*rule));
        if (rule->tests[0].mask == 0) return code;
    }
    code.push_back(answer(SECCOMP_RET_ALLOW));
    return code;
}

// Numbers from `first` up to the next leaf's.
struct Leaf {
    int first = 0;
    Instructions code;
};

bool same(const Instructions& a, const Instructions& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].code != b[i].code || a[i].jt != b[i].jt || a[i].jf != b[i].jf || a[i].k != b[i].k)
            return false;
    }
    return true;
}

std::vector<Leaf> leaves_of(const FilterSpec& spec) {
    std::vector<Leaf> leaves;
    // The one behind the last known number stands for all others: x32, and negative ones.
    const int end = known_numbers(spec.machine).back().last + 1;
    const std::vector<Rules> rules = rules_by_number(spec, end);
    for (int number = 0; number <= end; ++number) {
        Instructions code = is_known(spec.machine, number)
                                ? number_code(rules[static_cast<std::size_t>(number)])
                                : Instructions{answer(SECCOMP_RET_ERRNO | ENOSYS)};
        if (!leaves.empty() && same(leaves.back().code, code)) continue;
        leaves.push_back({number, std::move(code)});
    }
    return leaves;
}

Instructions bisect(std::span<const Leaf> leaves) {
    if (leaves.size() == 1) return leaves[0].code;
    const std::size_t middle = leaves.size() / 2;
    const Instructions below = bisect(leaves.first(middle));
    const auto first = static_cast<std::uint32_t>(leaves[middle].first);
    Instructions code;
    if (below.size() <= kJumpMax) {
        code.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, first, below.size(), 0));
    } else {
        code.push_back(jump(BPF_JMP | BPF_JGE | BPF_K, first, 0, 1));
        code.push_back(statement(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(below.size())));
    }
    append(code, below);
    append(code, bisect(leaves.subspan(middle)));
    return code;
}

constexpr std::uint32_t architecture(Machine machine) {
    return machine == Machine::kX86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
}

}  // namespace

FilterSpec filter_without_namespaces(Inet inet, int landlock_abi) {
    FilterSpec spec;
    spec.inet = inet;
    spec.unix_sockets = landlock_abi >= 9;
    spec.sysv_ipc = false;
    spec.ptrace = landlock_abi >= 1;
    spec.own_processes = false;
    return spec;
}

std::vector<sock_filter> compile_filter(const FilterSpec& spec) {
    Instructions code{
        load(offsetof(seccomp_data, arch)),
        jump(BPF_JMP | BPF_JEQ | BPF_K, architecture(spec.machine), 1, 0),
        answer(SECCOMP_RET_ERRNO | EPERM),
        load(offsetof(seccomp_data, nr)),
    };
    append(code, bisect(leaves_of(spec)));
    PADDOCK_CHECK(code.size() <= BPF_MAXINSNS);
    return code;
}

namespace {

constexpr std::uint32_t deny(int error) {
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}
constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kTell = SECCOMP_RET_USER_NOTIF;
constexpr std::uint32_t kEperm = deny(EPERM);
constexpr std::uint32_t kEnosys = deny(ENOSYS);
constexpr std::uint32_t kEnotty = deny(ENOTTY);

constexpr std::uint32_t kWhole = 0xffffffff;

constexpr Test is(std::uint8_t argument, std::uint32_t value, std::uint32_t mask = kWhole) {
    return {argument, mask, value, true};
}
constexpr Test is_not(std::uint8_t argument, std::uint32_t value) {
    return {argument, kWhole, value, false};
}
constexpr Test has_any(std::uint8_t argument, std::uint32_t bits) {
    return {argument, bits, 0, false};
}

// Never useful to a command, or a way around the layers.
constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kUnshareHarmless =
    CLONE_FILES | CLONE_FS | CLONE_SYSVSEM | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;
constexpr std::uint32_t kEveryProcess = kWhole;    // -1
constexpr std::uint32_t kEveryProcessor = kWhole;  // -1
constexpr std::uint32_t kSetId = S_ISUID | S_ISGID;
constexpr std::uint32_t kMakesFile = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
constexpr std::uint32_t kSetDelegation = F_SETLEASE + 16;  // F_SETDELEG, Linux 6.19
constexpr std::uint32_t kIoctlType = std::uint32_t{_IOC_TYPEMASK} << _IOC_TYPESHIFT;
constexpr std::uint32_t kIoctlWay = std::uint32_t{_IOC_DIRMASK} << _IOC_DIRSHIFT;
constexpr std::uint32_t kIoctlIn = _IOC_WRITE << _IOC_DIRSHIFT;
constexpr std::uint32_t kFileAttributes = 'f' << _IOC_TYPESHIFT;  // FS_IOC_GETFLAGS and its like
constexpr std::uint32_t kBtrfs = 0x94U << _IOC_TYPESHIFT;
constexpr std::uint32_t kBcachefs = 0xbcU << _IOC_TYPESHIFT;
constexpr std::uint32_t kF2fs = 0xf5U << _IOC_TYPESHIFT;
constexpr Rule kAlways[] = {
    // Namespaces give capabilities, and with them a way around read-only mounts. The flags of
    // clone3 are in memory, so it must not exist; every C library falls back to clone.
    {{"unshare", 272, 97}, kEperm, {has_any(0, ~kUnshareHarmless)}},
    {{"clone", 56, 220}, kEperm, {has_any(0, kNamespaces)}},
    {{"clone3", 435, 435}, kEnosys},
    {{"setns", 308, 268}, kEperm},

    // The view. Reading it by number is left out too: /proc/self/mountinfo says it all.
    {{"mount", 165, 40}, kEperm},
    {{"umount2", 166, 39}, kEperm},
    {{"pivot_root", 155, 41}, kEperm},
    {{"chroot", 161, 51}, kEperm},
    {{"open_tree", 428, 428}, kEperm},
    {{"move_mount", 429, 429}, kEperm},
    {{"fsopen", 430, 430}, kEperm},
    {{"fsconfig", 431, 431}, kEperm},
    {{"fsmount", 432, 432}, kEperm},
    {{"fspick", 433, 433}, kEperm},
    {{"mount_setattr", 442, 442}, kEperm},
    {{"statmount", 457, 457}, kEnosys},
    {{"listmount", 458, 458}, kEnosys},
    {{"open_tree_attr", 467, 467}, kEperm},

    // A set-id file in the workspace would be one on the host, with the owner's rights there. The
    // mode of openat2 is in memory, so it must not exist: programs fall back to openat.
    {{"open", 2, kNoNumber}, kEperm, {has_any(1, kMakesFile), has_any(2, kSetId)}},
    {{"openat", 257, 56}, kEperm, {has_any(2, kMakesFile), has_any(3, kSetId)}},
    {{"openat2", 437, 437}, kEnosys},
    {{"creat", 85, kNoNumber}, kEperm, {has_any(1, kSetId)}},
    {{"mknod", 133, kNoNumber}, kEperm, {has_any(1, kSetId)}},
    {{"mknodat", 259, 33}, kEperm, {has_any(2, kSetId)}},
    {{"mknod", 133, kNoNumber}, kEperm, {is(1, S_IFCHR, S_IFMT)}},
    {{"mknod", 133, kNoNumber}, kEperm, {is(1, S_IFBLK, S_IFMT)}},
    {{"mknodat", 259, 33}, kEperm, {is(2, S_IFCHR, S_IFMT)}},
    {{"mknodat", 259, 33}, kEperm, {is(2, S_IFBLK, S_IFMT)}},

    // Files by number instead of by name pass by every check of names.
    {{"open_by_handle_at", 304, 265}, kEperm},
    {{"name_to_handle_at", 303, 264}, kEperm},
    {{"fanotify_init", 300, 262}, kEperm},

    // Does other system calls without the filter being asked.
    {{"io_uring_setup", 425, 425}, kEperm},
    {{"io_uring_enter", 426, 426}, kEperm},
    {{"io_uring_register", 427, 427}, kEperm},

    // Not divided by namespaces: the user's keys.
    {{"add_key", 248, 217}, kEperm},
    {{"request_key", 249, 218}, kEperm},
    {{"keyctl", 250, 219}, kEperm},

    // Much kernel behind little use: where local exploits come from.
    {{"bpf", 321, 280}, kEperm},
    {{"userfaultfd", 323, 282}, kEperm},
    {{"modify_ldt", 154, kNoNumber}, kEperm},
    {{"lookup_dcookie", 212, 18}, kEperm},
    {{"memfd_secret", 447, 447}, kEnosys},

    // Counting the events of one process, as perf stat does, and of no processor or control group.
    {{"perf_event_open", 298, 241}, kEperm, {is(1, kEveryProcess)}},
    {{"perf_event_open", 298, 241}, kEperm, {is_not(2, kEveryProcessor)}},
    {{"perf_event_open", 298, 241}, kEperm, {has_any(4, PERF_FLAG_PID_CGROUP)}},

    // Into other processes. A debugger has ptrace.
    {{"process_vm_readv", 310, 270}, kEperm},
    {{"process_vm_writev", 311, 271}, kEperm},
    {{"process_madvise", 440, 440}, kEperm},
    {{"pidfd_getfd", 438, 438}, kEperm},
    {{"kcmp", 312, 272}, kEperm},
    // The warden has the same user: whoever takes its limits away ends it.
    {{"prlimit64", 302, 261}, kAllow, {is(0, 0)}},
    {{"prlimit64", 302, 261}, kEperm},

    // The machine. All of it needs capabilities that a command does not have.
    {{"kexec_load", 246, 104}, kEperm},
    {{"kexec_file_load", 320, 294}, kEperm},
    {{"init_module", 175, 105}, kEperm},
    {{"finit_module", 313, 273}, kEperm},
    {{"delete_module", 176, 106}, kEperm},
    {{"reboot", 169, 142}, kEperm},
    {{"swapon", 167, 224}, kEperm},
    {{"swapoff", 168, 225}, kEperm},
    {{"acct", 163, 89}, kEperm},
    {{"quotactl", 179, 60}, kEperm},
    {{"quotactl_fd", 443, 443}, kEperm},
    {{"syslog", 103, 116}, kEperm},
    {{"iopl", 172, kNoNumber}, kEperm},
    {{"ioperm", 173, kNoNumber}, kEperm},
    {{"vhangup", 153, 58}, kEperm},
    {{"sethostname", 170, 161}, kEperm},
    {{"setdomainname", 171, 162}, kEperm},
    {{"settimeofday", 164, 170}, kEperm},
    {{"clock_settime", 227, 112}, kEperm},
    {{"adjtimex", 159, 171}, kEperm},
    {{"clock_adjtime", 305, 266}, kEperm},

    // Gone from Linux, or to go.
    {{"uselib", 134, kNoNumber}, kEnosys},
    {{"_sysctl", 156, kNoNumber}, kEnosys},
    {{"create_module", 174, kNoNumber}, kEnosys},
    {{"get_kernel_syms", 177, kNoNumber}, kEnosys},
    {{"query_module", 178, kNoNumber}, kEnosys},
    {{"nfsservctl", 180, 42}, kEnosys},

    // Other personalities are little used code. Debuggers and sanitizers turn off randomisation.
    {{"personality", 135, 92}, kAllow, {is(0, PER_LINUX)}},
    {{"personality", 135, 92}, kAllow, {is(0, ADDR_NO_RANDOMIZE)}},
    {{"personality", 135, 92}, kAllow, {is(0, kWhole)}},  // a question
    {{"personality", 135, 92}, kEperm},

    // What a command starts stays below it (command_start.cc), and is ended with it.
    {{"prctl", 157, 167}, kEperm, {is(0, PR_SET_CHILD_SUBREAPER), is(1, 0)}},
    {{"clone", 56, 220}, kEperm, {has_any(0, CLONE_PARENT)}},

    // Whoever holds a lease makes others wait who open the file, outside too. Refused as the kernel
    // refuses those who do not own it; what newer or smaller kernels do not know, as these do.
    {{"fcntl", 72, 25}, deny(EACCES), {is(1, F_SETLEASE)}},
    {{"fcntl", 72, 25}, deny(EINVAL), {is(1, F_NOTIFY)}},
    {{"fcntl", 72, 25}, deny(EINVAL), {is(1, kSetDelegation)}},

    // Changes by a descriptor that may only read: attributes, versions, verity, encryption; and
    // names, which btrfs and bcachefs make so. Refused as by a file system that does not know them.
    {{"ioctl", 16, 29}, kAllow, {is(1, FICLONE)}},
    {{"ioctl", 16, 29}, kAllow, {is(1, FICLONERANGE)}},
    {{"ioctl", 16, 29}, kAllow, {is(1, FIDEDUPERANGE)}},
    {{"ioctl", 16, 29}, kEnotty, {is(1, kBtrfs, kIoctlType)}},
    {{"ioctl", 16, 29}, kEnotty, {is(1, kBcachefs, kIoctlType)}},
    {{"ioctl", 16, 29}, kEnotty, {is(1, kF2fs, kIoctlType)}},
    {{"ioctl", 16, 29}, kEnotty, {is(1, kFileAttributes | kIoctlIn, kIoctlType | kIoctlWay)}},
    {{"ioctl", 16, 29}, kEnotty, {is(1, FS_IOC_SETVERSION)}},
    {{"ioctl", 16, 29}, kEnotty, {is(1, FS_IOC_FSSETXATTR)}},
    {{"ioctl", 16, 29}, kEnotty, {is(1, FS_IOC_SET_ENCRYPTION_POLICY)}},
    {{"ioctl", 16, 29}, kEnotty, {is(1, FAT_IOCTL_SET_ATTRIBUTES)}},
    {{"file_getattr", 468, 468}, kEnosys},
    {{"file_setattr", 469, 469}, kEnosys},

    // Terminals: typing into that of the person outside, and line disciplines.
    {{"ioctl", 16, 29}, kEperm, {is(1, TIOCSTI)}},
    {{"ioctl", 16, 29}, kEperm, {is(1, TIOCLINUX)}},
    {{"ioctl", 16, 29}, kEperm, {is(1, TIOCCONS)}},
    {{"ioctl", 16, 29}, kEperm, {is(1, TIOCSETD)}},
};

// A set-gid directory is harmless, but a mode does not tell what gets it. The gate looks.
constexpr Rule kSetIdModes[] = {
    {{"chmod", 90, kNoNumber}, kEperm, {has_any(1, kSetId)}},
    {{"fchmod", 91, 52}, kEperm, {has_any(1, kSetId)}},
    {{"fchmodat", 268, 53}, kEperm, {has_any(2, kSetId)}},
    {{"fchmodat2", 452, 452}, kEperm, {has_any(2, kSetId)}},
};

constexpr std::uint32_t kIoPriorityOfProcess = 1;

constexpr Rule kTrace[] = {{{"ptrace", 101, 117}, kEperm}};

// The host's, where there is no pid namespace: those of the same user could be slowed down.
constexpr Rule kOtherProcesses[] = {
    {{"setpriority", 141, 140}, kAllow, {is(0, PRIO_PROCESS), is(1, 0)}},
    {{"setpriority", 141, 140}, kEperm},
    {{"ioprio_set", 251, 30}, kAllow, {is(0, kIoPriorityOfProcess), is(1, 0)}},
    {{"ioprio_set", 251, 30}, kEperm},
    {{"sched_setaffinity", 203, 122}, kAllow, {is(0, 0)}},
    {{"sched_setaffinity", 203, 122}, kEperm},
    {{"sched_setparam", 142, 118}, kAllow, {is(0, 0)}},
    {{"sched_setparam", 142, 118}, kEperm},
    {{"sched_setscheduler", 144, 119}, kAllow, {is(0, 0)}},
    {{"sched_setscheduler", 144, 119}, kEperm},
    {{"sched_setattr", 314, 274}, kAllow, {is(0, 0)}},
    {{"sched_setattr", 314, 274}, kEperm},
};

// The host's own, where there is no ipc namespace.
constexpr Rule kSysvIpc[] = {
    {{"shmget", 29, 194}, kEperm},      {{"shmat", 30, 196}, kEperm},
    {{"shmctl", 31, 195}, kEperm},      {{"semget", 64, 190}, kEperm},
    {{"semop", 65, 193}, kEperm},       {{"semctl", 66, 191}, kEperm},
    {{"semtimedop", 220, 192}, kEperm}, {{"msgget", 68, 186}, kEperm},
    {{"msgsnd", 69, 189}, kEperm},      {{"msgrcv", 70, 188}, kEperm},
    {{"msgctl", 71, 187}, kEperm},      {{"mq_open", 240, 180}, kEperm},
    {{"mq_unlink", 241, 181}, kEperm},
};

// A set may have 32000 semaphores, each with a line of the processor's cache: two megabytes of the
// kernel's memory for one call, and 32000 calls. The error is that of a kernel with a lower limit.
constexpr std::uint32_t kManySemaphores = ~0xffU;
constexpr Rule kLargeSets[] = {
    {{"semget", 64, 190}, deny(EINVAL), {has_any(1, kManySemaphores)}},
};

// Sockets: an allow-list of family, type and protocol. Refused with the errno of a kernel that was
// built without them, which programs expect; raw ones with that of a missing capability.
constexpr SystemCall kSocket{"socket", 41, 198};
constexpr std::uint32_t kTypeMask = 0xf;  // the rest are flags
constexpr Test type_is(std::uint32_t type) { return is(1, type, kTypeMask); }

constexpr Rule kUnixSockets[] = {{kSocket, kAllow, {is(0, AF_UNIX)}}};

// No Multipath TCP, SCTP or SMC: Landlock's TCP rules do not see them.
constexpr Rule kTcpSockets[] = {
    {kSocket, kAllow, {is(0, AF_INET), type_is(SOCK_STREAM), is(2, 0)}},
    {kSocket, kAllow, {is(0, AF_INET), type_is(SOCK_STREAM), is(2, IPPROTO_TCP)}},
    {kSocket, kAllow, {is(0, AF_INET6), type_is(SOCK_STREAM), is(2, 0)}},
    {kSocket, kAllow, {is(0, AF_INET6), type_is(SOCK_STREAM), is(2, IPPROTO_TCP)}},
};

// Fast open connects without asking Landlock.
constexpr Rule kFastOpen[] = {
    {{"sendto", 44, 206}, kEperm, {has_any(3, MSG_FASTOPEN)}},
    {{"sendmsg", 46, 211}, kEperm, {has_any(2, MSG_FASTOPEN)}},
    {{"sendmmsg", 307, 269}, kEperm, {has_any(3, MSG_FASTOPEN)}},
};

constexpr Rule kOtherInetSockets[] = {
    {kSocket, kAllow, {is(0, AF_INET), type_is(SOCK_DGRAM), is(2, 0)}},
    {kSocket, kAllow, {is(0, AF_INET), type_is(SOCK_DGRAM), is(2, IPPROTO_UDP)}},
    {kSocket, kAllow, {is(0, AF_INET), type_is(SOCK_DGRAM), is(2, IPPROTO_ICMP)}},
    {kSocket, kAllow, {is(0, AF_INET6), type_is(SOCK_DGRAM), is(2, 0)}},
    {kSocket, kAllow, {is(0, AF_INET6), type_is(SOCK_DGRAM), is(2, IPPROTO_UDP)}},
    {kSocket, kAllow, {is(0, AF_INET6), type_is(SOCK_DGRAM), is(2, IPPROTO_ICMPV6)}},
    {kSocket, kAllow, {is(0, AF_NETLINK), type_is(SOCK_RAW), is(2, NETLINK_ROUTE)}},
    {kSocket, kAllow, {is(0, AF_NETLINK), type_is(SOCK_DGRAM), is(2, NETLINK_ROUTE)}},
};

constexpr Rule kRefusedInetSockets[] = {
    {kSocket, kEperm, {is(0, AF_INET), type_is(SOCK_RAW)}},
    {kSocket, kEperm, {is(0, AF_INET6), type_is(SOCK_RAW)}},
    {kSocket, deny(EPROTONOSUPPORT), {is(0, AF_INET)}},
    {kSocket, deny(EPROTONOSUPPORT), {is(0, AF_INET6)}},
};

constexpr Rule kOtherSockets[] = {
    {kSocket, deny(EAFNOSUPPORT)},
    {{"socketpair", 53, 199}, kAllow, {is(0, AF_UNIX)}},
    {{"socketpair", 53, 199}, deny(EAFNOSUPPORT)},
};

// What the observer hears of.
constexpr std::uint32_t kWriteFlags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
constexpr Rule kObserved[] = {
    {{"open", 2, kNoNumber}, kTell, {has_any(1, kWriteFlags)}},
    {{"openat", 257, 56}, kTell, {has_any(2, kWriteFlags)}},
    {{"creat", 85, kNoNumber}, kTell},
    {{"truncate", 76, 45}, kTell},
    {{"mkdir", 83, kNoNumber}, kTell},
    {{"mkdirat", 258, 34}, kTell},
    {{"mknod", 133, kNoNumber}, kTell},
    {{"mknodat", 259, 33}, kTell},
    {{"symlink", 88, kNoNumber}, kTell},
    {{"symlinkat", 266, 36}, kTell},
    {{"link", 86, kNoNumber}, kTell},
    {{"linkat", 265, 37}, kTell},
    {{"rename", 82, kNoNumber}, kTell},
    {{"renameat", 264, 38}, kTell},
    {{"renameat2", 316, 276}, kTell},
    {{"unlink", 87, kNoNumber}, kTell},
    {{"unlinkat", 263, 35}, kTell},
    {{"rmdir", 84, kNoNumber}, kTell},
    {{"connect", 42, 203}, kTell},
};

// What the gate performs besides.
constexpr Rule kGated[] = {
    {{"chmod", 90, kNoNumber}, kTell},
    {{"fchmod", 91, 52}, kTell},
    {{"fchmodat", 268, 53}, kTell},
    {{"fchmodat2", 452, 452}, kTell},
    {{"bind", 49, 200}, kTell},
    // An ACL is an attribute, and changes the mode.
    {{"setxattr", 188, 5}, kTell},
    {{"lsetxattr", 189, 6}, kTell},
    {{"fsetxattr", 190, 7}, kTell},
    {{"removexattr", 197, 14}, kTell},
    {{"lremovexattr", 198, 15}, kTell},
    {{"fremovexattr", 199, 16}, kTell},
    // Their arguments are in memory. Programs fall back to the calls above.
    {{"setxattrat", 463, 463}, kEnosys},
    {{"removexattrat", 466, 466}, kEnosys},
};

constexpr RuleGroup kGroups[] = {
    {[](const FilterSpec&) { return true; }, kAlways},
    {[](const FilterSpec& spec) { return !spec.gate; }, kSetIdModes},
    {[](const FilterSpec& spec) { return !spec.ptrace; }, kTrace},
    {[](const FilterSpec& spec) { return !spec.own_processes; }, kOtherProcesses},
    {[](const FilterSpec& spec) { return !spec.sysv_ipc; }, kSysvIpc},
    {[](const FilterSpec& spec) { return spec.sysv_ipc; }, kLargeSets},
    {[](const FilterSpec& spec) { return spec.unix_sockets; }, kUnixSockets},
    {[](const FilterSpec& spec) { return spec.inet != Inet::kNone; }, kTcpSockets},
    {[](const FilterSpec& spec) { return spec.inet == Inet::kTcp; }, kFastOpen},
    {[](const FilterSpec& spec) { return spec.inet == Inet::kAll; }, kOtherInetSockets},
    {[](const FilterSpec& spec) { return spec.inet != Inet::kNone; }, kRefusedInetSockets},
    {[](const FilterSpec&) { return true; }, kOtherSockets},
    {[](const FilterSpec& spec) { return spec.observe; }, kObserved},
    {[](const FilterSpec& spec) { return spec.gate; }, kGated},
};

// x86_64 335 and 336 are how the kernel's own probes return; elsewhere they end the caller.
constexpr NumberRange kKnownX86[] = {{0, 336}, {424, 469}};
constexpr NumberRange kKnownArm[] = {{0, 294}, {424, 469}};

}  // namespace

std::span<const RuleGroup> rule_groups() { return kGroups; }

std::span<const NumberRange> known_numbers(Machine machine) {
    if (machine == Machine::kX86_64) return kKnownX86;
    return kKnownArm;
}

}  // namespace paddock::sandbox
