// `paddock prove`: runs the gallery here and now, on decoys in a scratch directory.
//
// The directory is removed at the end, also after SIGINT, SIGTERM and SIGHUP; these then end the
// process as they would have.
#pragma once

#include "cli/arguments.h"

namespace paddock::cli {

int run(const ProveRequest& request);

}  // namespace paddock::cli
