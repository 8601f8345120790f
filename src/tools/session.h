// The inside of a Workspace: what the tools share during one session.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>
#include <paddock/workspace.h>

#include "policy/meter.h"
#include "secrets/scanner.h"
#include "tools/session_root.h"
#include "tools/shell.h"

namespace paddock::tools {

class Session {
public:
    static Result<std::shared_ptr<Session>> open(WorkspaceOptions options);
    static Session& of(const Workspace& workspace) noexcept { return *workspace.session_; }

    const WorkspaceOptions& options() const noexcept { return options_; }
    const Files& files() const noexcept { return workspace_.files; }
    // Those that a path as a caller writes it is about: of a further directory if it is absolute
    // and lies there, else of the workspace.
    const Files& files_for(std::string_view given) const;
    ReadTracker& reads() noexcept { return workspace_.reads; }
    policy::Meter& meter() noexcept { return meter_; }
    std::vector<SessionRoot*> roots();  // the workspace first
    const std::deque<SessionRoot>& further_roots() const noexcept { return further_; }

    // A client of this name works here, for `paddock log`. Of several each is named.
    void meet_client(std::string_view name);

    // Errors: sandbox_unavailable, if commands cannot be confined here; not_available without one.
    Result<Shell*> shell();

    // How long glob and grep look. Tests have no time to wait for the usual end.
    std::chrono::milliseconds search_time() const noexcept { return search_time_; }
    void set_search_time(std::chrono::milliseconds time) noexcept { search_time_ = time; }

    // Replaces the secrets in a text that is about to leave; returns how many there were. `passes`
    // as in SecretScanner::redact.
    std::size_t redact(std::string& text,
                       std::vector<secrets::Replacements>* passes = nullptr) const;

    // The same for `length` bytes of a longer text that was cut for show. With secret_margin()
    // bytes around them a secret that reaches beyond them is seen as a whole.
    std::string redact_part(std::string_view text, std::size_t begin, std::size_t length) const;
    std::size_t secret_margin() const noexcept;

    // Would what stands for a secret in results take the place of one in a file?
    bool loses_a_secret(std::string_view before, std::string_view after) const;

private:
    Session(WorkspaceOptions options, OpenedRoot workspace, std::vector<OpenedRoot> further,
            policy::PathRules rules, search::GlobalIgnores ignored,
            std::optional<secrets::SecretScanner> scanner);
    SharedByRoots shared();
    Result<std::unique_ptr<Shell>> start_shell();

    WorkspaceOptions options_;
    std::mutex meeting_;
    std::vector<std::string> clients_;
    std::chrono::milliseconds search_time_ = limits::kSearchTimeMax;
    policy::Meter meter_;
    search::GlobalIgnores ignored_;
    std::optional<secrets::SecretScanner> scanner_;  // absent: secrets are not filtered
    const policy::PathRules rules_;
    SessionRoot workspace_;
    std::deque<SessionRoot> further_;
    Result<std::unique_ptr<Shell>> shell_;
};

// Files of the session's roots that belong to another user: left by `sudo npm install`, a container
// or an unpacked archive. Commands cannot change them, and say no more than "Permission denied".
//
// A cheap look, the top of each tree first and a few hundred entries at most, so that each session
// can begin with one.
// One or two sentences for each root that has some: which files there are, and what to do. A
// further root is named by its prefix; one that is only seen is left out.
std::vector<std::string> foreign_files(std::span<SessionRoot* const> roots);

}  // namespace paddock::tools
