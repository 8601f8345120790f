// The filter in user space: against its own table, read naively, and against calls written down
// here one by one. tests/sandbox/filter_installed_test.cc asks the kernel.
#include "sandbox/filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "sandbox/bpf_machine.h"
#include "sandbox/observer.h"

namespace paddock::sandbox {
namespace {

using Arguments = std::array<std::uint64_t, 6>;
using Values = std::initializer_list<std::uint64_t>;
using testing::run_filter;

constexpr std::uint64_t kHigh = 0xdeadbeef00000000;
constexpr std::uint32_t kAllowed = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kTold = SECCOMP_RET_USER_NOTIF;
constexpr int kX32Bit = 0x40000000;

constexpr std::uint32_t denied(int error) {
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

std::uint32_t architecture(Machine machine) {
    return machine == Machine::kX86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
}

seccomp_data call_of(Machine machine, int number, const Arguments& arguments) {
    seccomp_data call{};
    call.nr = number;
    call.arch = architecture(machine);
    std::copy(arguments.begin(), arguments.end(), call.args);
    return call;
}

// Each switch on its own and all together, on both machines.
std::vector<FilterSpec> all_specs() {
    std::vector<FilterSpec> specs;
    for (const Machine machine : {Machine::kX86_64, Machine::kAarch64}) {
        specs.push_back({machine, Inet::kNone, false, false, false, false});
        specs.push_back({machine, Inet::kTcp, false, false, true, false});
        specs.push_back({machine, Inet::kAll, true, true, true, false});
        specs.push_back({machine, Inet::kAll, true, true, true, true});
        specs.push_back({machine, Inet::kNone, true, false, false, true});
        specs.push_back({machine, Inet::kNone, true, false, true, true, false});
    }
    return specs;
}

// The table, read rule by rule.
bool holds(const Test& test, const Arguments& arguments) {
    if (test.mask == 0) return true;
    const auto low = static_cast<std::uint32_t>(arguments[test.argument]);
    return ((low & test.mask) == test.value) == test.equal;
}

std::vector<Rule> rules_for(const FilterSpec& spec, int number) {
    std::vector<Rule> rules;
    for (const RuleGroup& group : rule_groups()) {
        if (!group.wanted(spec)) continue;
        for (const Rule& rule : group.rules) {
            if (rule.call.number(spec.machine) == number) rules.push_back(rule);
        }
    }
    return rules;
}

std::uint32_t answer_by_table(const FilterSpec& spec, int number, const Arguments& arguments) {
    const auto known = known_numbers(spec.machine);
    if (std::none_of(known.begin(), known.end(), [&](const NumberRange& range) {
            return number >= range.first && number <= range.last;
        })) {
        return denied(ENOSYS);
    }
    for (const Rule& rule : rules_for(spec, number)) {
        if (std::all_of(rule.tests.begin(), rule.tests.end(),
                        [&](const Test& test) { return holds(test, arguments); })) {
            return rule.answer;
        }
    }
    return kAllowed;
}

// For each argument that a rule of this call looks at, values at and around every boundary.
std::map<std::size_t, std::set<std::uint64_t>> values_for(const std::vector<Rule>& rules) {
    std::map<std::size_t, std::set<std::uint64_t>> values;
    for (const Rule& rule : rules) {
        const bool alone = rule.tests[1].mask == 0;
        for (const Test& test : rule.tests) {
            if (test.mask == 0) continue;
            std::set<std::uint64_t>& of = values[test.argument];
            of.insert({0, test.value, (test.value | ~test.mask) & 0xffffffff, test.value + 1});
            for (unsigned bit = 0; alone && bit < 32; ++bit) of.insert(test.value ^ (1U << bit));
        }
    }
    return values;
}

// Every combination of them, each with and without the upper halves set.
std::vector<Arguments> arguments_for(const std::vector<Rule>& rules) {
    const auto values = values_for(rules);
    std::vector<Arguments> made{{}};
    for (const auto& [argument, of] : values) {
        std::vector<Arguments> longer;
        for (const Arguments& so_far : made) {
            for (const std::uint64_t value : of) {
                longer.push_back(so_far);
                longer.back()[argument] = value;
            }
        }
        made = std::move(longer);
    }
    for (std::size_t i = made.size(); i-- > 0;) {
        made.push_back(made[i]);
        for (std::uint64_t& argument : made.back()) argument |= kHigh;
    }
    return made;
}

TEST(Filter, says_what_the_table_says) {
    for (const FilterSpec& spec : all_specs()) {
        const auto program = compile_filter(spec);
        for (int number = 0; number <= 600; ++number) {
            for (const Arguments& arguments : arguments_for(rules_for(spec, number))) {
                const auto verdict = run_filter(program, call_of(spec.machine, number, arguments));
                ASSERT_EQ(verdict.answer, answer_by_table(spec, number, arguments))
                    << "call " << number << " with " << std::hex << arguments[0] << ' '
                    << arguments[1] << ' ' << arguments[2] << ' ' << arguments[3];
            }
        }
    }
}

TEST(Filter, refuses_other_architectures_and_unknown_numbers) {
    for (const FilterSpec& spec : all_specs()) {
        const auto program = compile_filter(spec);
        seccomp_data call = call_of(spec.machine, 0, {});
        for (const std::uint32_t other :
             {std::uint32_t{AUDIT_ARCH_I386}, std::uint32_t{AUDIT_ARCH_ARM}, std::uint32_t{0},
              architecture(spec.machine) ^ __AUDIT_ARCH_64BIT,
              architecture(spec.machine) ^ __AUDIT_ARCH_LE}) {
            call.arch = other;
            for (call.nr = 0; call.nr < 600; ++call.nr) {
                ASSERT_EQ(run_filter(program, call).answer, denied(EPERM));
            }
        }
        for (const int number : {470, 500, 1 << 20, 0x7fffffff, -1, -2147483647 - 1}) {
            EXPECT_EQ(run_filter(program, call_of(spec.machine, number, {})).answer, denied(ENOSYS))
                << number;
        }
        for (int number = 0; number < 600; ++number) {  // x32 has numbers of its own from 512 on
            const auto verdict = run_filter(program, call_of(spec.machine, number | kX32Bit, {}));
            ASSERT_EQ(verdict.answer, denied(ENOSYS)) << number;
        }
    }
}

TEST(Filter, costs_little) {
    for (const FilterSpec& spec : all_specs()) {
        const auto program = compile_filter(spec);
        EXPECT_LT(program.size(), 500U);
        for (int number = 0; number < 600; ++number) {
            if (!rules_for(spec, number).empty()) continue;
            const auto verdict = run_filter(program, call_of(spec.machine, number, {}));
            EXPECT_FALSE(verdict.looked_at_arguments) << number;
            EXPECT_LE(verdict.steps, 13) << number;
        }
    }
}

TEST(Filter, what_is_told_is_understood) {
    FilterSpec spec;
    spec.observe = true;
    const auto program = compile_filter(spec);
    constexpr Arguments kAll = {0xffffffff, 0xffffffff, 0777};
    constexpr Arguments kHere = {static_cast<std::uint32_t>(AT_FDCWD)};
    for (int number = 0; number < 600; ++number) {
        const bool told =
            run_filter(program, call_of(kThisMachine, number, kAll)).answer == kTold ||
            run_filter(program, call_of(kThisMachine, number, kHere)).answer == kTold;
        EXPECT_EQ(told, observed_call(number) != nullptr) << number;
    }
}

// name -> number, from the headers of the C library's kernel interface.
std::map<std::string, int> numbers_in(const std::vector<std::string>& headers) {
    std::map<std::string, int> numbers;
    for (const std::string& header : headers) {
        std::ifstream text(header);
        const std::regex line(R"(#define __NR(?:3264)?_(\w+)\s+(\d+)\s*)");
        std::smatch parts;
        for (std::string one; std::getline(text, one);) {
            if (std::regex_match(one, parts, line)) numbers[parts[1]] = std::stoi(parts[2]);
        }
    }
    return numbers;
}

TEST(Filter, numbers_are_those_of_the_headers) {
    const std::map<std::string, int> x86_64 = numbers_in(
        {"/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"});
    const std::map<std::string, int> aarch64 = numbers_in({"/usr/include/asm-generic/unistd.h"});
    if (x86_64.empty() || aarch64.empty())
        GTEST_SKIP() << "needs the kernel's headers for both architectures (linux-libc-dev)";
    constexpr int kNewestHere = 450;  // Debian 12's headers end there; later ones are the same
    int compared = 0;
    for (const RuleGroup& group : rule_groups()) {
        for (const Rule& rule : group.rules) {
            const auto expect = [&](const std::map<std::string, int>& numbers, int number) {
                const auto found = numbers.find(std::string(rule.call.name));
                const int right = found == numbers.end() ? kNoNumber : found->second;
                if (right == kNoNumber && number > kNewestHere) return;
                EXPECT_EQ(number, right) << rule.call.name;
                ++compared;
            };
            expect(x86_64, rule.call.x86_64);
            expect(aarch64, rule.call.aarch64);
        }
    }
    EXPECT_GT(compared, 150);
}

// What this machine's kernel would be told, for calls written down by hand.
class OnThisMachine : public ::testing::Test {
protected:
    std::uint32_t ask(long number, const Arguments& arguments = {}) const {
        return run_filter(compile_filter(spec),
                          call_of(kThisMachine, static_cast<int>(number), arguments))
            .answer;
    }
    std::uint32_t socket(int family, int type, int protocol) const {
        return ask(SYS_socket,
                   {static_cast<std::uint64_t>(family), static_cast<std::uint64_t>(type),
                    static_cast<std::uint64_t>(protocol)});
    }

    FilterSpec spec;
};

TEST_F(OnThisMachine, everyday_calls_pass) {
    for (const long number : {SYS_read,
                              SYS_write,
                              SYS_openat,
                              SYS_close,
                              SYS_mmap,
                              SYS_execve,
                              SYS_exit_group,
                              SYS_kill,
                              SYS_wait4,
                              SYS_pipe2,
                              SYS_futex,
                              SYS_rseq,
                              SYS_prctl,
                              SYS_seccomp,
                              SYS_bind,
                              SYS_listen,
                              SYS_connect,
                              SYS_ptrace,
                              SYS_statx,
                              SYS_setsid,
                              SYS_memfd_create,
                              SYS_pidfd_open,
                              SYS_shmget,
                              SYS_mq_open,
                              SYS_copy_file_range,
                              SYS_setxattr,
                              SYS_landlock_create_ruleset,
                              SYS_close_range,
                              SYS_faccessat2}) {
        EXPECT_EQ(ask(number), kAllowed) << number;
    }
    EXPECT_EQ(ask(SYS_fchmodat, {0, 0, 0755}), kAllowed);
    EXPECT_EQ(ask(SYS_ioctl, {1, TIOCGWINSZ}), kAllowed);
    EXPECT_EQ(ask(SYS_mknodat, {0, 0, S_IFIFO | 0600}), kAllowed);
}

TEST_F(OnThisMachine, namespaces_cannot_be_made) {
    for (const std::uint64_t flag : Values{CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
                                           CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
        EXPECT_EQ(ask(SYS_unshare, {flag}), denied(EPERM));
        EXPECT_EQ(ask(SYS_unshare, {flag | kHigh}), denied(EPERM));
        EXPECT_EQ(ask(SYS_clone, {flag | SIGCHLD}), denied(EPERM));
        EXPECT_EQ(ask(SYS_clone, {flag | SIGCHLD | kHigh}), denied(EPERM));
    }
    EXPECT_EQ(ask(SYS_unshare, {0x80}), denied(EPERM)) << "a time namespace";
    EXPECT_EQ(ask(SYS_unshare, {CLONE_FILES | CLONE_FS}), kAllowed);
    EXPECT_EQ(ask(SYS_clone, {SIGCHLD}), kAllowed);
    EXPECT_EQ(ask(SYS_clone, {0x3d0f00}), kAllowed) << "a thread";
    EXPECT_EQ(ask(SYS_clone3), denied(ENOSYS));
    EXPECT_EQ(ask(SYS_setns), denied(EPERM));
}

TEST_F(OnThisMachine, what_a_command_starts_stays_below_it) {
    EXPECT_EQ(ask(SYS_prctl, {PR_SET_CHILD_SUBREAPER, 0}), denied(EPERM));
    EXPECT_EQ(ask(SYS_prctl, {PR_SET_CHILD_SUBREAPER | kHigh, 0}), denied(EPERM));
    EXPECT_EQ(ask(SYS_prctl, {PR_SET_CHILD_SUBREAPER, 1}), kAllowed);
    EXPECT_EQ(ask(SYS_prctl, {PR_SET_NAME, 0}), kAllowed);
    EXPECT_EQ(ask(SYS_clone, {CLONE_PARENT | SIGCHLD}), denied(EPERM));
    EXPECT_EQ(ask(SYS_clone, {CLONE_PARENT | CLONE_VM | SIGCHLD | kHigh}), denied(EPERM));
}

TEST_F(OnThisMachine, sets_of_semaphores_are_small) {
    for (const std::uint64_t count : Values{0, 1, 17, 250, 255}) {
        EXPECT_EQ(ask(SYS_semget, {0, count, 0600}), kAllowed) << count;
        EXPECT_EQ(ask(SYS_semget, {0, count | kHigh, 0600}), kAllowed) << "an int";
    }
    for (const std::uint64_t count : Values{256, 32000, 0x7fffff00, 0x80000000}) {
        EXPECT_EQ(ask(SYS_semget, {0, count, 0600}), denied(EINVAL)) << count;
    }
}

TEST_F(OnThisMachine, terminals_cannot_be_typed_into) {
    for (const std::uint64_t request : Values{TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD}) {
        EXPECT_EQ(ask(SYS_ioctl, {0, request}), denied(EPERM));
        EXPECT_EQ(ask(SYS_ioctl, {0, request | kHigh}), denied(EPERM));
        EXPECT_EQ(ask(SYS_ioctl, {0, request | 0x100000000}), denied(EPERM));
    }
}

TEST_F(OnThisMachine, leases_cannot_be_taken) {
    EXPECT_EQ(ask(SYS_fcntl, {0, F_SETLEASE, F_WRLCK}), denied(EACCES));
    EXPECT_EQ(ask(SYS_fcntl, {0, F_SETLEASE | kHigh, F_RDLCK}), denied(EACCES));
    EXPECT_EQ(ask(SYS_fcntl, {0, F_NOTIFY, 0}), denied(EINVAL));
    EXPECT_EQ(ask(SYS_fcntl, {0, 1040, 0}), denied(EINVAL)) << "F_SETDELEG";
    for (const std::uint64_t request : Values{F_GETLEASE, F_DUPFD, F_DUPFD_CLOEXEC, F_SETFL,
                                              F_SETLKW, F_OFD_SETLK, F_SETPIPE_SZ, F_ADD_SEALS}) {
        EXPECT_EQ(ask(SYS_fcntl, {0, request}), kAllowed) << request;
    }
}

TEST_F(OnThisMachine, attributes_cannot_be_set_by_a_reading_descriptor) {
    constexpr std::uint64_t kSubvolume = 0x5000940e;    // BTRFS_IOC_SUBVOL_CREATE
    constexpr std::uint64_t kSnapshot = 0x50009401;     // BTRFS_IOC_SNAP_CREATE
    constexpr std::uint64_t kSnapshotV2 = 0x50009417;   // BTRFS_IOC_SNAP_CREATE_V2
    constexpr std::uint64_t kSubvolumeV2 = 0x50009418;  // BTRFS_IOC_SUBVOL_CREATE_V2
    for (const std::uint64_t request :
         Values{FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR,
                FS_IOC_ENABLE_VERITY, FS_IOC_SET_ENCRYPTION_POLICY, kSubvolume, kSnapshot,
                kSnapshotV2, kSubvolumeV2}) {
        EXPECT_EQ(ask(SYS_ioctl, {0, request}), denied(ENOTTY)) << std::hex << request;
        EXPECT_EQ(ask(SYS_ioctl, {0, request | kHigh}), denied(ENOTTY)) << std::hex << request;
    }
    for (const std::uint64_t request :
         Values{FS_IOC_GETFLAGS, FS_IOC_GETVERSION, FS_IOC_FSGETXATTR, FS_IOC_FIEMAP, FICLONE,
                FICLONERANGE, FIDEDUPERANGE, FIONREAD, FIONBIO, FIOCLEX, TCGETS, TIOCGPGRP}) {
        EXPECT_EQ(ask(SYS_ioctl, {0, request}), kAllowed) << std::hex << request;
    }
    EXPECT_EQ(ask(468), denied(ENOSYS)) << "file_getattr";
    EXPECT_EQ(ask(469), denied(ENOSYS)) << "file_setattr";
}

TEST_F(OnThisMachine, events_are_counted_of_one_process_and_of_no_processor) {
    constexpr std::uint64_t kEvery = ~std::uint64_t{0};
    const auto events = [&](std::uint64_t process, std::uint64_t processor, std::uint64_t flags) {
        return ask(SYS_perf_event_open, {0, process, processor, kEvery, flags});
    };
    EXPECT_EQ(events(0, kEvery, 0), kAllowed);
    EXPECT_EQ(events(0, kEvery, PERF_FLAG_FD_CLOEXEC), kAllowed);
    EXPECT_EQ(events(4711, kEvery, 0), kAllowed) << "a child; the kernel asks whether it may";
    EXPECT_EQ(events(0, kEvery & 0xffffffff, 0), kAllowed);
    EXPECT_EQ(events(kEvery, kEvery, 0), denied(EPERM));
    EXPECT_EQ(events(kEvery, 0, 0), denied(EPERM));
    EXPECT_EQ(events(kEvery & 0xffffffff, kEvery, 0), denied(EPERM));
    EXPECT_EQ(events(0, 0, 0), denied(EPERM));
    EXPECT_EQ(events(3, kEvery, PERF_FLAG_PID_CGROUP), denied(EPERM));
}

TEST_F(OnThisMachine, set_id_files_cannot_be_made) {
    for (const std::uint64_t mode : Values{04755U, 02755U, 06000U}) {
        EXPECT_EQ(ask(SYS_fchmod, {0, mode}), denied(EPERM));
        EXPECT_EQ(ask(SYS_fchmodat, {0, 0, mode | kHigh}), denied(EPERM));
        EXPECT_EQ(ask(452, {0, 0, mode}), denied(EPERM)) << "fchmodat2";
    }
    EXPECT_EQ(ask(SYS_fchmod, {0, 01777}), kAllowed) << "sticky";
    EXPECT_EQ(ask(447, {}), denied(ENOSYS)) << "memfd_secret";
    // Made with the bit and without x for the group, a file keeps it when it is written; an ACL
    // then gives the x.
    EXPECT_EQ(ask(SYS_openat, {0, 0, O_CREAT | O_RDWR, 02745}), denied(EPERM));
    EXPECT_EQ(ask(SYS_openat, {0, 0, O_TMPFILE | O_RDWR, 04755}), denied(EPERM));
    EXPECT_EQ(ask(SYS_openat, {0, 0, O_RDONLY | O_DIRECTORY, 02745}), kAllowed) << "no mode";
    EXPECT_EQ(ask(SYS_openat, {0, 0, O_CREAT | O_RDWR, 0666}), kAllowed);
    EXPECT_EQ(ask(SYS_mknodat, {0, 0, S_IFREG | 02745}), denied(EPERM));
    EXPECT_EQ(ask(SYS_openat2, {}), denied(ENOSYS));
    EXPECT_EQ(ask(SYS_mknodat, {0, 0, S_IFCHR}), denied(EPERM));
    EXPECT_EQ(ask(SYS_mknodat, {0, 0, S_IFBLK | 0600 | kHigh}), denied(EPERM));
}

TEST_F(OnThisMachine, leaves_the_limits_and_priorities_of_others_alone) {
    EXPECT_EQ(ask(SYS_prlimit64, {0, RLIMIT_NOFILE}), kAllowed);
    EXPECT_EQ(ask(SYS_prlimit64, {1, RLIMIT_NOFILE}), denied(EPERM)) << "the warden";
    EXPECT_EQ(ask(SYS_sched_setaffinity, {7}), kAllowed) << "a thread, in its own namespace";
    spec = filter_without_namespaces(Inet::kNone, 9);
    EXPECT_EQ(ask(SYS_sched_setaffinity, {7}), denied(EPERM));
    EXPECT_EQ(ask(SYS_setpriority, {PRIO_PROCESS, 0}), kAllowed);
    EXPECT_EQ(ask(SYS_setpriority, {PRIO_USER, 0}), denied(EPERM));
}

TEST_F(OnThisMachine, personalities_are_three) {
    EXPECT_EQ(ask(SYS_personality, {0}), kAllowed);
    EXPECT_EQ(ask(SYS_personality, {0x40000}), kAllowed);
    EXPECT_EQ(ask(SYS_personality, {0xffffffff}), kAllowed);
    for (const std::uint64_t other : Values{1U, 8U, 0x400000U, 0x440000U, 0x800000U, 0xfffffffeU}) {
        EXPECT_EQ(ask(SYS_personality, {other}), denied(EPERM)) << other;
    }
}

TEST_F(OnThisMachine, families_are_an_allow_list) {
    for (int family = 0; family < 64; ++family) {
        const bool listed = family == AF_UNIX || family == AF_INET || family == AF_INET6;
        EXPECT_EQ(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0),
                  listed ? kAllowed : denied(EAFNOSUPPORT))
            << family;
        EXPECT_EQ(ask(SYS_socketpair, {static_cast<std::uint64_t>(family), SOCK_STREAM}),
                  family == AF_UNIX ? kAllowed : denied(EAFNOSUPPORT))
            << family;
    }
    EXPECT_EQ(ask(SYS_socket, {AF_VSOCK | kHigh, SOCK_STREAM}), denied(EAFNOSUPPORT));
    EXPECT_EQ(ask(SYS_socket, {AF_UNIX | kHigh, SOCK_STREAM}), kAllowed) << "the kernel's reading";
}

TEST_F(OnThisMachine, types_and_protocols_are_an_allow_list) {
    for (const int family : {AF_INET, AF_INET6}) {
        EXPECT_EQ(socket(family, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP), kAllowed);
        EXPECT_EQ(socket(family, SOCK_STREAM, IPPROTO_TCP), kAllowed);
        EXPECT_EQ(socket(family, SOCK_RAW, IPPROTO_TCP), denied(EPERM));
        EXPECT_EQ(socket(family, SOCK_STREAM, 262), denied(EPROTONOSUPPORT)) << "Multipath TCP";
        EXPECT_EQ(socket(family, SOCK_STREAM, IPPROTO_SCTP), denied(EPROTONOSUPPORT));
        EXPECT_EQ(socket(family, SOCK_SEQPACKET, 0), denied(EPROTONOSUPPORT));
        EXPECT_EQ(socket(family, SOCK_PACKET, 0), denied(EPROTONOSUPPORT));
    }
    EXPECT_EQ(socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP), kAllowed) << "ping";
    EXPECT_EQ(socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMPV6), denied(EPROTONOSUPPORT));
    EXPECT_EQ(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0), kAllowed) << "getifaddrs";
    for (int protocol = 1; protocol < 32; ++protocol) {
        EXPECT_EQ(socket(AF_NETLINK, SOCK_RAW, protocol), denied(EAFNOSUPPORT)) << protocol;
    }
}

TEST_F(OnThisMachine, without_namespaces_more_is_refused) {
    spec = filter_without_namespaces(Inet::kNone, 7);
    EXPECT_EQ(socket(AF_UNIX, SOCK_STREAM, 0), denied(EAFNOSUPPORT));
    EXPECT_EQ(socket(AF_INET, SOCK_STREAM, 0), denied(EAFNOSUPPORT));
    EXPECT_EQ(socket(AF_NETLINK, SOCK_RAW, 0), denied(EAFNOSUPPORT));
    EXPECT_EQ(ask(SYS_socketpair, {AF_UNIX, SOCK_STREAM}), kAllowed);
    EXPECT_EQ(ask(SYS_shmget), denied(EPERM));
    EXPECT_EQ(ask(SYS_shmat), denied(EPERM));
    EXPECT_EQ(ask(SYS_ptrace), kAllowed);

    spec = filter_without_namespaces(Inet::kTcp, 9);
    EXPECT_EQ(socket(AF_UNIX, SOCK_STREAM, 0), kAllowed);
    EXPECT_EQ(socket(AF_INET, SOCK_STREAM, 0), kAllowed);
    EXPECT_EQ(socket(AF_INET, SOCK_DGRAM, 0), denied(EPROTONOSUPPORT));
    EXPECT_EQ(socket(AF_INET, SOCK_STREAM, 262), denied(EPROTONOSUPPORT));
    EXPECT_EQ(ask(SYS_sendto, {0, 0, 0, MSG_FASTOPEN}), denied(EPERM));
    EXPECT_EQ(ask(SYS_sendmsg, {0, 0, MSG_FASTOPEN | MSG_NOSIGNAL}), denied(EPERM));
    EXPECT_EQ(ask(SYS_sendmmsg, {0, 0, 0, MSG_FASTOPEN}), denied(EPERM));
    EXPECT_EQ(ask(SYS_sendto, {0, 0, 0, MSG_NOSIGNAL}), kAllowed);

    EXPECT_FALSE(filter_without_namespaces(Inet::kAll, 0).ptrace);
}

TEST_F(OnThisMachine, only_changes_are_observed) {
    spec.observe = true;
    EXPECT_EQ(ask(SYS_openat, {0, 0, O_RDONLY | O_CLOEXEC | O_DIRECTORY}), kAllowed);
    for (const std::uint64_t flags :
         Values{O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_TMPFILE | O_RDWR}) {
        EXPECT_EQ(ask(SYS_openat, {0, 0, flags | kHigh}), kTold) << flags;
    }
    for (const long number : {SYS_renameat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat,
                              SYS_unlinkat, SYS_truncate, SYS_connect}) {
        EXPECT_EQ(ask(number), kTold) << number;
    }
    EXPECT_EQ(ask(SYS_mknodat, {0, 0, S_IFIFO}), kTold);
    EXPECT_EQ(ask(SYS_mknodat, {0, 0, S_IFCHR}), denied(EPERM)) << "refused all the same";
    EXPECT_EQ(ask(SYS_mount), denied(EPERM));
    for (const long number : {SYS_read, SYS_write, SYS_statx, SYS_execve, SYS_ftruncate}) {
        EXPECT_EQ(ask(number), kAllowed) << number;
    }
}

}  // namespace
}  // namespace paddock::sandbox
