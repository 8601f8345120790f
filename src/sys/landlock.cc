#include "sys/landlock.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace paddock::sys::landlock {
namespace {

constexpr long kNrCreateRuleset = 444;
constexpr long kNrAddRule = 445;
constexpr long kNrRestrictSelf = 446;

constexpr unsigned kCreateRulesetVersion = 1U << 0;
constexpr int kRulePathBeneath = 1;

// The kernel reads the first 12 bytes.
struct PathBeneath {
    Rights allowed = 0;
    std::int32_t directory = -1;
};
static_assert(sizeof(Handled) == 24 && offsetof(PathBeneath, directory) == 8);

}  // namespace

Outcome<int> abi() {
    const long version = ::syscall(kNrCreateRuleset, nullptr, 0UL, kCreateRulesetVersion);
    if (version < 0) return Failure::from_errno(errno);
    return static_cast<int>(version);
}

Outcome<UniqueFd> create_ruleset(const Handled& handled) {
    // Close-on-exec is set by the kernel.
    const long fd = ::syscall(kNrCreateRuleset, &handled, sizeof handled, 0U);
    if (fd < 0) return Failure::from_errno(errno);
    return UniqueFd(static_cast<int>(fd));
}

Done allow_beneath(int ruleset, int directory, Rights rights) {
    const PathBeneath rule{rights, directory};
    if (::syscall(kNrAddRule, ruleset, kRulePathBeneath, &rule, 0U) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

Done restrict_self(int ruleset, unsigned flags) {
    if (::syscall(kNrRestrictSelf, ruleset, flags) != 0) return Failure::from_errno(errno);
    return {};
}

}  // namespace paddock::sys::landlock
