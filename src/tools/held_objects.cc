#include "tools/held_objects.h"

#include <utility>

namespace paddock::tools {
namespace {

bool is_hidden(const search::ProtectedPath& entry) {
    return entry.protection == search::Protection::kHidden;
}

// What only a link leads to is refused under the name of the link alone.
bool is_kept(const search::ProtectedPath& entry) {
    if (entry.protection == search::Protection::kPinned) return false;
    return entry.kind != search::ProtectedKind::kNamed || entry.named_by.empty();
}

// Of several names of one object.
bool is_stricter(const search::ProtectedPath& a, const search::ProtectedPath& b) {
    return is_same_object(a.stat, b.stat) &&
           std::pair(is_kept(a), is_hidden(a)) > std::pair(is_kept(b), is_hidden(b));
}

}  // namespace

void HeldObjects::add(const search::ProtectedPath& entry) {
    const std::lock_guard lock(mutex_);
    const auto held = held_.find(key_of(entry.stat));
    if (held != held_.end() && is_stricter(held->second, entry)) return;
    forget(key_of(entry.stat));
    held_.emplace(key_of(entry.stat), entry);
    if (is_hidden(entry)) ++hidden_;
}

void HeldObjects::remove(const Stat& stat) {
    const std::lock_guard lock(mutex_);
    forget(key_of(stat));
}

void HeldObjects::assign(const std::vector<search::ProtectedPath>& entries) {
    std::map<ObjectKey, search::ProtectedPath> held;
    for (const auto& entry : entries) {
        search::ProtectedPath& there = held.try_emplace(key_of(entry.stat), entry).first->second;
        if (!is_stricter(there, entry)) there = entry;
    }
    std::size_t hidden = 0;
    for (const auto& [key, entry] : held) hidden += is_hidden(entry) ? 1U : 0U;
    const std::lock_guard lock(mutex_);
    held_.swap(held);
    hidden_ = hidden;
}

void HeldObjects::forget(const ObjectKey& key) {
    const auto found = held_.find(key);
    if (found == held_.end()) return;
    if (is_hidden(found->second)) --hidden_;
    held_.erase(found);
}

std::optional<search::ProtectedPath> HeldObjects::find(const Stat& stat) const {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(key_of(stat));
    if (found == held_.end() || !is_same_object(found->second.stat, stat)) return std::nullopt;
    return found->second;
}

bool HeldObjects::keeps(const Stat& stat) const {
    const auto held = find(stat);
    return held && is_kept(*held);
}

bool HeldObjects::hides(const Stat& stat) const {
    const auto held = find(stat);
    return held && is_kept(*held) && is_hidden(*held);
}

bool HeldObjects::empty() const {
    const std::lock_guard lock(mutex_);
    return held_.empty();
}

}  // namespace paddock::tools
