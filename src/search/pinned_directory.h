// A directory below a root, looked up once for all the names in it that are asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <paddock/root.h>

#include "base/outcome.h"
#include "fs/root_state.h"

namespace paddock::search {

class PinnedDirectory {
public:
    // `path` is relative to the root, canonical, and empty for the root itself, which must outlive
    // this. What is wrong with it is the answer to each question.
    PinnedDirectory(const Root& root, std::string_view path);

    // Of the name itself, a link not followed. Errors: not_found, mount_crossing, ...
    Outcome<FileType> type_of(std::string_view name) const;

    // Where the link of that name leads, as it is written there.
    Outcome<std::string> link_text(std::string_view name) const;

    // What cannot be looked at counts as there.
    bool may_hold(std::string_view name) const;

private:
    Outcome<int> descriptor() const;

    const fs::RootState& state_;
    std::optional<Outcome<UniqueFd>> opened_;  // absent: the root
};

// The entries of a directory that was seen to be one, with fewer calls than Root::list, which looks
// first.
Outcome<Listing> list_seen(const Root& root, std::string_view path);

}  // namespace paddock::search
