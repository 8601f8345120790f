// Reports for programs: one JSON document each, in UTF-8, ended by a newline. Bytes that are not
// printable UTF-8 appear as \xNN.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor.h"
#include "cli/doctor_shell.h"
#include "cli/doctor_toolchains.h"
#include "cli/prove/prove.h"
#include "cli/resolve.h"

namespace paddock::cli {

std::string as_json(const ResolveReport& report);
std::string as_json(const std::vector<Finding>& findings, const ShellFinding& shell,
                    const WorldFinding& world);
std::string as_json(const prove::Report& report);

}  // namespace paddock::cli
