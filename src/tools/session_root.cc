#include "tools/session_root.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/text.h"
#include "fs/procfs.h"
#include "sandbox/view_plan.h"
#include "sys/files.h"

namespace paddock::tools {
namespace {

// Up to where the caller may look.
Outcome<std::vector<Identity>> upwards_from(int directory) {
    std::vector<Identity> upwards;
    UniqueFd held;
    for (int here = directory; upwards.size() < limits::kPathBytesMax;) {
        PADDOCK_ASSIGN(stat, sys::fstat(here));
        if (!upwards.empty() && upwards.back() == stat.identity) break;  // the root
        upwards.push_back(stat.identity);
        auto above = sys::openat(here, "..", O_PATH | O_DIRECTORY);
        if (!above) break;
        held = std::move(*above);
        here = held.get();
    }
    return upwards;
}

}  // namespace

Outcome<RootPlace> RootPlace::of(int directory) {
    RootPlace place;
    PADDOCK_ASSIGN(path, fs::host_path_of(directory));
    place.path_ = std::move(path);
    PADDOCK_ASSIGN(upwards, upwards_from(directory));
    place.upwards_ = std::move(upwards);
    const auto mount = sandbox::mount_of(directory);
    if (!mount) return place;  // as in a chroot
    const std::string point = mount->point == "/" ? "" : mount->point;
    if (!is_within(place.path_, point)) return place;
    place.device_ = mount->device;
    place.in_device_ = (mount->root == "/" ? "" : mount->root) + place.path_.substr(point.size());
    return place;
}

bool RootPlace::holds(const RootPlace& other) const {
    const Identity& own = upwards_.front();
    return is_within(other.path_, path_) ||
           std::find(other.upwards_.begin(), other.upwards_.end(), own) != other.upwards_.end() ||
           (!device_.empty() && device_ == other.device_ &&
            is_within(other.in_device_, in_device_));
}

bool RootPlace::overlaps(const RootPlace& other) const {
    return holds(other) || other.holds(*this);
}

namespace {

Error refuse_root(std::string_view why, const std::string& directory) {
    return as_error(refuse(Code::kInvalidArgument, why), "open", directory);
}

// Of git, that begins above. Where the whole file system is the root, nothing does.
bool lies_in_repository(const Root& workspace) {
    std::string above = fs::host_path_of(workspace.fd()).value_or("");
    while (above.starts_with('/')) {
        above.resize(above.rfind('/'));
        if (sys::stat_path((above + "/.git").c_str())) return true;
    }
    return false;
}

search::GlobalIgnores ignored_in(const OpenedRoot& opened, search::GlobalIgnores ignored) {
    ignored.root_in_repository = opened.base.empty() && lies_in_repository(opened.workspace);
    return ignored;
}

}  // namespace

SessionRoot::SessionRoot(OpenedRoot given, const SharedByRoots& shared)
    : opened(std::move(given)),
      disk(opened.linkless, opened.base.empty() ? "." : opened.base,
           shared.options.limits.bytes_on_disk),
      recorder({.root = opened.linkless,
                .base = opened.base,
                .workspace = opened.workspace,
                .records = !opened.read_only,
                .client = shared.options.client}),
      hidden(opened.root, opened.base, opened.workspace, shared.rules, shared.home,
             {.made = [this](const Stat& stat) { return recorder.is_own(stat); },
              .written = [this](const Stat& stat) { return recorder.has_written(stat); }},
             shared.scanner),
      files({.root = opened.root,
             .linkless = opened.linkless,
             .base = opened.base,
             .rules = shared.rules,
             .recorder = recorder,
             .hidden = hidden,
             .meter = shared.meter,
             .disk = disk,
             .reads = shared.options.track_reads ? &reads : nullptr,
             .scanner = shared.scanner,
             .home = shared.home,
             .ignored = ignored_in(opened, shared.ignored),
             .read_only = opened.read_only,
             .prefix = opened.prefix}) {}

bool SessionRoot::holds(std::string_view path) const {
    return path.starts_with('/') && opened.root.normalized(path).has_value();
}

Result<std::vector<OpenedRoot>> open_further_roots(const WorkspaceOptions& options,
                                                   const Root& workspace) {
    std::vector<OpenedRoot> roots;
    if (options.also.empty() && options.see.empty()) return roots;
    if (options.also.size() + options.see.size() > limits::kFurtherRootsMax) {
        return refuse_root("there are too many further directories", options.root);
    }
    auto first = RootPlace::of(workspace.fd());
    if (!first) return as_error(first.error(), "open", options.root);
    std::vector<RootPlace> taken{std::move(*first)};
    const auto add = [&](const std::string& directory, bool read_only) -> Status {
        RootOptions paths = options.paths;
        paths.absolute = AbsolutePaths::kInside;  // it has no other name
        paths.mounts.clear();                     // those of the workspace
        auto root = Root::open(directory, paths);
        if (!root) return root.error();
        auto place = RootPlace::of(root->fd());
        if (!place) return as_error(place.error(), "open", directory);
        for (const RootPlace& other : taken) {
            if (!place->overlaps(other)) continue;
            return refuse_root(
                "overlaps another directory of this session; name each directory once, and use "
                "workspace.rules for a part of one",
                directory);
        }
        std::string path = place->path();
        taken.push_back(std::move(*place));
        if (read_only) root = root->read_only();
        const Root linkless = root->linkless();
        roots.push_back({std::move(*root), linkless, {}, linkless, std::move(path), read_only});
        return {};
    };
    for (const std::string& directory : options.also) {
        if (auto added = add(directory, options.read_only); !added) return added.error();
    }
    for (const std::string& directory : options.see) {
        if (auto added = add(directory, true); !added) return added.error();
    }
    return roots;
}

}  // namespace paddock::tools
