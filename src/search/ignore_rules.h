// Which ignore files are in force in a directory, read through the Root: .ignore, in a git
// repository .gitignore, and at its root .git/info/exclude. So ripgrep and fd have it: elsewhere a
// .gitignore is a file of somebody's source package. A file that cannot be read, is no regular file
// or is not usable counts as absent. Nothing outside the root is asked: whoever walks may bring
// further rules. Where ".git" is a file, the repository's exclude lies elsewhere and is not read.
#pragma once

#include <memory>
#include <string_view>

#include "fs/root_state.h"
#include "text/ignore.h"

namespace paddock::search {

using IgnoreScope = std::shared_ptr<const text::IgnoreScope>;  // null: no rules
using IgnoreFile = text::IgnoreScope::File;                    // null: no rules

// What no file in the root says. Weaker than all files there.
struct GlobalIgnores {
    IgnoreFile everywhere{};
    IgnoreFile in_repositories{};     // instead of the others: with core.excludesFile
    bool root_in_repository = false;  // of one that begins above the root
};

// Which of them a directory has, as its listing says.
struct IgnoreFilesPresent {
    bool ignore = false;
    bool gitignore = false;
    bool repository = false;

    bool any() const noexcept { return ignore || gitignore || repository; }
    void note(std::string_view name) noexcept;
};

// The scope of the directory at `path`, open as `directory`, in one that has the scope `above`.
IgnoreScope ignore_scope_in(const fs::RootState& state, int directory, std::string_view path,
                            IgnoreScope above, const IgnoreFilesPresent& present,
                            const GlobalIgnores& global);

// The scope of all directories above `path`, from the root on.
IgnoreScope ignore_scope_above(const fs::RootState& state, std::string_view path,
                               const GlobalIgnores& global);

}  // namespace paddock::search
