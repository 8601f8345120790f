// What commands find of the user's world: the home that lasts, and the toolchains on PATH.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <paddock/root.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sandbox/warden_plan.h"

namespace paddock::tools {

// The homes of commands that outlive sessions: one for each workspace, in paddock's state
// directory.
//
//   HOMES/NAME/         NAME: the last name of the workspace and a hash of the text below
//     workspace         which workspace it is: device, inode, time of creation; its path
//     lock              held shared by each session that uses the home
//     turn              held for each change of the home (journal::Turn)
//     home/             what commands see
//
// A workspace is its path and its directory: one that was removed and made again has another home.
// Where the file system keeps no time of creation and uses the inode again, it has the old one.
//
// Commands can learn the path on the host, and the user's own programs can follow a path into the
// home, such as git from a `.git` file that names it. So a gate stands before it as before the
// workspace (sandbox/gate.h): what git would run or obey is not made there. Without a gate no home
// lasts.
//
// Commands reach home/ and nothing above it, neither here nor where the state directory lies in
// their workspace. paddock reads the sizes of files in there, and the gate what git would obey.
// Neither leaves the home by a link, and nothing there is run.

struct LastingHome {
    Root root;
    std::string path;  // canonical
    UniqueFd lock;
    UniqueFd turn;
};

// Made if it is missing. `workspace`: its directory. Errors: why there can be none here.
Result<LastingHome> open_lasting_home(const std::string& homes, int workspace,
                                      const std::string& workspace_path);

// The name of a workspace's home in HOMES.
Outcome<std::string> lasting_home_name(int workspace, const std::string& workspace_path);

struct KeptHome {
    std::string name;
    std::string workspace;    // its path
    bool is_orphan = false;   // the workspace is not there any more
    std::uint64_t bytes = 0;  // as they are counted for the limit
    std::uint64_t files = 0;
};

// By name; what else lies there is left out. None if there is no such directory. `only`: of this
// name.
Result<std::vector<KeptHome>> list_lasting_homes(const std::string& homes,
                                                 const std::optional<std::string>& only = {});

// Empties it, and removes the rest if it is an orphan. Errors: race if a session uses it.
Status empty_lasting_home(const std::string& homes, const KeptHome& home);

struct CommandWorld {
    std::optional<LastingHome> home{};
    std::string scratch_home_reason{};       // why there is none, though it was asked for
    std::vector<std::string> variables{};    // of toolchains
    std::string search_path{};               // PATH
    std::vector<sandbox::HeldPath> shown{};  // of toolchains
};

// Adds it to the sandbox, `shown` excepted; the home is borrowed by `spec`. `environment`: of the
// host.
CommandWorld prepare_world(sandbox::WardenSpec& spec, std::span<const std::string> environment);

}  // namespace paddock::tools
