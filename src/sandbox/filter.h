// The seccomp filter of a command: which system calls it may not make, whatever the other layers
// would say. Pure: compiling asks the kernel nothing, and the program is installed as it is.
//
// - Calls of another architecture (int 0x80 on x86_64) are refused: EPERM.
// - Calls that this file does not know are answered ENOSYS, as an older kernel would; programs have
//   a fallback for that. The numbers of x32 are among them.
// - Calls of the table (filter.cc) are refused with the errno that it names, mostly EPERM.
// - Everything else is allowed. Nothing is ever killed: programs cope with an errno.
//
// Cost: the numbers are found by bisection, and a call whose arguments do not matter is allowed
// without looking at them, which lets the kernel (5.11) remember the answer and skip the program.
//
// Not protected: paths and names, which are pointers that another thread can change. They are the
// business of the mount namespace and of Landlock. The low 32 bits of an argument are compared
// where the kernel uses only these.
#pragma once

#include <linux/filter.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace paddock::sandbox {

enum class Machine : std::uint8_t { kX86_64, kAarch64 };

#if defined(__x86_64__)
inline constexpr Machine kThisMachine = Machine::kX86_64;
#elif defined(__aarch64__)
inline constexpr Machine kThisMachine = Machine::kAarch64;
#else
#error "the filter knows the system calls of x86_64 and aarch64"
#endif

enum class Inet : std::uint8_t {
    kNone,  // no AF_INET and AF_INET6 sockets at all
    kTcp,   // only what Landlock's TCP rules see: no UDP, no fast open
    kAll,   // TCP, UDP, ping, and NETLINK_ROUTE: getifaddrs(3), which development servers call
};

// What the other layers leave to the filter. The defaults are for a command that has network, ipc
// and pid namespaces of its own.
struct FilterSpec {
    Machine machine = kThisMachine;
    Inet inet = Inet::kAll;
    bool unix_sockets = true;  // by name; socketpair(2) is always allowed
    bool sysv_ipc = true;      // and POSIX message queues
    bool ptrace = true;
    bool observe = false;  // tell a listener of writes, creations, renames, removals and connects
    // And of what the gate performs besides: modes, sockets, the creation mask. With `observe`.
    bool gate = false;
    bool own_processes = true;  // no others can be named: a pid namespace
};

// For Landlock and seccomp alone. `landlock_abi` decides what Landlock sees: Unix sockets from ABI
// 9, processes outside from ABI 1.
FilterSpec filter_without_namespaces(Inet inet, int landlock_abi);

// With `observe`, only for seccomp::install_with_listener: without a listener the calls that it
// would be told of fail.
std::vector<sock_filter> compile_filter(const FilterSpec& spec);

// The table behind the filter: which system calls get which answer, under which condition.
inline constexpr int kNoNumber = -1;  // the machine has no such call

struct SystemCall {
    std::string_view name;
    int x86_64 = kNoNumber;
    int aarch64 = kNoNumber;

    constexpr int number(Machine machine) const {
        return machine == Machine::kX86_64 ? x86_64 : aarch64;
    }
};

// Looks at the low 32 bits of one argument: (argument & mask) == value, or its contrary.
struct Test {
    std::uint8_t argument = 0;
    std::uint32_t mask = 0;  // 0: no test
    std::uint32_t value = 0;
    bool equal = true;
};

struct Rule {
    SystemCall call;
    std::uint32_t answer = 0;     // SECCOMP_RET_...
    std::array<Test, 3> tests{};  // all must hold
};

// Rules that hold together, for the commands that `wanted` names. Several rules may name one call:
// the first whose tests hold answers, and a call without any is allowed.
struct RuleGroup {
    bool (*wanted)(const FilterSpec& spec);
    std::span<const Rule> rules;
};

std::span<const RuleGroup> rule_groups();

// Numbers that the table was made for: those of Linux 6.18. Others get ENOSYS.
struct NumberRange {
    int first = 0;
    int last = 0;
};
std::span<const NumberRange> known_numbers(Machine machine);

}  // namespace paddock::sandbox
