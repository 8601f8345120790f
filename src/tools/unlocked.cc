#include "tools/unlocked.h"

#include <fcntl.h>

#include <optional>
#include <utility>

#include "fs/procfs.h"
#include "fs/resolver.h"
#include "sys/stat.h"

namespace paddock::tools {
namespace {

constexpr Mode kRead = 0500;
constexpr Mode kChange = 0700;

// The root is held; "." in it could not be opened without the permission to search.
UniqueFd pin(const Root& root, std::string_view directory) {
    if (directory.empty()) return {};
    const fs::RootState& state = fs::state_of(root);
    const auto path = fs::parse_path(directory, state.rules);
    if (!path) return {};
    auto opened = fs::open_object(state, *path, O_PATH | O_DIRECTORY);
    return opened ? std::move(*opened) : UniqueFd();
}

// The permissions that were there, if they were not enough and are now.
std::optional<Mode> grant(int directory, Mode needed) {
    const auto node = sys::node(directory);
    if (!node || (node->stat.mode & needed) == needed) return std::nullopt;
    if (!fs::chmod_pinned(directory, node->stat.mode | needed)) return std::nullopt;
    return node->stat.mode;
}

}  // namespace

Unlocked::Unlocked(const Root& root, std::string_view directory) : own_(pin(root, directory)) {
    const int fd = directory.empty() ? root.fd() : own_.get();
    const auto before = fd < 0 ? std::nullopt : grant(fd, kChange);
    if (!before) return;
    directory_ = fd;
    before_ = *before;
}

Unlocked::~Unlocked() {
    if (directory_ >= 0) (void)fs::chmod_pinned(directory_, before_);
}

bool make_readable(const Root& root, std::string_view directory) {
    const UniqueFd own = pin(root, directory);
    const int fd = directory.empty() ? root.fd() : own.get();
    return fd >= 0 && grant(fd, kRead).has_value();
}

}  // namespace paddock::tools
