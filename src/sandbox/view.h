// Carries out a ViewPlan in the mount namespace of the warden, and covers paths of the workspace in
// it later. Runs in a fresh copy of a process: allocates nothing.
//
// The old root stays reachable until enter(); every source that is a path is looked up there. It is
// this namespace's own copy of the host's mounts, made read-only as a whole first, so that whatever
// is taken from it is as well.
#pragma once

#include <array>
#include <optional>

#include <paddock/handle.h>
#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sandbox/stage.h"
#include "sandbox/view_plan.h"
#include "sandbox/warden_plan.h"

namespace paddock::sandbox {

struct ViewSources {
    const ViewPlan* plan = nullptr;
    const char* scratch_bytes = nullptr;  // as tmpfs takes them
    const char* scratch_files = nullptr;
    // A mount that is attached nowhere, made by a root that could look where the warden cannot; -1:
    // the working directory is it.
    int workspace = -1;                             // borrowed, as the following
    std::span<const ExtraPlan> extras = {};         // one for each kExtra piece
    std::span<const FurtherRootPlan> further = {};  // one for each kFurther piece
    int home = -1;  // or -1: `home_path`, if that is `home_identity`
    const char* home_path = nullptr;
    Identity home_identity = {};
    bool read_only = false;  // the workspace
    std::span<const KernelSetting> settings = {};
};

class View {
public:
    // Everything up to a root that only waits to be entered. The working directory is in the old
    // root.
    StageError build(const ViewSources& sources);

    // Makes it the root of this process; nothing of the old one is left.
    Done enter();

    // After enter(): what is at `path` in the workspace, or absolute in another root, is shielded
    // from now on. Shielded already, or nothing there and no object given: done. Errors: ESTALE if
    // `object` is given and is not what is there; those of the kernel.
    Done shield(const char* path, Shield shield, const std::optional<Identity>& object = {});

    int workspace() const noexcept { return workspace_.get(); }    // after enter()
    Outcome<UniqueFd> further(const FurtherRootPlan& root) const;  // the same of another root

private:
    Done take_workspace(const ViewSources& sources);
    Done take_home(const ViewSources& sources);
    Done take_further(const ViewSources& sources);
    Done make_root(const ViewSources& sources);
    Done make(const Piece& piece, const ViewSources& sources);
    Done mount_system(const Piece& piece);
    Done mount_scratch(const Piece& piece);
    Done close(const Piece& piece);
    Done mount_fresh(const Piece& piece, const ViewSources& sources);
    Done mount_extra(const Piece& piece, const ViewSources& sources);
    Done mount_further(const Piece& piece);
    Done mount_workspace(const Piece& piece);
    Done make_place(const Piece& piece);
    Done attach(UniqueFd mount, const char* path);
    Done mount_device(const Piece& piece);
    Done cover(int target, Shield shield);
    Done make_blanks();
    bool is_blank(int target) const;

    UniqueFd root_;
    UniqueFd workspace_mount_;                                       // until it is attached
    UniqueFd home_mount_;                                            // the same
    std::array<UniqueFd, limits::kFurtherRootsMax> further_mounts_;  // the same
    std::size_t further_made_ = 0;
    UniqueFd blank_file_;  // empty, without permissions: what a covered path shows
    UniqueFd blank_directory_;
    UniqueFd empty_directory_;  // can be read
    UniqueFd workspace_;
    const char* workspace_path_ = nullptr;  // below the root
    std::size_t extras_made_ = 0;
};

}  // namespace paddock::sandbox
