#include "roots.h"

#include <cstdio>

namespace paddock::bench {

std::optional<Roots> open_roots(const std::string& directory) {
    RootOptions options;
    options.resolver = ResolverKind::kOpenat2;
    auto kernel = Root::open(directory, options);
    options.resolver = ResolverKind::kWalk;
    auto walk = Root::open(directory, options);
    for (const auto* root : {&kernel, &walk}) {
        if (*root) continue;
        std::fprintf(stderr, "bench: %s\n", root->error().message().c_str());
        return std::nullopt;
    }
    return Roots{std::move(*kernel), std::move(*walk)};
}

}  // namespace paddock::bench
