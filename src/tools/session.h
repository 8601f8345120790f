// The inside of a Workspace: what the tools share during one session.
#pragma once

#include <memory>
#include <string>

#include <paddock/workspace.h>

#include "policy/meter.h"
#include "search/secret_scanner.h"
#include "tools/files.h"

namespace paddock::tools {

class Session {
public:
    struct Opened {
        Root root;
        Root linkless;
        std::string base;  // where relative paths begin; empty: in the root
    };

    static Result<std::shared_ptr<Session>> open(WorkspaceOptions options);

    const WorkspaceOptions& options() const noexcept { return options_; }
    const Files& files() const noexcept { return files_; }
    ReadTracker& reads() noexcept { return reads_; }
    policy::Meter& meter() noexcept { return meter_; }

    // Replaces the secrets in a text that is about to leave; returns how many there were.
    std::size_t redact(std::string& text) const;

private:
    Session(WorkspaceOptions options, Opened opened, policy::PathRules rules,
            search::SecretScanner scanner);

    WorkspaceOptions options_;
    ReadTracker reads_;
    policy::Meter meter_;
    search::SecretScanner scanner_;
    Files files_;
};

}  // namespace paddock::tools
