// May a part of a repository that a command made stay as it is?
#pragma once

#include <string>
#include <string_view>

#include <paddock/root.h>

#include "base/outcome.h"
#include "git/trust.h"

namespace paddock::tools {

// Does the ".git" file or "commondir" at `path` lead to a repository inside, passing no link? That
// one's own parts are another question.
bool leads_to_repository(const Root& root, const std::string& path);

// Would the "commondir" at `path` take the place of settings or objects that its directory has
// itself, as no worktree's has?
bool redirects_repository(const Root& root, const std::string& path);

struct JudgedConfig {
    git::GitVerdict verdict;
    std::string text;  // if the verdict is clean
};

// The git config at `path`, where one with the text `trusted` was there before. Errors: those of
// reading it, but for its size; not_regular_file.
Outcome<JudgedConfig> judge_config_file(const Root& root, const std::string& path,
                                        std::string_view trusted, git::Trusted fate);

}  // namespace paddock::tools
