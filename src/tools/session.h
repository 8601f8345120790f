// The inside of a Workspace: what the tools share during one session.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <paddock/limits.h>
#include <paddock/workspace.h>

#include "policy/meter.h"
#include "search/secret_scanner.h"
#include "search/walked_directory.h"
#include "tools/files.h"
#include "tools/hidden_files.h"
#include "tools/recorder.h"
#include "tools/shell.h"

namespace paddock::tools {

class Session {
public:
    struct Opened {
        Root root;
        Root linkless;
        std::string base;  // where relative paths begin; empty: in the root
        Root workspace;    // what commands are confined to: the directory, no link followed
    };

    static Result<std::shared_ptr<Session>> open(WorkspaceOptions options);

    const WorkspaceOptions& options() const noexcept { return options_; }
    const Files& files() const noexcept { return files_; }
    ReadTracker& reads() noexcept { return reads_; }
    policy::Meter& meter() noexcept { return meter_; }
    Recorder& recorder() noexcept { return recorder_; }

    // Errors: sandbox_unavailable, if commands cannot be confined here; not_available without one.
    Attempt<Shell*> shell();

    const search::IgnoreFile& ignored() const noexcept { return ignored_; }
    // How long glob and grep look. Tests have no time to wait for the usual end.
    std::chrono::milliseconds search_time() const noexcept { return search_time_; }
    void set_search_time(std::chrono::milliseconds time) noexcept { search_time_ = time; }
    // How tools walk: what the rules hide is not there.
    search::WalkOptions walk(bool hidden, bool ignored) const;

    // Replaces the secrets in a text that is about to leave; returns how many there were.
    std::size_t redact(std::string& text) const;

    // The same for `length` bytes of a longer text that was cut for show. With secret_margin()
    // bytes around them a secret that reaches beyond them is seen as a whole.
    std::string redact_part(std::string_view text, std::size_t begin, std::size_t length) const;
    std::size_t secret_margin() const noexcept;

    // Would what stands for a secret in results take the place of one in a file?
    bool loses_a_secret(std::string_view before, std::string_view after) const;

private:
    Session(WorkspaceOptions options, const Opened& opened, policy::PathRules rules,
            search::IgnoreFile ignored, std::optional<search::SecretScanner> scanner);
    Result<std::unique_ptr<Shell>> start_shell(const Root& workspace);

    WorkspaceOptions options_;
    std::chrono::milliseconds search_time_ = limits::kSearchTimeMax;
    ReadTracker reads_;
    policy::Meter meter_;
    DiskUse disk_;
    search::IgnoreFile ignored_;
    std::optional<search::SecretScanner> scanner_;  // absent: secrets are not filtered
    const policy::PathRules rules_;
    Recorder recorder_;
    HiddenFiles hidden_;
    Files files_;
    Result<std::unique_ptr<Shell>> shell_;
};

}  // namespace paddock::tools
