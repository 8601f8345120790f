// Which files of a tree a search is about: by globs, "!" before one excludes, and by type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "search/file_types.h"
#include "search/walked_directory.h"
#include "text/glob.h"

namespace paddock::search {

class PathFilter {
public:
    // A glob without a slash is for names at any depth. With one it is for paths, relative to the
    // start of the walk or to the root: whoever writes it may mean either. The last glob that
    // matches decides; if none does, the path is in unless some glob includes.
    Done add_glob(std::string_view glob);
    Done add_kind(std::string_view kind) { return kinds_.add(kind); }

    // `start` is where the walk starts, relative to the root.
    void set_start(std::string_view start);

    Interest choose(std::string_view path, std::string_view name, FileType type) const;

private:
    struct Rule {
        text::Glob glob;
        bool excludes = false;
    };

    std::string_view below_start(std::string_view path) const noexcept;
    bool excludes(std::string_view path, bool is_directory) const;
    bool may_include_below(std::string_view path) const;

    std::vector<Rule> rules_;
    bool includes_ = false;  // some rule does
    KindFilter kinds_;
    std::size_t start_bytes_ = 0;  // with its slash
};

}  // namespace paddock::search
