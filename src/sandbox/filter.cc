// The program: check the architecture, then bisect the numbers. A leaf is the code for a run of
// numbers that are treated alike: one answer, or a few tests and an answer each.
#include "sandbox/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

#include "base/check.h"
#include "sandbox/filter_rules.h"

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

}  // namespace paddock::sandbox
