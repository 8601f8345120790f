#include "git/secrets.h"

namespace paddock::git {
namespace {

// How old an index may be that is asked where to look. An old one makes more secrets, not fewer.
constexpr std::chrono::milliseconds kIndexAge{500};

}  // namespace

bool Secrets::is_secret(const std::string& path, const Stat& stat) {
    if (stat.type != FileType::kRegular) return true;
    const std::pair key(stat.identity.inode, stat.created.count());
    const Version version{stat.changed, stat.size};
    const std::lock_guard lock(mutex_);
    const auto known = free_.find(key);
    if (known != free_.end() && (known->second == version || is_written_(stat))) return false;
    if (tracked_ == nullptr || Clock::now() - tracked_since_ > kIndexAge) {
        tracked_ = std::make_unique<TrackedFiles>(root_);
        tracked_since_ = Clock::now();
    }
    if (!tracked_->holds(path)) return true;
    if (stat.created.count() != 0) free_[key] = version;
    return false;
}

}  // namespace paddock::git
