#include "cli/resolve.h"

#include <unistd.h>

#include <algorithm>

#include "base/display.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"
#include "policy/path_rules.h"

namespace paddock::cli {
namespace {

std::vector<Cell> row_of(const ResolveAnswer& answer) {
    const std::string asked = answer.path.empty() ? "''" : displayable(answer.path);
    if (!answer.result) {
        return {{"refused", Tone::kBad}, {asked}, {answer.result.error().message()}};
    }
    const Resolution& found = *answer.result;
    const std::string what =
        found.exists ? std::string(file_type_name(found.type)) : "would be created";
    std::vector<Cell> row{{"accepted", Tone::kGood},
                          {asked},
                          {displayable(found.path) + "  (" + what + ")", Tone::kStrong}};
    if (answer.rule) {
        row.push_back({std::string(answer.rule->access) + " by " + std::string(answer.rule->from) +
                       " rule '" + displayable(answer.rule->pattern) + "'"});
    }
    return row;
}

std::string_view access_name(PathAccess access) {
    switch (access) {
        case PathAccess::kAllow: return "allow";
        case PathAccess::kReadOnly: return "read_only";
        case PathAccess::kDeny: return "deny";
    }
    return "deny";
}

// Exceptions among the default rules say nothing to somebody who asks what is protected.
std::optional<RuleAnswer> rule_for(const policy::PathRules& rules, const std::string& path) {
    const policy::Decision made = rules.decide(path);
    if (!made.rule || (made.access == PathAccess::kAllow && !made.by_operator)) return std::nullopt;
    return RuleAnswer{access_name(made.access), std::string(made.pattern),
                      made.by_operator  ? "operator"
                      : made.is_further ? "git"
                                        : "default"};
}

}  // namespace

tl::expected<ResolveReport, std::string> resolve_all(const WorkspaceOptions& options,
                                                     const std::vector<std::string>& paths) {
    if (options.unconfined) {
        return tl::unexpected(std::string(
            "this workspace is not confined: paths lead wherever the system takes them"));
    }
    const auto root = Root::open(options.root, options.paths);
    if (!root) return tl::unexpected(root.error().message());
    const auto rules = policy::PathRules::of(options);
    if (!rules) return tl::unexpected(rules.error().message());
    ResolveReport report{options.root, root->resolver(), {}};
    for (const std::string& path : paths) {
        ResolveAnswer& answer = report.answers.emplace_back(path, root->resolve(path));
        if (answer.result) answer.rule = rule_for(*rules, answer.result->path);
    }
    return report;
}

std::string as_text(const ResolveReport& report, const Paint& paint) {
    std::vector<std::vector<Cell>> rows;
    rows.reserve(report.answers.size());
    for (const ResolveAnswer& answer : report.answers) rows.push_back(row_of(answer));
    return table(rows, paint);
}

int run(const ResolveRequest& request) {
    const auto made = session_configuration(request.settings);
    if (!made) {
        complain(made.error().text);
        return made.error().exit_code;
    }
    const auto report = resolve_all(made->workspace, request.paths);
    if (!report) {
        complain(report.error());
        return kUsageError;
    }
    if (!print(request.output.json
                   ? as_json(*report)
                   : as_text(*report, Paint(STDOUT_FILENO, request.output.colours)))) {
        return kUsageError;
    }
    const bool all_accepted =
        std::all_of(report->answers.begin(), report->answers.end(),
                    [](const ResolveAnswer& answer) { return answer.result.has_value(); });
    return all_accepted ? 0 : 1;
}

}  // namespace paddock::cli
