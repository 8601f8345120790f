// Which entries of a walk need not be judged.
//
// Judge::remove() and Judge::carry() look at every name of a path, so a deep tree would cost the
// square of its depth. But most names mean nothing to a rule or to git, wherever they are. A path
// of such names alone is refused only for the directory that the walk began in, which was judged.
#pragma once

#include <cstddef>
#include <string_view>

#include "git/judge.h"

namespace paddock::git {

class OrdinaryNames {
public:
    // The directory may be removed, or names may be carried into it.
    OrdinaryNames(const Judge& judge, std::string_view directory);

    // Asked of each entry, in the order of the walk: is nothing below the directory to be refused
    // because of this one? False if the judge has to say.
    bool include(const WalkEntry& entry);

private:
    bool is_ordinary(std::string_view name) const;
    bool is_ordinary_place(std::string_view directory) const;

    const Judge& judge_;
    std::size_t telling_depth_;  // of the first other name on the way to the last entry
};

}  // namespace paddock::git
