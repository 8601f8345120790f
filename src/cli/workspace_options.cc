#include "cli/workspace_options.h"

#include <algorithm>
#include <iterator>

#include "base/display.h"
#include "cli/host_environment.h"
#include "cli/outer_git.h"
#include "cli/outer_programs.h"
#include "cli/parser.h"
#include "config/host.h"
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

bool is_of_call(const config::Problem& problem, const SettingWords& words) {
    return std::any_of(words.overrides.begin(), words.overrides.end(),
                       [&](const config::Override& word) { return word.from == problem.where; });
}

BadConfiguration refusal(const Problems& problems, const SettingWords& words) {
    BadConfiguration bad{{kUsageError, "the configuration is refused"}, true};
    for (const config::Problem& problem : problems) {
        bad.text += "\n  " + problem.message();
        bad.is_call = bad.is_call && is_of_call(problem, words);
    }
    return bad;
}

}  // namespace

tl::expected<config::Configuration, BadConfiguration> configuration(const SettingWords& words,
                                                                    StateDirectory state) {
    auto made = config::load({.file = words.file,
                              .environment = host_environment(),
                              .overrides = words.overrides,
                              .make_directories = state == StateDirectory::kMake});
    if (!made) return tl::unexpected(refusal(made.error(), words));
    if (const Problems problems = unknown_tools(*made); !problems.empty()) {
        return tl::unexpected(refusal(problems, words));
    }
    return std::move(*made);
}

tl::expected<config::Configuration, BadConfiguration> session_configuration(
    const SettingWords& words, StateDirectory state) {
    auto made = configuration(words, state);
    if (!made) return made;
    WorkspaceOptions& options = made->workspace;
    options.git_excludes = git_excludes();
    if (options.shell) options.shell->git_author = git_author();
    if (!options.default_rules) return made;
    options.further_default_rules = rules_of_outer_git(options.root, InnerRepositories::kOwn);
    const auto add = [&options](std::vector<PathRule> more) {
        std::move(more.begin(), more.end(), std::back_inserter(options.further_default_rules));
    };
    add(rules_of_programs(options.root));
    for (const std::string& directory : options.also) {
        add(rules_of_outer_git(directory, InnerRepositories::kOwn));
        add(rules_of_programs(directory));
    }
    return made;
}

tl::expected<WorkspaceOptions, BadConfiguration> workspace_options(const SettingWords& words) {
    auto made = session_configuration(words);
    if (!made) return tl::unexpected(std::move(made.error()));
    return std::move(made->workspace);
}

}  // namespace paddock::cli
