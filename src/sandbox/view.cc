#include "sandbox/view.h"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "sandbox/command_start.h"
#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace paddock::sandbox {
namespace {

using sys::Tree;

constexpr std::uint64_t kHarmless = sys::kMountNoSetuid | sys::kMountNoDevices;

// Whoever may not list it cannot tell that it exists from its being empty.
constexpr const char* kBlanks = ".blank";

Stage stage_of(Make make) {
    switch (make) {
        case Make::kSystem: return Stage::kViewSystem;
        case Make::kDevice: return Stage::kViewDevices;
        case Make::kTerminals: return Stage::kViewTerminals;
        case Make::kProc:
        case Make::kCover: return Stage::kViewProc;
        case Make::kScratch:
        case Make::kClosed: return Stage::kViewScratch;
        case Make::kHome: return Stage::kViewHome;
        case Make::kExtra:
        case Make::kFurther: return Stage::kViewExtra;
        case Make::kWorkspace: return Stage::kViewWorkspace;
        default: return Stage::kViewRoot;
    }
}

// Mounts below it that this process may not take off can only be copied along.
Outcome<UniqueFd> copy_with_what_is_locked(int directory, const char* path) {
    auto copy = sys::copy_mount(directory, path, Tree::kOne);
    if (copy || copy.error().os_error != EINVAL) return copy;
    return sys::copy_mount(directory, path, Tree::kRecursive);
}

// `path` is below the old root. A descriptor leads into the mounts of the host, so the mount is
// found by its name, and must be of the object that is held.
Outcome<UniqueFd> copy_of_held(int object, const char* path) {
    PADDOCK_ASSIGN(top, sys::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY));
    PADDOCK_ASSIGN(there, descend(top.get(), path));
    PADDOCK_ASSIGN(found, sys::fstat(there.get()));
    PADDOCK_ASSIGN(meant, sys::fstat(object));
    if (found.identity != meant.identity) return Failure::from_errno(ESTALE);
    return copy_with_what_is_locked(there.get(), "");
}

Outcome<UniqueFd> new_file(int directory, const char* path, mode_t mode) {
    return sys::openat(directory, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
}

Done set_kernel(int proc, const char* path, std::string_view value) {
    PADDOCK_ASSIGN(setting, sys::openat(proc, path, O_WRONLY));
    return sys::write_all(setting.get(), value);
}

}  // namespace

StageError View::build(const ViewSources& sources) {
    if (const auto taken = take_workspace(sources); !taken) {
        return {Stage::kViewWorkspace, taken.error().os_error};
    }
    if (const auto taken = take_home(sources); !taken) {
        return {Stage::kViewHome, taken.error().os_error};
    }
    if (const auto taken = take_further(sources); !taken) {
        return {Stage::kViewExtra, taken.error().os_error};
    }
    if (const auto made = make_root(sources); !made) {
        return {Stage::kViewRoot, made.error().os_error};
    }
    for (const Piece& piece : sources.plan->pieces) {
        if (const auto made = make(piece, sources); !made) {
            return {stage_of(piece.make), made.error().os_error};
        }
    }
    const auto closed =
        sys::restrict_mount(root_.get(), kHarmless | sys::kMountReadOnly, Tree::kOne);
    if (!closed) return {Stage::kViewRoot, closed.error().os_error};
    return {};
}

Done View::take_workspace(const ViewSources& sources) {
    auto mount = sources.workspace >= 0 ? sys::duplicate(sources.workspace)
                                        : copy_with_what_is_locked(AT_FDCWD, ".");
    if (!mount) return mount.error();
    workspace_mount_ = std::move(*mount);
    const std::uint64_t attributes =
        sources.read_only ? kHarmless | sys::kMountReadOnly : kHarmless;
    return sys::restrict_mount(workspace_mount_.get(), attributes, Tree::kRecursive);
}

// Before the old root becomes read-only, with all that is copied from it.
Done View::take_home(const ViewSources& sources) {
    if (sources.home < 0 && sources.home_path == nullptr) return {};
    auto mount = sources.home >= 0 ? sys::duplicate(sources.home)
                                   : sys::copy_mount(AT_FDCWD, sources.home_path, Tree::kOne);
    if (!mount) return mount.error();
    PADDOCK_ASSIGN(stat, sys::fstat(mount->get()));
    if (stat.identity != sources.home_identity) return Failure::from_errno(ESTALE);
    home_mount_ = std::move(*mount);
    return sys::restrict_mount(home_mount_.get(), kHarmless, Tree::kRecursive);
}

// Before all that is there becomes read-only.
Done View::take_further(const ViewSources& sources) {
    std::size_t at = 0;
    for (const FurtherRootPlan& root : sources.further) {
        UniqueFd& mount = further_mounts_[at++];
        if (root.mount.valid()) {
            PADDOCK_ASSIGN(given, sys::duplicate(root.mount.get()));
            mount = std::move(given);
        } else {
            PADDOCK_ASSIGN(copied, copy_of_held(root.directory.get(), root.path.c_str() + 1));
            mount = std::move(copied);
        }
        const std::uint64_t attributes =
            root.journal == nullptr ? kHarmless | sys::kMountReadOnly : kHarmless;
        PADDOCK_TRY(sys::restrict_mount(mount.get(), attributes, Tree::kRecursive));
    }
    return {};
}

Done View::make_root(const ViewSources& sources) {
    PADDOCK_ASSIGN(old, sys::openat(AT_FDCWD, "/", O_PATH));
    PADDOCK_TRY(sys::restrict_mount(old.get(), kHarmless | sys::kMountReadOnly, Tree::kRecursive));
    const std::array<sys::MountOption, 3> options{{
        {"mode", "0755"},
        {"size", sources.scratch_bytes},
        {"nr_inodes", sources.scratch_files},
    }};
    PADDOCK_ASSIGN(root, sys::new_mount("tmpfs", options, kHarmless));
    root_ = std::move(root);
    // On top of the present root, where no lookup goes.
    PADDOCK_TRY(sys::attach_mount(root_.get(), AT_FDCWD, "/"));
    return make_blanks();
}

Done View::make_blanks() {
    PADDOCK_TRY(sys::mkdirat(root_.get(), kBlanks, 0700));
    PADDOCK_ASSIGN(blanks, sys::openat(root_.get(), kBlanks, O_RDONLY | O_DIRECTORY));
    PADDOCK_TRY(sys::mkdirat(blanks.get(), "directory", 0));
    PADDOCK_TRY(sys::mkdirat(blanks.get(), "empty", 0555));
    PADDOCK_TRY(new_file(blanks.get(), "file", 0));
    PADDOCK_ASSIGN(directory, sys::openat(blanks.get(), "directory", O_PATH));
    PADDOCK_ASSIGN(file, sys::openat(blanks.get(), "file", O_PATH));
    PADDOCK_ASSIGN(empty, sys::openat(blanks.get(), "empty", O_PATH));
    empty_directory_ = std::move(empty);
    blank_directory_ = std::move(directory);
    blank_file_ = std::move(file);
    return sys::fchmod(blanks.get(), 0);
}

Done View::make(const Piece& piece, const ViewSources& sources) {
    const char* path = piece.path.c_str();
    switch (piece.make) {
        case Make::kDirectory: return make_place(piece);
        case Make::kLink: return sys::symlinkat(piece.text.c_str(), root_.get(), path);
        case Make::kText: {
            PADDOCK_ASSIGN(file, new_file(root_.get(), path, piece.mode));
            return sys::write_all(file.get(), piece.text);
        }
        case Make::kSystem: return mount_system(piece);
        case Make::kDevice: return mount_device(piece);
        case Make::kScratch: return mount_scratch(piece);
        case Make::kClosed: return close(piece);
        case Make::kTerminals:
        case Make::kProc: return mount_fresh(piece, sources);
        case Make::kCover: {
            const auto target = descend(root_.get(), path);
            return target ? cover(target->get(), Shield::kHidden) : Done();
        }
        case Make::kHome: return attach(std::move(home_mount_), path);
        case Make::kExtra: {
            const auto mounted = mount_extra(piece, sources);
            return piece.is_optional ? Done() : mounted;
        }
        case Make::kFurther: return mount_further(piece);
        case Make::kWorkspace: return mount_workspace(piece);
    }
    return {};
}

Done View::make_place(const Piece& piece) {
    if (piece.is_directory) return sys::mkdirat(root_.get(), piece.path.c_str(), piece.mode);
    PADDOCK_TRY(new_file(root_.get(), piece.path.c_str(), 0));
    return {};
}

// No link is followed: the workspace of the host can be anywhere.
Done View::attach(UniqueFd mount, const char* path) {
    PADDOCK_ASSIGN(place, descend(root_.get(), path));
    return sys::attach_mount(mount.get(), place.get(), "");
}

Done View::mount_system(const Piece& piece) {
    PADDOCK_TRY(make_place(piece));
    PADDOCK_ASSIGN(mount, copy_with_what_is_locked(AT_FDCWD, piece.text.c_str()));
    return sys::attach_mount(mount.get(), root_.get(), piece.path.c_str());
}

Done View::mount_device(const Piece& piece) {
    PADDOCK_TRY(make_place(piece));
    PADDOCK_ASSIGN(mount, sys::copy_mount(AT_FDCWD, piece.text.c_str(), Tree::kOne));
    PADDOCK_TRY(sys::loosen_mount(mount.get(), sys::kMountNoDevices));
    return sys::attach_mount(mount.get(), root_.get(), piece.path.c_str());
}

Done View::mount_scratch(const Piece& piece) {
    PADDOCK_TRY(make_place(piece));
    PADDOCK_ASSIGN(mount, sys::copy_mount(root_.get(), piece.path.c_str(), Tree::kOne));
    return sys::attach_mount(mount.get(), root_.get(), piece.path.c_str());
}

// It is there, with all directories below that are needed.
Done View::close(const Piece& piece) {
    PADDOCK_ASSIGN(mount, sys::copy_mount(root_.get(), piece.path.c_str(), Tree::kOne));
    PADDOCK_TRY(sys::restrict_mount(mount.get(), kHarmless | sys::kMountReadOnly, Tree::kOne));
    return sys::attach_mount(mount.get(), root_.get(), piece.path.c_str());
}

Done View::mount_fresh(const Piece& piece, const ViewSources& sources) {
    PADDOCK_TRY(make_place(piece));
    if (piece.make == Make::kTerminals) {
        constexpr std::array<sys::MountOption, 2> kOptions{
            {{"ptmxmode", "0666"}, {"mode", "0600"}}};
        PADDOCK_ASSIGN(mount,
                       sys::new_mount("devpts", kOptions, sys::kMountNoSetuid | sys::kMountNoExec));
        return sys::attach_mount(mount.get(), root_.get(), piece.path.c_str());
    }
    PADDOCK_ASSIGN(mount, sys::new_mount("proc", {}, kHarmless | sys::kMountNoExec));
    // Second to the filter, which refuses to make any: no namespaces inside.
    PADDOCK_TRY(set_kernel(mount.get(), "sys/user/max_user_namespaces", "0"));
    for (const KernelSetting& each : sources.settings) {
        // A kernel that does not have it has no such limit for the user outside either.
        (void)set_kernel(mount.get(), each.path.c_str(), each.value);
    }
    PADDOCK_TRY(sys::restrict_mount(
        mount.get(), kHarmless | sys::kMountNoExec | sys::kMountReadOnly, Tree::kOne));
    return sys::attach_mount(mount.get(), root_.get(), piece.path.c_str());
}

Done View::mount_extra(const Piece& piece, const ViewSources& sources) {
    UniqueFd mount;
    const ExtraPlan& extra = sources.extras[extras_made_++];
    if (extra.mount.valid()) {
        PADDOCK_ASSIGN(given, sys::duplicate(extra.mount.get()));
        mount = std::move(given);
    } else {
        PADDOCK_ASSIGN(copied, copy_of_held(extra.object.get(), piece.path.c_str()));
        mount = std::move(copied);
    }
    PADDOCK_TRY(
        sys::restrict_mount(mount.get(), kHarmless | sys::kMountReadOnly, Tree::kRecursive));
    return attach(std::move(mount), piece.path.c_str());
}

Done View::mount_further(const Piece& piece) {
    return attach(std::move(further_mounts_[further_made_++]), piece.path.c_str());
}

Outcome<UniqueFd> View::further(const FurtherRootPlan& root) const {
    return descend_to_directory(root_.get(), root.path.c_str() + 1);
}

Done View::mount_workspace(const Piece& piece) {
    workspace_path_ = piece.path.c_str();
    return attach(std::move(workspace_mount_), piece.path.c_str());
}

Done View::enter() {
    PADDOCK_TRY(sys::enter_directory(root_.get()));
    PADDOCK_TRY(sys::pivot_root_here());
    PADDOCK_ASSIGN(workspace, descend_to_directory(root_.get(), workspace_path_));
    workspace_ = std::move(workspace);
    return {};
}

Done View::cover(int target, Shield shield) {
    PADDOCK_ASSIGN(stat, sys::fstat(target));
    const UniqueFd& directory = shield == Shield::kEmptied ? empty_directory_ : blank_directory_;
    const UniqueFd& blank = stat.type == FileType::kDirectory ? directory : blank_file_;
    PADDOCK_ASSIGN(mount, sys::copy_mount(blank.get(), "", Tree::kOne));
    PADDOCK_TRY(sys::restrict_mount(mount.get(), kHarmless | sys::kMountReadOnly, Tree::kOne));
    return sys::attach_mount(mount.get(), target, "");
}

Done View::shield(const char* path, Shield shield, const std::optional<Identity>& object) {
    UniqueFd above;
    const bool is_absolute = *path == '/';
    const auto target = is_absolute ? descend(root_.get(), path + 1, &above)
                                    : descend(workspace_.get(), path, &above);
    if (!target && (target.error().os_error == ENOENT || target.error().os_error == ENOTDIR)) {
        // Below what is hidden nothing is to be found.
        return !object || is_blank(above.get()) ? Done() : Failure::from_errno(ESTALE);
    }
    if (!target) return target.error();
    if (is_blank(target->get())) return {};
    PADDOCK_ASSIGN(there, sys::fstat(target->get()));
    if (object && there.identity != *object) return Failure::from_errno(ESTALE);
    if (shield != Shield::kReadOnly) return cover(target->get(), shield);
    constexpr std::uint64_t kReadable = kHarmless | sys::kMountReadOnly;
    PADDOCK_ASSIGN(is_mount, sys::is_mount_root(target->get()));
    // Something of ours already.
    if (is_mount) return sys::restrict_mount(target->get(), kReadable, Tree::kRecursive);
    PADDOCK_ASSIGN(mount, sys::copy_mount(target->get(), "", Tree::kRecursive));
    PADDOCK_TRY(sys::restrict_mount(mount.get(), kReadable, Tree::kRecursive));
    return sys::attach_mount(mount.get(), target->get(), "");
}

bool View::is_blank(int target) const {
    const auto seen = sys::fstat(target);
    if (!seen) return false;
    for (const UniqueFd* blank : {&blank_file_, &blank_directory_, &empty_directory_}) {
        const auto stat = sys::fstat(blank->get());
        if (stat && stat->identity == seen->identity) return true;
    }
    return false;
}

}  // namespace paddock::sandbox
