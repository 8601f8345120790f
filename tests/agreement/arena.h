// Two equal workspaces on disk, each with its own outside, built from one plan by plain system
// calls. Looking needs one of them; for changes each resolver gets its own, and they must end
// equal.
//
// Whatever fails here is a fault of the test's surroundings and throws std::runtime_error.
#pragma once

#include <string>
#include <vector>

#include <paddock/unique_fd.h>

#include "agreement/plan.h"

namespace paddock::agreement {

class Arena {
public:
    // Uses `base`, an empty directory, for itself until the end.
    explicit Arena(const std::string& base);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    const Ground& first() const { return grounds_[0]; }
    const Ground& second() const { return grounds_[1]; }

    // Builds both workspaces. The plan's identities are then those of the first.
    void build(Plan& plan);
    void clear();

    // A text that belongs to the first workspace, as the second one would have it.
    std::string for_second(const std::string& text) const;

    // Everything in a workspace as text, equal for equal workspaces. Makes all of it readable.
    std::string first_content() const;
    std::string second_content() const;

    // Everything beside both workspaces, with times.
    std::string outside() const;

    bool modes_bind() const { return modes_bind_; }        // permission bits stop this user
    bool owners_change() const { return owners_change_; }  // this user may give files away

private:
    void build_one(Node& node, const std::string& path, const Ground& ground, bool fill);
    void mount_at(const Node& node, const std::string& path, const Ground& ground);

    Ground grounds_[2];
    std::vector<UniqueFd> mounts_;
    bool modes_bind_ = false;
    bool owners_change_ = false;
};

}  // namespace paddock::agreement
