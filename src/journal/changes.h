// What a call has changed, in numbers and by name.
#pragma once

#include <cstdint>
#include <string>

namespace paddock::journal {

struct NameChange {
    enum class What : std::uint8_t { kMade, kChanged, kMoved, kRemoved };
    What what = What::kMade;
    std::string path;
    std::string from = {};  // of kMoved, which counts as changed
};

// What one call changed, by distinct names.
struct Changes {
    std::uint64_t made = 0;
    std::uint64_t changed = 0;
    std::uint64_t removed = 0;
    std::uint64_t not_kept = 0;  // changed beyond what can be undone: too large, no room

    std::uint64_t names() const noexcept { return made + changed + removed; }
    bool any() const noexcept { return names() > 0; }
    void count(NameChange::What what) noexcept {
        ++(what == NameChange::What::kMade      ? made
           : what == NameChange::What::kRemoved ? removed
                                                : changed);
    }
};

}  // namespace paddock::journal
