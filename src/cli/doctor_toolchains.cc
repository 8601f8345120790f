#include "cli/doctor_toolchains.h"

#include "cli/host_environment.h"
#include "cli/workspace_options.h"
#include "policy/toolchains.h"
#include "sys/stat.h"

namespace paddock::cli {

WorldFinding examine_world() {
    WorldFinding world;
    const auto made = configuration({}, StateDirectory::kLeave);
    std::vector<std::string> names = policy::toolchain_names();
    std::string workspace = ".";
    if (made) {
        workspace = made->workspace.root;
        if (const auto& shell = made->workspace.shell) {
            names = shell->toolchains;
            world.homes = shell->homes.value_or("");
        }
    }
    const auto environment = host_environment();
    world.toolchains =
        sandbox::find_toolchains({.environment = environment,
                                  .workspace = sys::real_path(workspace.c_str()).value_or("/"),
                                  .visible = {},
                                  .names = names});
    return world;
}

}  // namespace paddock::cli
