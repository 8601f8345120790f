// Where no gate stands before the workspace (an old kernel, a foreign listener): what is sealed and
// exists is bound read-only, journals are emptied, and paddock reports what of both is new or
// changed.
//
// Found by the rules, and by the shape of git directories (git/judge.h). One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <paddock/root.h>

#include "base/outcome.h"
#include "policy/path_rules.h"
#include "sandbox/protection.h"

namespace paddock::tools {

class SealedWatch {
public:
    // `workspace` passes no link. `rules` must outlive this. `home`: see git::Judge::Facts.
    SealedWatch(Root workspace, const policy::PathRules& rules, const std::string& home);

    // What is there now.
    Outcome<std::vector<sandbox::Protection>> before();

    // What is new or has changed since the first before(), or since the last time.
    Outcome<std::vector<std::string>> after();

private:
    using Found = std::map<std::string, Stat>;

    Outcome<Found> find() const;
    bool is_sealed(const std::string& path) const;

    const Root workspace_;
    const policy::PathRules& rules_;
    const std::vector<std::string> sealed_;  // by the settings of the workspace's own repository
    std::optional<Found> known_;
};

}  // namespace paddock::tools
