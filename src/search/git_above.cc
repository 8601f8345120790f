#include "search/git_above.h"

#include <utility>

#include "base/within.h"
#include "fs/rel_path.h"

namespace paddock::search {

void GitAbove::look(std::string directory) {
    NotableMap noted;
    note_repository(root_, directory, noted);
    is_stale_ = is_stale_ || !noted.empty();
    looked_.push_back({std::move(directory), std::move(noted)});
}

void GitAbove::leave() {
    is_stale_ = is_stale_ || !looked_.back().noted.empty();
    looked_.pop_back();
}

void GitAbove::look_again(std::string_view directory) {
    while (!looked_.empty() && is_within(looked_.back().directory, directory)) leave();
}

const GitParts& GitAbove::parts_above(std::string_view path) {
    const std::string_view directory = fs::parent_of(path);
    while (!looked_.empty() && !is_within(directory, looked_.back().directory)) leave();
    if (looked_.empty()) look({});
    std::string_view rest = directory.substr(looked_.back().directory.size());
    for (auto name = fs::take_component(rest); !name.empty(); name = fs::take_component(rest)) {
        look(fs::joined(looked_.back().directory, name));
    }
    if (!std::exchange(is_stale_, false)) return parts_;
    NotableMap notable;
    for (const Looked& each : looked_) {
        for (const auto& [at, entries] : each.noted) {
            notable[at].insert(notable[at].end(), entries.begin(), entries.end());
        }
    }
    parts_ = git_parts_noted(root_, notable, home_);
    return parts_;
}

}  // namespace paddock::search
