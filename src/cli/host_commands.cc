#include "cli/host_commands.h"

#include <unistd.h>

#include <algorithm>

#include "base/display.h"
#include "cli/input.h"
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
        return tl::unexpected(
            std::string("this workspace is not confined, so paths can lead anywhere"));
    }
    const auto root = Root::open(options.root, options.paths);
    if (!root) return tl::unexpected(root.error().message());
    const auto rules =
        policy::PathRules::of(options.rules, options.default_rules, options.further_default_rules);
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

namespace {

constexpr std::int64_t kRoundsMax = 10'000'000;

class ResolveParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        options_.declare(
            parser, {"workspace.root", "workspace.rules", "workspace.default_rules", "paths."});
        parser.output(request_.output);
    }

    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        request_.paths = std::move(parser.operands());
        return std::move(request_);
    }

private:
    SettingOptions options_;
    ResolveRequest request_;
};

class DoctorParser final : public CommandParser {
public:
    void declare(Parser& parser) override { parser.output(request_.output); }
    Request finish(Parser&) override { return request_; }

private:
    DoctorRequest request_;
};

class ProveParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        parser.text({.names = {"--dir"},
                     .unit = "DIR",
                     .help = "Make the scratch directory here; or $TMPDIR",
                     .offers = Offers::kHostDirectory},
                    request_.directory, "TMPDIR");
        parser.integer(
            {.names = {"--rounds"},
             .help = "Number of tries for each race; a tenth of it where each try needs a new tree",
             .default_value = std::to_string(rounds_)},
            rounds_, 1, kRoundsMax);
        parser.resolver(request_.resolver, "Choose how paths are looked up; auto tries both");
        parser.output(request_.output);
    }

    Request finish(Parser&) override {
        request_.rounds = static_cast<int>(rounds_);
        return std::move(request_);
    }

private:
    ProveRequest request_;
    std::int64_t rounds_ = request_.rounds;
};

}  // namespace

std::vector<Command> host_commands() {
    const Manual resolve{
        .name = "resolve",
        .summary =
            "Show where paths lead in a workspace, why they are refused, and which rule protects "
            "them.",
        .description =
            "The last column names the rule that denies a path or makes it read-only, or the "
            "operator's rule that allows it. Default rules deny files that existed before the "
            "session. Files that the session itself makes under such a name are not denied.",
        .operands = {{.name = "PATH", .offers = Offers::kPath, .many = true}},
        .examples = {"paddock resolve --root ~/project src/main.c ../other/file",
                     "paddock resolve --root ~/project --symlinks reject --json vendor/lib",
                     "paddock resolve --rule 'deny *.sqlite' data/users.sqlite .env",
                     "paddock resolve -- --a-name-that-begins-with-dashes"},
        .no = "a path is refused"};
    const Manual doctor{
        .name = "doctor",
        .summary = "Check what this host supports, and show how to add what is missing.",
        .examples = {"paddock doctor", "paddock doctor --json"},
        .no = "something that paddock needs is missing"};
    const Manual prove{
        .name = "prove",
        .summary = "Attack decoys on this kernel and file system, with and without paddock.",
        .description =
            "Path attacks run against a check-then-open tool and against paddock. Hostile commands "
            "run in plain bash and in paddock's sandbox. Everything happens in a scratch "
            "directory, which is removed at the end. Rows are printed as they finish; with --json "
            "they go to standard error.",
        .examples = {"paddock prove", "paddock prove --dir /srv/agents --resolver walk",
                     "paddock prove --rounds 500000 --json"},
        .no = "something leaked through paddock"};
    return {{resolve, [] { return std::make_unique<ResolveParser>(); }},
            {doctor, [] { return std::make_unique<DoctorParser>(); }},
            {prove, [] { return std::make_unique<ProveParser>(); }}};
}

}  // namespace paddock::cli
