// A workspace with a guard around commands of the plain shell: nothing but the guard keeps them
// from anything, so every attack works until after() undoes it.
#pragma once

#include <optional>
#include <string>

#include "policy/path_defaults.h"
#include "testing/jail.h"
#include "testing/shell.h"
#include "tools/guard.h"

namespace paddock::testing {

class Guarded : public Jail {
protected:
    std::vector<PathRule> rules;  // of the operator
    bool quarantines = true;
    bool kernel_holds = true;
    bool alive = false;  // a process of the session, which the guard does not wait for

    // What is newly to be protected: "path path ".
    std::string before(tools::Since since = tools::Since::kQuiet);

    // What was undone: "path:what(detail) ", where `what` is a word of undone_word.
    std::string after();
    tools::GuardReport report();  // that must not be unfinished

    // Whether the command succeeded; nothing that it prints is shown.
    bool sh(const std::string& command, const std::string& directory = ".");

    // Names below the workspace, sorted, without those of git's objects and samples: "a/b c ".
    std::string names() const;

    // Content of what the record kept, or nothing.
    std::optional<std::string> kept(const tools::GuardRecord& record) const;

    tools::Guard& guard();

private:
    std::optional<policy::PathRules> compiled_;
    tools::HeldObjects held_;
    std::optional<tools::Guard> guard_;
};

std::string undone_word(tools::Undone what);

}  // namespace paddock::testing
