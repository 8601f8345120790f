// Names for kinds of files, as programmers say them: "py", "cpp", "make".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"

namespace paddock::search {

struct FileKind {
    std::string_view name;
    // Separated by spaces: "*.ext", a whole name, or "name*".
    std::string_view patterns;
};

// Sorted by name.
const std::vector<FileKind>& file_kinds();

// The files of any of several kinds.
class KindFilter {
public:
    // invalid_argument: there is no such kind.
    Done add(std::string_view kind);

    bool empty() const noexcept { return names_.empty() && endings_.empty() && starts_.empty(); }
    bool matches(std::string_view name) const noexcept;

private:
    // All sorted.
    std::vector<std::string_view> names_;
    std::vector<std::string_view> endings_;  // behind a dot, which may come early: "tar.gz"
    std::vector<std::string_view> starts_;
};

}  // namespace paddock::search
