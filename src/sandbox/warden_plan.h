// All that a warden needs, made before its process is, which may not allocate (warden_process.h).
#pragma once

#include <linux/filter.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <paddock/limits.h>
#include <paddock/shell.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "journal/journal.h"
#include "policy/path_rules.h"
#include "sandbox/command_user.h"
#include "sandbox/gated_call.h"
#include "sandbox/observer.h"
#include "sandbox/view_plan.h"
#include "sys/landlock.h"

namespace paddock::sandbox {

// How long the warden may take to answer: a tree of thousands is stopped within. One that takes
// longer is ended with its session. A command that is stopped by another before it begins is given
// up after a third of it.
inline constexpr std::chrono::seconds kWardenPatience{60};

// What a warden is started with.

// Pretends that the kernel offers less, so that one machine can show every degradation.
struct Ceiling {
    bool namespaces = true;
    bool idmapped_mounts = true;
    bool cgroup = true;
    bool seccomp = true;
    bool listener = true;  // of a seccomp filter
    int landlock_abi = std::numeric_limits<int>::max();
};

// Every change of the workspace by a command is judged and recorded (gate.h). Both must outlive the
// warden's start; the warden has copies.
struct GateSpec {
    const policy::PathRules* rules = nullptr;
    journal::Journal* journal = nullptr;
    std::string home = {};  // see git::Judge::Facts
};

// A directory besides the workspace.
struct FurtherRoot {
    int directory = -1;     // borrowed for start()
    std::string path = {};  // canonical and absolute: where commands see it
    // Commands change it through a gate of its own; null: they only read it. Without a gate before
    // the workspace there is none here either.
    journal::Journal* journal = nullptr;
};

struct WardenSpec {
    int workspace = -1;               // its directory, for example Root::fd(); borrowed for start()
    std::string workspace_path = {};  // canonical and absolute: where commands see it
    bool read_only = false;           // the whole workspace
    std::vector<FurtherRoot> further = {};  // none in another; at most limits::kFurtherRootsMax
    ShellOptions options = {};
    // A directory of the host that commands have as their home; -1: a private one that ends with
    // the session. Borrowed for start(). Without a mount namespace it is left alone: any program
    // could reach it there by its path.
    // Commands change it through a gate of its own, which judges what git would obey there and
    // records nothing: without a gate they get a private one as well.
    int home = -1;
    std::string home_path = {};  // canonical and absolute
    int home_turn = -1;          // a file that all sessions of this home lock. Borrowed for start()
    // Besides `options.read_only_directories`, which must exist. Borrowed for start().
    std::span<const HeldPath> shown = {};
    std::vector<ShownLink> links = {};
    std::vector<Protection> protections = {};
    // Absent: commands change the workspace themselves.
    std::optional<GateSpec> gate = {};
    Ceiling ceiling = {};
    // What the caller has to do anyway: called once or twice, while the sandbox is built.
    std::function<void()> meanwhile = {};
    // For one answer of the warden. Without one the session is ended: its commands hold it up.
    std::chrono::milliseconds patience = kWardenPatience;
};

// The Landlock rules of commands: second to the view on the full level, the only wall around files
// on the low one.
enum class Use : std::uint8_t {
    kLook,    // read and run
    kWork,    // and change
    kGated,   // read, run and meet sockets; the gate changes
    kDevice,  // read, write, control; nothing is made or removed
};

struct CommandRule {
    std::string path;  // as the warden looks it up
    Use use = Use::kLook;
};

struct CommandRules {
    sys::landlock::Handled handled;
    std::vector<CommandRule> rules;
};

// Commands of one session are in different domains, so what a scope forbids towards the outside it
// forbids between them, too. With namespaces only what those leave open is scoped.
CommandRules rules_in_view(const ViewPlan& view, const std::string& workspace, bool read_only,
                           bool host_network, int abi);

// The workspace is the working directory of whoever makes the ruleset.
struct PlainPlaces {
    std::vector<HostName> host;          // as in ViewFacts
    std::vector<std::string> seen = {};  // read-only: what the operator shows, toolchains, roots
    std::string scratch;
    bool read_only = false;
    bool host_network = false;
};
CommandRules rules_without_view(const PlainPlaces& places, int abi);

// The same rules, with a gate before the workspace and before `further`.
CommandRules gated(CommandRules rules, const std::string& workspace,
                   const std::vector<std::string>& further);

// Allocates nothing. A path that does not exist is left out.
Outcome<UniqueFd> make_ruleset(const CommandRules& rules);

// Descriptors of the warden's own begin here: those below are what a command gets.
inline constexpr int kFirstOwnDescriptor = 10;

struct GateSpec;

// A file of /proc that sets what the kernel lets a session's namespaces have.
struct KernelSetting {
    std::string path;
    std::string value;
};

struct FurtherRootPlan {
    UniqueFd directory;
    UniqueFd mount;  // of the full level, attached nowhere; invalid: to be made by the warden
    std::string path;
    journal::Journal* journal = nullptr;  // null: read-only
};

// What commands only read besides: one for each kExtra piece.
struct ExtraPlan {
    UniqueFd object;  // that is meant
    UniqueFd mount;   // of it, attached nowhere; invalid: to be made by the warden
};

struct WardenPlan {
    SandboxLevel level = SandboxLevel::kFull;

    // Duplicates at kFirstOwnDescriptor or above.
    UniqueFd control;    // the warden's end
    UniqueFd server;     // readable when the server has ended
    UniqueFd doorway;    // see proxy/publisher.h; invalid: no socket leaves the namespace
    UniqueFd workspace;  // its directory
    UniqueFd workspace_mount;
    UniqueFd home_mount;
    UniqueFd unrecorded_turn;
    std::vector<ExtraPlan> extras;
    std::vector<FurtherRootPlan> further;
    UniqueFd memory_events;  // of the session's cgroup, if there is one
    UniqueFd process_events;

    std::chrono::milliseconds patience{};  // with a child that is to become a command

    std::span<char> shown_arguments;  // of the server, which commands shall not see

    std::string workspace_path;
    bool read_only = false;
    CommandUser user;
    CommandLimits limits;
    bool own_network = true;
    bool opens_doorway = false;
    std::vector<Protection> protections;

    ViewPlan view;          // of the full level
    std::string home_path;  // on the host, of the home that lasts; empty: there is none
    Identity home_identity;
    // Where commands see what the user's own programs can reach besides the roots: the home that
    // lasts; on the low level all that is theirs. Its gate judges and records nothing. Empty: none.
    std::string unrecorded;
    std::string git_config;  // as commands see it: what GIT_CONFIG_SYSTEM names; empty: none
    std::vector<KernelSetting> settings;
    std::string scratch_bytes;
    std::string scratch_files;

    std::string scratch_parent;  // of the low level: a directory and a name in it that are removed
    std::string scratch_name;    // at the end
    std::uint64_t others = 0;    // room for the same user's outside, where those count, too

    CommandRules rules;
    CommandRules gated_rules;  // where the gate changes the workspace for commands
    const GateSpec* gate = nullptr;
    int landlock_abi = 0;
    std::vector<sock_filter> filter;
    std::vector<sock_filter> observing_filter;  // the same, and tells; empty: not wanted
    std::vector<sock_filter> gated_filter;      // the same, and hands over what the gate performs
    ObservedWorld world;
};

}  // namespace paddock::sandbox
