// Workspace: a Root with what an agent session needs around it: path rules, a read tracker, a
// filter for secrets, limits, an audit trail. The tools (tools.h) work on one.
//
// Promise: no tool opens anything outside the root, changes a path that a rule protects, or changes
// an existing file that this session has not read in its present content; and every text that
// leaves passes the secrets filter. The operator's options are the boundary: no argument of a tool
// and no file in the workspace widens them.
//
// Not promised: rules match names, so a hard link of a protected file under another name is not
// protected. The secrets filter knows shapes; a secret without one passes unless its value was
// given. What another process changes between the look and the step is lost when a tool removes or
// moves over a file; a tool that writes refuses it.
//
// Threads: one object per session; all methods may be called from any thread. Copies are cheap and
// share everything.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>
#include <paddock/policy.h>
#include <paddock/read_tracker.h>
#include <paddock/root.h>
#include <paddock/root_options.h>
#include <paddock/shell.h>

namespace paddock {

namespace permit {

// Lets paths resolve as the operating system does: the workspace is then only where relative paths
// begin, and ".." after a link goes up from where the link leads. Rules, tracker, secrets filter
// and limits stay, and so does the sandbox of commands: they see the workspace only. A reason of
// fewer than two words is refused.
struct Unconfined {
    std::string reason;
};

}  // namespace permit

// One call of a tool. Views are valid during the sink's call only.
struct AuditEvent {
    std::string_view tool;
    std::string_view arguments;  // as given, secrets replaced, cut at limits::kAuditBytesMax
    std::optional<Code> error;
    std::uint64_t bytes_out = 0;
    std::size_t secrets = 0;  // that were replaced in the answer
    std::chrono::nanoseconds duration{};
};
using AuditSink = std::function<void(const AuditEvent&)>;

// A value that is replaced wherever it appears, also in base64 or URL-encoded, by
// "[REDACTED:name]".
struct NamedSecret {
    std::string name;
    std::string value;
};

struct WorkspaceOptions {
    std::string root = ".";
    // Further directories, for tools and commands: those of `also` can be changed, those of `see`
    // only be read. Each is a root of its own with the same promises, and is named by its absolute
    // path. None may lie in another. At most limits::kFurtherRootsMax.
    std::vector<std::string> also{};
    std::vector<std::string> see{};
    std::string client{};  // who works there, for `paddock log`
    RootOptions paths;
    bool read_only = false;  // tools that change files are not listed
    // Names of tools that are listed; "core" stands for those that an agent needs for most of its
    // work, "full" for all. Empty: all.
    std::vector<std::string> tools{};
    std::optional<permit::Unconfined> unconfined{};

    std::vector<PathRule> rules{};  // the first that matches decides, before the default ones
    bool default_rules = true;      // secrets denied; what git, shells and agents obey read-only
    std::vector<PathRule> further_default_rules{};  // beside those; the stricter counts
    std::string ignore_rules{};  // searches pass over these too: the text of a gitignore file,
                                 // weaker than the files in the workspace
    std::string git_excludes{};  // the same in git repositories only: of core.excludesFile
    bool track_reads = true;
    bool redact_secrets = true;
    std::vector<NamedSecret> secrets{};
    CallLimits limits{};
    AuditSink audit{};  // called from the thread of the call, after it

    // Commands, and how they are confined; absent: there is no bash. Open the workspace early then,
    // while the process is small and has no threads: see ShellOptions.
    std::optional<ShellOptions> shell{};
    std::vector<std::string> host_environment{};  // "NAME=value", as in environ; few are passed on
};

namespace tools {
class Session;
}

class Workspace {
public:
    // Errors: those of Root::open, and invalid_argument for a rule that is no glob or that can
    // match nothing as it is written, or a tool that is none.
    static Result<Workspace> open(WorkspaceOptions options);

    bool is_read_only() const noexcept;
    ReadTracker& reads() const noexcept;

private:
    friend class tools::Session;
    explicit Workspace(std::shared_ptr<tools::Session> session) : session_(std::move(session)) {}

    std::shared_ptr<tools::Session> session_;
};

}  // namespace paddock
