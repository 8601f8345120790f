// `paddock doctor`: the findings as a table or as JSON.
#pragma once

#include <vector>

#include "cli/arguments.h"
#include "cli/doctor.h"

namespace paddock::cli {

// Without it no workspace opens, or it has only one wall.
bool is_needed(const Finding& finding) noexcept;

int run(const DoctorRequest& request);

}  // namespace paddock::cli
