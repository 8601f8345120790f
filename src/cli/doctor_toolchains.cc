#include "cli/doctor_toolchains.h"

#include <utility>

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
    std::vector<std::string> visible;
    const auto see = [&visible](const std::vector<std::string>& paths) {
        for (const std::string& path : paths) {
            if (auto real = sys::real_path(path.c_str())) visible.push_back(std::move(*real));
        }
    };
    if (made) {
        workspace = made->workspace.root;
        see(made->workspace.also);
        see(made->workspace.see);
        if (const auto& shell = made->workspace.shell) {
            names = shell->toolchains;
            world.homes = shell->homes.value_or("");
            see(shell->read_only_directories);
        }
    }
    const auto environment = host_environment();
    world.toolchains =
        sandbox::find_toolchains({.environment = environment,
                                  .workspace = sys::real_path(workspace.c_str()).value_or("/"),
                                  .visible = visible,
                                  .names = names});
    return world;
}

}  // namespace paddock::cli
