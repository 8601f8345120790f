// confine_self as if the kernel offered less, so that one kernel can show every degradation.
#pragma once

#include <paddock/sandbox.h>

namespace paddock::sandbox {

// The kernel's Landlock ABI, at most `ceiling`; 0 where there is none.
int landlock_abi(int ceiling);

// confine_self on a kernel of landlock_abi(ceiling). The report's kernel_abi is that number.
Result<ConfineReport> confine_self_at(const ConfineSpec& spec, int ceiling);

}  // namespace paddock::sandbox
