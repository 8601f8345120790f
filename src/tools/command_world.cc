#include "tools/command_world.h"

#include <algorithm>
#include <utility>

#include "base/outcome.h"
#include "base/within.h"
#include "sandbox/toolchains.h"
#include "sys/stat.h"

namespace paddock::tools {
namespace {

Result<LastingHome> open_home(const sandbox::WardenSpec& spec) {
    const std::string& homes = *spec.options.homes;
    if (!homes.empty()) return open_lasting_home(homes, spec.workspace, spec.workspace_path);
    return as_error(refuse(Code::kNotFound, "there is no $HOME to keep it in"), "keep a home", {});
}

// In a further directory the home would have two paths, and a gate on each.
bool is_in_further_root(const sandbox::WardenSpec& spec, const std::string& path) {
    return std::any_of(
        spec.further.begin(), spec.further.end(),
        [&path](const sandbox::FurtherRoot& root) { return is_within(path, root.path); });
}

}  // namespace

CommandWorld prepare_world(sandbox::WardenSpec& spec, std::span<const std::string> environment) {
    CommandWorld world;
    if (spec.options.homes && !spec.gate) {
        world.scratch_home_reason =
            "nothing judges what commands make in it while they cannot "
            "change the workspace";
    } else if (spec.options.homes) {
        auto home = open_home(spec);
        const bool is_in_a_root = home && is_in_further_root(spec, home->path);
        if (is_in_a_root) {
            world.scratch_home_reason =
                "the state directory lies in a directory of this session; set XDG_STATE_HOME";
        } else if (home) {
            spec.home = home->root.fd();
            spec.home_path = home->path;
            spec.home_turn = home->turn.get();
            world.home = std::move(*home);
        } else {
            const Error& why = home.error();
            world.scratch_home_reason =
                why.reason.empty() ? why.explanation() : std::string(why.reason);
        }
    }
    std::vector<std::string> visible;
    for (const std::string& path : spec.options.read_only_directories) {
        if (auto real = sys::real_path(path.c_str())) visible.push_back(std::move(*real));
    }
    for (const sandbox::FurtherRoot& root : spec.further) visible.push_back(root.path);
    auto found = sandbox::find_toolchains({.environment = environment,
                                           .workspace = spec.workspace_path,
                                           .visible = visible,
                                           .names = spec.options.toolchains});
    spec.links = std::move(found.links);
    world.variables = std::move(found.variables);
    world.search_path = std::move(found.search_path);
    world.shown = std::move(found.paths);
    return world;
}

}  // namespace paddock::tools
