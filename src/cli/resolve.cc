#include "cli/resolve.h"

#include <unistd.h>

#include <algorithm>

#include "base/display.h"
#include "cli/json.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"

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
    return {{"accepted", Tone::kGood},
            {asked},
            {displayable(found.path) + "  (" + what + ")", Tone::kStrong}};
}

std::string as_text(const ResolveReport& report, const Paint& paint) {
    std::vector<std::vector<Cell>> rows;
    rows.reserve(report.answers.size());
    for (const ResolveAnswer& answer : report.answers) rows.push_back(row_of(answer));
    return table(rows, paint);
}

}  // namespace

int run(const ResolveRequest& request) {
    const auto made = configuration(request.settings);
    if (!made) {
        complain(made.error().text);
        return made.error().exit_code;
    }
    if (made->workspace.unconfined) {
        complain("this workspace is not confined: paths lead wherever the system takes them");
        return kUsageError;
    }
    const auto root = Root::open(made->workspace.root, made->workspace.paths);
    if (!root) {
        complain(root.error().message());
        return kUsageError;
    }
    ResolveReport report{made->workspace.root, root->resolver(), {}};
    for (const std::string& path : request.paths) {
        report.answers.push_back({path, root->resolve(path)});
    }
    if (!print(request.output.json
                   ? as_json(report)
                   : as_text(report, Paint(STDOUT_FILENO, request.output.colours)))) {
        return kUsageError;
    }
    const bool all_accepted =
        std::all_of(report.answers.begin(), report.answers.end(),
                    [](const ResolveAnswer& answer) { return answer.result.has_value(); });
    return all_accepted ? 0 : 1;
}

}  // namespace paddock::cli
