// The gate: performs for commands every call that changes the workspace.
//
// Commands may only read and run there (Landlock). Each call that opens for writing or changes a
// name stops (seccomp) and comes here. The gate copies the path once, finds the directory itself
// beneath the workspace, asks git::Judge, has the journal record the change, makes it on the held
// directory and gives the command the descriptor or the answer. A call that leads elsewhere is let
// through to the kernel, which decides: whatever the command puts in the place of the path by then,
// Landlock does not let it change the workspace.
//
// What it cannot do: a working directory deeper than PATH_MAX is ENAMETOOLONG; a signal handler
// without SA_RESTART may see EINTR before the call is taken up. Times do not come here.
//
// Runs in the warden, one call at a time; never waits for a command: a FIFO without a reader is
// asked again later (has_parked).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "git/judge.h"
#include "git/tracked.h"
#include "journal/journal.h"
#include "sandbox/gated_call.h"
#include "sandbox/observer.h"
#include "sandbox/places.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {

// A change that was refused, for the report at the end of the command.
struct GateRefusal {
    DeniedOperation operation = DeniedOperation::kWrite;
    std::string path;  // relative to the workspace
    std::string why;
};

struct GateSetup {
    int workspace = -1;          // its directory as commands reach it, borrowed
    std::string workspace_path;  // where they see it, absolute
    const policy::PathRules* rules = nullptr;
    journal::Journal* journal = nullptr;
    std::string home;  // see git::Judge::Facts
    // Landlock keeps commands from truncating (ABI 3). Without it no such call is let through.
    bool landlock_truncate = true;
    // Where commands see the other roots that have a gate, absolute.
    std::vector<std::string> others = {};
    // Those of them that the owner has at the same path.
    std::vector<std::string> others_of_owner = {};
};

class Gate {
public:
    enum class Answer : std::uint8_t {
        kDone,      // the call has its answer
        kContinue,  // not of the gate: let it through
        kParked,    // it waits; retry()
    };

    static Outcome<std::unique_ptr<Gate>> make(GateSetup setup);

    // `listener` must stay open until no call of it is parked.
    Answer handle(const sys::seccomp::Notification& call, int listener, journal::CallId of,
                  std::optional<GateRefusal>& refused);

    // False of a call that Landlock does not judge: no gate hands one on but to another gate.
    bool may_let_through(const sys::seccomp::Notification& call) const;

    bool has_parked() const noexcept { return !parked_.empty() || !drafts_.empty(); }
    void retry();  // what is parked
    // What was refused between calls.
    std::optional<GateRefusal> take_refusal(int listener);
    // Nobody listens there any more.
    void forget(int listener);

    // All whose settings lead somewhere, as a search has found them. Relative to the workspace.
    void set_repositories(const std::vector<std::string>& directories);

    journal::Journal& journal() noexcept { return *setup_.journal; }

private:
    struct Parked {
        Caller caller;
        UniqueFd fifo;
        std::uint64_t flags = 0;
    };
    // A config that a command makes by writing to it. It writes to a file without a name; the one
    // that bears the name stays empty until nobody writes any more and the text was judged.
    struct Draft {
        int listener = -1;
        UniqueFd text;
        UniqueFd file;
    };
    // The end of a call. If it is done: an errno, or the descriptor that the command gets, or 0.
    struct End {
        Answer answer = Answer::kDone;
        int os_error = 0;
        std::int64_t value = 0;
    };

    explicit Gate(GateSetup setup)
        : setup_(std::move(setup)), places_(setup_.workspace, setup_.workspace_path) {}

    End perform(const GatedCall& call, const Caller& caller);
    End open(const GatedCall& call, const Caller& caller);
    End give_draft(UniqueFd file, const GatedCall& call, const Caller& caller, const Place& place);
    void settle_drafts();
    End give_commondir(UniqueFd file, const GatedCall& call, const Caller& caller,
                       const Place& place);
    End open_unnamed(const GatedCall& call, const Caller& caller);
    End open_again(const GatedCall& call, const Caller& caller, const std::string& link);
    End give(UniqueFd file, const GatedCall& call, const Caller& caller, const Place* made,
             int truncated = -1);
    End make_name(const GatedCall& call, const Caller& caller);
    End link(const GatedCall& call, const Caller& caller);
    End rename(const GatedCall& call, const Caller& caller);
    End install_config(const Place& from, const Stat& stat, const Place& to, const Caller& caller);
    End remove(const GatedCall& call, const Caller& caller);
    End truncate(const GatedCall& call, const Caller& caller);
    End chmod(const GatedCall& call, const Caller& caller);
    End change_attribute(const GatedCall& call, const Caller& caller);
    int refuse_to_close(const Object& object, std::uint32_t mode);
    Outcome<Object> hold_object(const GatedCall& call, const Caller& caller);
    End bind(const GatedCall& call, const Caller& caller);

    bool may_let_through(const GatedCall& call) const;
    bool is_elsewhere(std::string_view path) const;  // absolute: in a root of another gate
    static int error_of(const Failure& failure);
    static End not_located(const Failure& failure);
    std::optional<int> refuse(git::Verdict verdict, const std::string& path);
    // `target`: of a symbolic link.
    Outcome<journal::Intent> prepare_to_make(const Place& place, FileType type,
                                             const Caller& caller, std::string_view target = {});
    int adopt_config(const std::string& path, const Caller& caller);
    Done write_config(const Place& to, std::string_view text, const Stat& like);
    static void made(const Place& place, journal::Intent& intent);

    GateSetup setup_;
    Places places_;
    std::optional<Root> root_;
    std::unique_ptr<git::Secrets> secrets_;
    std::shared_ptr<const git::Repositories> repositories_ =
        std::make_shared<const git::Repositories>();
    std::unique_ptr<git::Judge> judge_;
    std::vector<Parked> parked_;
    std::vector<Draft> drafts_;
    std::vector<std::pair<int, GateRefusal>> late_refusals_;  // with their listeners
    std::optional<GateRefusal> refused_;
    DeniedOperation operation_ = DeniedOperation::kWrite;
};

// The gates of a session: one before the workspace and one before each further root that commands
// may change.
//
// A call goes from gate to gate until one takes it. Each reads the path anew and acts only on what
// it finds in its own root, so what a command exchanges in between changes nothing: a call that no
// gate takes is let through, and Landlock protects all roots. A rename or a link from one root to
// another is EXDEV, as between mounts.
class Gates {
public:
    // The first is that of the workspace. Paths of the others are reported with `prefix`.
    void add(std::unique_ptr<Gate> gate, std::string prefix = {});

    // As those of a gate. `of`: one for each, in the order in which they were added.
    Gate::Answer handle(const sys::seccomp::Notification& call, int listener, const CallIds& of,
                        std::optional<GateRefusal>& refused);
    bool has_parked() const noexcept;
    void retry();
    std::optional<GateRefusal> take_refusal(int listener);
    void forget(int listener);
    // Each gate gets those of its root: relative to the workspace, or absolute in another root.
    void set_repositories(std::span<const std::string> directories);
    // `names`: gets the first of them, limits::kChangedNamesMax at most.
    journal::Changes end_call(const CallIds& calls, std::vector<journal::NameChange>& names);

private:
    struct Entry {
        std::unique_ptr<Gate> gate;
        std::string prefix;
    };

    std::vector<Entry> entries_;
};

}  // namespace paddock::sandbox
