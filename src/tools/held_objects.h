// What the kernel keeps commands from, as objects.
//
// A command can rename the directories above such an object, and so give it a name that no rule
// restricts: below a directory of packages or among branches. Therefore the file tools ask for the
// object as well.
//
// Threads: any may ask while the guard tells.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "search/protected_paths.h"
#include "tools/judged_object.h"

namespace paddock::tools {

class HeldObjects {
public:
    // Each with the path where it was looked at; of several names of one object the strictest.
    void add(const search::ProtectedPath& entry);
    void remove(const Stat& stat);
    // All others are held no longer.
    void assign(const std::vector<search::ProtectedPath>& entries);

    std::optional<search::ProtectedPath> find(const Stat& stat) const;
    // Is it refused under every name, to who wants to change it or to look at it?
    bool keeps(const Stat& stat) const;
    bool hides(const Stat& stat) const;
    bool empty() const;
    bool hides_any() const noexcept { return hidden_ > 0; }

private:
    void forget(const ObjectKey& key);

    mutable std::mutex mutex_;
    std::map<ObjectKey, search::ProtectedPath> held_;
    std::atomic<std::size_t> hidden_ = 0;  // of these; every read asks
};

}  // namespace paddock::tools
