// `paddock resolve`: where paths lead, or which rule refuses them.
#pragma once

#include <string>
#include <vector>

#include <paddock/root.h>

#include "cli/arguments.h"

namespace paddock::cli {

struct ResolveAnswer {
    std::string path;  // as it was asked
    Result<Resolution> result;
};

struct ResolveReport {
    std::string root;
    ResolverKind resolver = ResolverKind::kProbe;
    std::vector<ResolveAnswer> answers;
};

int run(const ResolveRequest& request);

}  // namespace paddock::cli
