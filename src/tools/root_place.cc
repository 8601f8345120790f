#include "tools/root_place.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/procfs.h"
#include "sandbox/mount_table.h"
#include "sys/open.h"
#include "sys/stat.h"

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

}  // namespace paddock::tools
