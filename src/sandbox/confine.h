// confine_self as if the kernel offered less, so that one kernel can show every degradation.
#pragma once

#include <string_view>
#include <vector>

#include <paddock/sandbox.h>

#include "sys/landlock.h"

namespace paddock::sandbox {

// The rights that Landlock knows, since which ABI, and what a ConfineSpec makes of them on a given
// one. Pure: nothing here asks the kernel.

struct Plan {
    sys::landlock::Handled handled;  // what the ruleset of this ABI denies
    std::vector<std::string_view> requested;
    std::vector<std::string_view> enforced;
    std::vector<std::string_view> missing;
};

// `abi` 0: no Landlock. ABIs above the highest known one bring nothing more.
Plan plan_for(const ConfineSpec& spec, int abi);

// What a rule of this kind grants, less what the ABI behind `handled` does not know.
sys::landlock::Rights granted(Access access, const sys::landlock::Handled& handled);

// "needs Landlock ABI 4 (Linux 6.7), and this kernel offers less": why such a kernel is refused,
// for kLandlockAbiFloor to kAbiKnown.
std::string_view too_old_for(int abi_min);

// The kernel's Landlock ABI, at most `ceiling`; 0 where there is none.
int landlock_abi(int ceiling);

// confine_self on a kernel of landlock_abi(ceiling). The report's kernel_abi is that number.
Result<ConfineReport> confine_self_at(const ConfineSpec& spec, int ceiling);

}  // namespace paddock::sandbox
