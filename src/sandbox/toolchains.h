// Finds the toolchains of policy/toolchains.h that are on the user's PATH and lie in the home, and
// says what commands see of them. Looks at the host, changes nothing.
//
// A toolchain is in use if a directory on PATH lies in it, or a link in such a directory leads to
// it. Shown are the parts that the table lists, each at its own path, if
// - the toolchain's directory lies below the home by real names: a link to somewhere else, to the
//   home itself or above is refused;
// - no part leads out of it by a link;
// - it belongs to the user or to root;
// - it neither lies in the workspace nor holds it.
// Each part is held from the moment it is judged: its path is walked by names below its toolchain,
// which is walked from the root, and no link is followed.
// What is refused for another reason than that it is missing is named, for `paddock doctor`; so is
// a directory on PATH with programs that commands do not see, since another one of that name may
// run instead.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/gated_call.h"
#include "sandbox/view_plan.h"

namespace paddock::sandbox {

struct FoundToolchain {
    std::string_view name;
    std::string directory;
    std::string reason;  // why it is shown
    std::vector<std::string> shown;
    std::vector<std::string> tops;  // of all that is shown, now or when there are more versions
};

struct RefusedPath {
    std::string path;
    std::string_view reason;  // a literal
};

struct Toolchains {
    std::vector<HeldPath> paths;
    std::vector<ShownLink> links;
    std::vector<std::string> variables;  // "NAME=value"
    // PATH of commands: that of the user with what commands see, in order, and then the system's
    // directories that are not in it. After a directory in the user's home comes "~/" and the same
    // in the home of commands, where `cargo install` and `pip install --user` put programs.
    std::string search_path;

    std::vector<FoundToolchain> found;
    std::vector<RefusedPath> refused;
};

struct ToolchainQuery {
    std::span<const std::string> environment;  // of the host: "NAME=value"
    std::string workspace;                     // canonical; empty: none
    std::span<const std::string> visible;      // canonical paths that commands see anyway
    std::span<const std::string> names;        // of the toolchains that may be shown
};

Toolchains find_toolchains(const ToolchainQuery& query);

}  // namespace paddock::sandbox
