// resolve, doctor, prove: what paddock can do here, and whether it holds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/root.h>

#include "cli/arguments.h"
#include "cli/parser.h"

namespace paddock::cli {

// `paddock resolve`: where paths lead, what refuses them, and what the path rules say. `paddock
// config check --path` asks the same.

// The path rule that decides about a path.
struct RuleAnswer {
    std::string_view access;  // "allow", "read_only", "deny"
    std::string pattern;
    std::string_view from;  // "operator", "default", "git"
};

struct ResolveAnswer {
    std::string path;  // as it was asked
    Result<Resolution> result;
    std::optional<RuleAnswer> rule = {};  // none: no rule restricts it
};

struct ResolveReport {
    std::string root;
    ResolverKind resolver = ResolverKind::kProbe;
    std::vector<ResolveAnswer> answers;
};

tl::expected<ResolveReport, std::string> resolve_all(const WorkspaceOptions& options,
                                                     const std::vector<std::string>& paths);
std::string as_text(const ResolveReport& report, const Paint& paint);

int run(const ResolveRequest& request);

std::vector<Command> host_commands();

}  // namespace paddock::cli
