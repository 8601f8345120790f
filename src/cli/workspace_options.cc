#include "cli/workspace_options.h"

#include <algorithm>

#include "base/display.h"
#include "cli/git_excludes.h"
#include "cli/host_environment.h"
#include "cli/parser.h"
#include "tools/registry.h"

namespace paddock::cli {
namespace {

using Problems = std::vector<config::Problem>;

// Which tools there are is not known where the other settings are checked.
Problems unknown_tools(const config::Configuration& made) {
    const Words valid = tools::listable_names();
    const auto item =
        std::find_if(made.items.begin(), made.items.end(),
                     [](const config::Item& each) { return each.key == "workspace.tools"; });
    Problems problems;
    for (const std::string& name : made.workspace.tools) {
        if (std::find(valid.begin(), valid.end(), name) != valid.end()) continue;
        problems.push_back({item->from, "workspace.tools '" + displayable(name) + "' is no tool" +
                                            meant(name, valid)});
    }
    return problems;
}

Ending refusal(const Problems& problems) {
    std::string text = "the configuration is refused";
    for (const config::Problem& problem : problems) text += "\n  " + problem.message();
    return {kUsageError, std::move(text)};
}

}  // namespace

tl::expected<config::Configuration, Ending> configuration(const SettingWords& words,
                                                          StateDirectory state) {
    auto made = config::load({.file = words.file,
                              .environment = host_environment(),
                              .overrides = words.overrides,
                              .make_directories = state == StateDirectory::kMake});
    if (!made) return tl::unexpected(refusal(made.error()));
    if (const Problems problems = unknown_tools(*made); !problems.empty()) {
        return tl::unexpected(refusal(problems));
    }
    return std::move(*made);
}

tl::expected<config::Configuration, Ending> session_configuration(const SettingWords& words) {
    auto made = configuration(words);
    // The operator's lines are stronger.
    if (made) made->workspace.ignore_rules.insert(0, git_excludes() + "\n");
    return made;
}

tl::expected<WorkspaceOptions, Ending> workspace_options(const SettingWords& words) {
    auto made = session_configuration(words);
    if (!made) return tl::unexpected(std::move(made.error()));
    return std::move(made->workspace);
}

}  // namespace paddock::cli
