// Objects of git that a session has made, and that somebody else may need by now.
//
// Git writes no object twice. Whoever merges a branch that a session has committed or fetched has
// the session's objects in his own history: an undo that takes them away breaks his repository.
// Nobody misses an object that stays. So they stay wherever the repository was changed since.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "journal/timeline.h"
#include "journal/tree_model.h"

namespace paddock::journal {

class ObjectStores {
public:
    // `workspace` and `timeline` are borrowed. What changed in a repository after `since` was not
    // changed by what is to be undone.
    ObjectStores(int workspace, const Timeline& timeline, std::int64_t since)
        : workspace_(workspace), timeline_(timeline), since_(since) {}

    // Does this path of the model lie among objects that stay?
    bool is_needed(TreeModel& model, std::string_view path);

private:
    bool was_changed(TreeModel& model, std::string_view repository);
    bool look_at(const std::string& repository) const;
    bool is_changed_by_others(const Stat& stat) const;

    const int workspace_;
    const Timeline& timeline_;
    const std::int64_t since_;
    std::map<std::string, bool, std::less<>> changed_;  // by their paths on the disk
};

// Does git write a file under this name before it gives it the one that it is read by?
bool is_temporary_object(std::string_view path);

}  // namespace paddock::journal
