#include "tools/closed_directories.h"

#include "tools/unlocked.h"

namespace paddock::tools {
namespace {

bool open_with_those_above(const Root& root, const std::string& path) {
    bool opened = make_readable(root, {});
    for (std::size_t end = 0; end != path.npos;) {
        end = path.find('/', end + 1);
        opened = make_readable(root, path.substr(0, end)) || opened;
    }
    return opened;
}

}  // namespace

void ClosedDirectories::leave(const search::TreeSnapshot::Unreadable& directories) {
    left_.clear();
    for (const auto& [path, why] : directories) leave(path);
}

void ClosedDirectories::leave(const std::string& path) {
    const auto stat = root_.lstat(path);
    left_[path] = stat ? *stat : Stat{};
}

bool ClosedDirectories::is_left(const std::string& path) const {
    const auto found = left_.find(path);
    if (found == left_.end()) return false;
    const auto stat = root_.lstat(path);
    return is_same_object(found->second, stat ? *stat : Stat{});
}

std::optional<std::size_t> ClosedDirectories::open(const std::string& path, const Failure& why) {
    if (why.code != Code::kPermissionDenied || !open_with_those_above(root_, path)) {
        leave(path);
        return std::nullopt;
    }
    std::size_t below = 0;
    (void)root_.walk(path, [&](const WalkEntry& entry) {
        const bool is_directory = entry.type == FileType::kDirectory && entry.failure == nullptr;
        if (is_directory && make_readable(root_, entry.path)) ++below;
        return WalkAction::kContinue;
    });
    return below;
}

}  // namespace paddock::tools
