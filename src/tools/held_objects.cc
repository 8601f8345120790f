#include "tools/held_objects.h"

#include <algorithm>

namespace paddock::tools {

HeldObjects::Key HeldObjects::key_of(const Stat& stat) {
    return {stat.identity.device, stat.identity.inode};
}

void HeldObjects::add(const search::ProtectedPath& entry) {
    const std::lock_guard lock(mutex_);
    held_.insert_or_assign(key_of(entry.stat), entry);
    count_hidden();
}

void HeldObjects::remove(const Stat& stat) {
    const std::lock_guard lock(mutex_);
    held_.erase(key_of(stat));
    count_hidden();
}

void HeldObjects::assign(const std::vector<search::ProtectedPath>& entries) {
    std::map<Key, search::ProtectedPath> held;
    for (const auto& entry : entries) held.insert_or_assign(key_of(entry.stat), entry);
    const std::lock_guard lock(mutex_);
    held_.swap(held);
    count_hidden();
}

void HeldObjects::count_hidden() {
    hidden_ =
        static_cast<std::size_t>(std::count_if(held_.begin(), held_.end(), [](const auto& it) {
            return it.second.protection == search::Protection::kHidden;
        }));
}

std::optional<search::ProtectedPath> HeldObjects::find(const Stat& stat) const {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(key_of(stat));
    if (found == held_.end() || !is_same_object(found->second.stat, stat)) return std::nullopt;
    return found->second;
}

// What only a link leads to is refused under the name of the link alone.
bool HeldObjects::keeps(const Stat& stat) const {
    const auto held = find(stat);
    if (!held || held->protection == search::Protection::kPinned) return false;
    return held->kind != search::ProtectedKind::kNamed || held->named_by.empty();
}

bool HeldObjects::hides(const Stat& stat) const {
    const auto held = keeps(stat) ? find(stat) : std::nullopt;
    return held && held->protection == search::Protection::kHidden;
}

bool HeldObjects::empty() const {
    const std::lock_guard lock(mutex_);
    return held_.empty();
}

bool HeldObjects::hides_any() const {
    const std::lock_guard lock(mutex_);
    return hidden_ > 0;
}

}  // namespace paddock::tools
