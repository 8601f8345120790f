// The names that one call has touched, each with what it was before: from it and from what it is at
// the end follows what the call changed.
//
// When a directory is renamed the names below it go with it, so that they are looked for where they
// are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>

#include "journal/journal.h"
#include "journal/record.h"

namespace paddock::journal {

class TouchedNames {
public:
    // Only the first time counts: is it that? `before`: nullptr if there was nothing.
    bool touch(std::string_view path, const Stat* before);
    void forget(std::string_view path);

    void rename_directory(std::string_view from, std::string_view to);
    void exchange_directories(std::string_view one, std::string_view other);

    std::size_t size() const noexcept { return names_.size(); }

    // Looks at each name as it is now, in the order of the paths, calls `note` for each that is
    // there, adds up what has changed, and forgets the names. `changed` gets the first that have,
    // until it holds limits::kChangedNamesMax.
    using Note = std::function<void(std::string_view path, const Stat& now)>;
    Changes settle(int workspace, std::vector<NameChange>& changed, const Note& note);

private:
    struct Before {
        bool existed = false;
        Object object = {};
        FileType type = FileType::kUnknown;
        std::uint32_t mode = 0;
        std::uint64_t size = 0;
        std::chrono::nanoseconds modified = {};

        bool is_like(const Stat& now) const noexcept;
    };
    using Names = std::map<std::string, Before, std::less<>>;

    Names take_below(std::string_view directory);
    void put_below(Names taken, std::string_view from, std::string_view to);

    Names names_;
};

}  // namespace paddock::journal
