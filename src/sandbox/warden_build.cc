// Building the sandbox: from a copy of the server's process to a warden that can answer.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "proxy/name_server.h"
#include "proxy/publisher.h"
#include "sandbox/command_start.h"
#include "sandbox/view_plan.h"
#include "sandbox/warden.h"
#include "sandbox/warden_process.h"
#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/process.h"
#include "sys/seccomp.h"
#include "sys/signal.h"
#include "sys/socket.h"

namespace paddock::sandbox {
namespace {

// To go where a command took its own permissions away, and to mount.
// In the namespace, to read the paths that commands hand to the kernel too.
constexpr sys::Capabilities kKeptInNamespace =
    sys::kCapSysAdmin | sys::kCapDacReadSearch | sys::kCapSysPtrace;

// To become the user of the commands, to end them, to remove what they leave, and to read the paths
// that they hand to the kernel.
constexpr sys::Capabilities kKeptByRoot = sys::kCapSetuid | sys::kCapSetgid | sys::kCapKill |
                                          sys::kCapDacOverride | sys::kCapFowner |
                                          sys::kCapSysPtrace;

// The lowest descriptor of the plan that is at least `from`.
int next_kept(const WardenPlan& plan, int from) {
    int best = INT_MAX;
    const auto consider = [&](const UniqueFd& fd) {
        if (fd.get() >= from) best = std::min(best, fd.get());
    };
    consider(plan.control);
    consider(plan.server);
    consider(plan.doorway);
    consider(plan.workspace);
    consider(plan.workspace_mount);
    consider(plan.home_mount);
    consider(plan.unrecorded_turn);
    consider(plan.memory_events);
    consider(plan.process_events);
    for (const ExtraPlan& extra : plan.extras) {
        consider(extra.object);
        consider(extra.mount);
    }
    for (const FurtherRootPlan& root : plan.further) {
        consider(root.directory);
        consider(root.mount);
    }
    return best;
}

// All that a command gets: whatever the warden opens later is above, out of the way when a child
// puts the command's descriptors into their places.
Done point_at_nothing() {
    PADDOCK_ASSIGN(nothing, sys::openat(AT_FDCWD, "/dev/null", O_RDWR));
    for (int low = 0; low < kFirstOwnDescriptor; ++low) {
        PADDOCK_TRY(sys::place_descriptor(nothing.get(), low));
    }
    if (nothing.get() < kFirstOwnDescriptor) (void)nothing.release();
    return {};
}

}  // namespace

Done WardenProcess::settle() {
    sys::become_quiet_parent();
    for (int from = 3;;) {
        const int kept = next_kept(plan_, from);
        if (kept > from) PADDOCK_TRY(sys::close_between(from, kept == INT_MAX ? kept : kept - 1));
        if (kept == INT_MAX) break;
        from = kept + 1;
    }
    PADDOCK_TRY(point_at_nothing());
    sys::show_as("warden", plan_.shown_arguments);
    creation_mask_ = sys::set_creation_mask(0);
    PADDOCK_TRY(sys::new_session());
    return sys::set_no_new_privs();
}

StageError WardenProcess::build() {
    const StageError built =
        plan_.level == SandboxLevel::kFull ? build_namespaces() : build_plain();
    if (built.stage != Stage::kNone) return built;

    if (const StageError failed = build_gate(); failed.stage != Stage::kNone) return failed;
    auto ruleset = make_ruleset(gates_ != nullptr ? plan_.gated_rules : plan_.rules);
    if (!ruleset) return {Stage::kLandlockRules, ruleset.error().os_error};
    ruleset_ = std::move(*ruleset);
    for (ExtraPlan& each : plan_.extras) each = {};
    auto proc = sys::openat(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY);
    if (!proc) return {Stage::kViewProc, proc.error().os_error};
    proc_ = std::move(*proc);
    if (const auto shown = show_sockets(); !shown) return at(Stage::kListener, shown);
    auto signals = sys::child_signals();
    if (!signals) return {Stage::kLoop, signals.error().os_error};
    child_signals_ = std::move(*signals);
    auto here = sys::duplicate(workspace_.get());
    if (!here) return {Stage::kLoop, here.error().os_error};
    directory_ = std::move(*here);
    directory_path_[0] = '\0';
    (void)sys::set_creation_mask(creation_mask_);
    if (const auto cut = cut_capabilities(); !cut) return at(Stage::kCapabilities, cut);
    lower_rights();
    return {};
}

StageError WardenProcess::build_gate() {
    observes_ = can_observe();
    if (plan_.gate == nullptr || !observes_ || !sys::seccomp::has_killable_wait()) {
        // Nobody would judge what git obeys there.
        return plan_.home_path.empty() ? StageError() : StageError{Stage::kViewHome, EOPNOTSUPP};
    }
    if (plan_.user.chosen && plan_.level == SandboxLevel::kLow) {
        sys::act_on_files_as(plan_.user.user, plan_.user.group);
    }
    auto gates = std::make_unique<Gates>();
    const StageError failed =
        add_gate(*gates, {workspace_.get(), plan_.workspace_path, plan_.gate->journal},
                 plan_.gate->journal->path());
    if (failed.stage != Stage::kNone) return failed;
    for (std::size_t i = 0; i < plan_.further.size(); ++i) {
        const FurtherRootPlan& root = plan_.further[i];
        if (root.journal == nullptr) continue;
        const StageError refused = add_gate(*gates, {further_[i].get(), root.path, root.journal},
                                            root.path + '/' + root.journal->path(), root.path);
        if (refused.stage != Stage::kNone) return refused;
    }
    if (!plan_.unrecorded.empty()) {
        if (const auto refused = add_unrecorded_gate(*gates); !refused) {
            return at(Stage::kViewHome, refused);
        }
    }
    gates_ = std::move(gates);
    return {};
}

// The user's own programs can follow a path there, git from a ".git" file for example: so nothing
// that git runs is made there either. All other rules are about the workspace.
Done WardenProcess::add_unrecorded_gate(Gates& gates) {
    const PathRule only_git{"**/.git/**", PathAccess::kAllow};
    PADDOCK_ASSIGN(rules, policy::PathRules::compile({}, {&only_git, 1}));
    unrecorded_rules_.emplace(std::move(rules));
    PADDOCK_ASSIGN(turn, sys::duplicate(plan_.unrecorded_turn.get()));
    PADDOCK_ASSIGN(journal, journal::Journal::silent(std::move(turn)));
    unrecorded_journal_.emplace(std::move(journal));
    PADDOCK_ASSIGN(place, sys::openat(AT_FDCWD, plan_.unrecorded.c_str(), O_PATH | O_DIRECTORY));
    unrecorded_ = std::move(place);
    GateSetup setup = gate_setup({unrecorded_.get(), plan_.unrecorded, &*unrecorded_journal_});
    setup.rules = &*unrecorded_rules_;
    PADDOCK_ASSIGN(gate, Gate::make(std::move(setup)));
    gates.add(std::move(gate), plan_.unrecorded);
    return {};
}

GateSetup WardenProcess::gate_setup(const GatedRoot& root) const {
    constexpr int kTruncateAbi = 3;
    GateSetup setup;
    setup.workspace = root.directory;
    setup.workspace_path = root.path;
    setup.rules = plan_.gate->rules;
    setup.journal = root.journal;
    setup.home = plan_.gate->home;
    setup.landlock_truncate = plan_.landlock_abi >= kTruncateAbi;
    std::vector<std::string> gated{plan_.workspace_path};
    for (const FurtherRootPlan& each : plan_.further) {
        if (each.journal != nullptr) gated.push_back(each.path);
    }
    std::erase(gated, root.path);
    setup.others_of_owner = gated;
    const bool has_unrecorded = !plan_.unrecorded.empty() && plan_.unrecorded != root.path;
    if (has_unrecorded) gated.push_back(plan_.unrecorded);
    if (has_unrecorded && plan_.level == SandboxLevel::kLow) setup.others_of_owner = gated;
    setup.others = std::move(gated);
    return setup;
}

StageError WardenProcess::add_gate(Gates& gates, const GatedRoot& root,
                                   const std::string& journal_path, const std::string& prefix) {
    if (const auto done = root.journal->after_fork(root.directory); !done) {
        return at(Stage::kGate, done);
    }
    auto gate = Gate::make(gate_setup(root));
    if (!gate) return {Stage::kGate, gate.error().os_error};
    gates.add(std::move(*gate), prefix);
    // The gate holds it; commands find nothing there.
    if (plan_.level == SandboxLevel::kFull) {
        const auto covered = view_.shield(journal_path.c_str(), Shield::kEmptied);
        if (!covered) return at(Stage::kGate, covered);
    }
    return {};
}

// What the gate does it does as the commands would: without the rights by which the warden looks
// into directories that a command closed.
void WardenProcess::lower_rights() noexcept {
    if (gates_ == nullptr) return;
    (void)sys::use_capabilities(~(sys::kCapDacOverride | sys::kCapDacReadSearch | sys::kCapFowner));
    if (plan_.user.chosen && plan_.level == SandboxLevel::kLow) {
        sys::act_on_files_as(plan_.user.user, plan_.user.group);
    }
}

void WardenProcess::raise_rights() noexcept {
    if (gates_ == nullptr) return;
    (void)sys::use_capabilities(sys::kCapAll);
    if (plan_.user.chosen && plan_.level == SandboxLevel::kLow) sys::act_on_files_as(0, 0);
}

// Only one filter of a process can have a listener: where this program is under such a one itself,
// of a container's manager for example, there is none for commands.
bool WardenProcess::can_observe() {
    if (plan_.observing_filter.empty()) return false;
    if (sys::seccomp::grants_listener()) return true;
    const auto attempt = [](void* works) -> int {
        constexpr sock_filter kAllow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
        *static_cast<bool*>(works) = sys::seccomp::install_with_listener({&kAllow, 1}).has_value();
        sys::leave(0);
    };
    return sys::borrow_process(attempt, &observes_, stack_) && observes_;
}

StageError WardenProcess::build_namespaces() {
    if (const auto done = take_identity(); !done) return at(Stage::kIdentity, done);
    if (const auto done = separate_mounts(); !done) return at(Stage::kMountNamespace, done);

    ViewSources sources;
    sources.plan = &plan_.view;
    sources.scratch_bytes = plan_.scratch_bytes.c_str();
    sources.scratch_files = plan_.scratch_files.c_str();
    sources.workspace = plan_.workspace_mount.get();
    sources.extras = plan_.extras;
    sources.home = plan_.home_mount.get();
    if (!plan_.home_path.empty()) sources.home_path = plan_.home_path.c_str();
    sources.home_identity = plan_.home_identity;
    sources.further = plan_.further;
    sources.read_only = plan_.read_only;
    sources.settings = plan_.settings;
    if (const auto failed = view_.build(sources); failed.stage != Stage::kNone) return failed;

    if (const auto failed = make_network(); failed.stage != Stage::kNone) return failed;
    const auto named = sys::set_host_name(proxy::kInsideHostName);
    if (!named) return at(Stage::kHostName, named);
    if (const auto done = view_.enter(); !done) return at(Stage::kPivot, done);
    if (const auto done = point_at_nothing(); !done) return at(Stage::kViewDevices, done);
    for (const Protection& each : plan_.protections) {
        const auto done = view_.shield(each.path.c_str(), each.shield);
        if (!done) return at(Stage::kProtect, done);
    }
    for (std::size_t i = 0; i < plan_.further.size(); ++i) {
        auto root = view_.further(plan_.further[i]);
        if (!root) return {Stage::kViewExtra, root.error().os_error};
        further_[i] = std::move(*root);
    }
    auto workspace = sys::duplicate(view_.workspace());
    if (!workspace) return {Stage::kLoop, workspace.error().os_error};
    workspace_ = std::move(*workspace);
    return {};
}

StageError WardenProcess::build_plain() {
    if (const auto done = sys::adopt_orphans(); !done) return at(Stage::kLoop, done);
    if (plan_.user.chosen) {
        // They would add to what the observer sees as the user of the commands.
        if (const auto done = sys::forget_groups(); !done) return at(Stage::kIdentity, done);
    }
    if (const auto done = sys::set_dumpable(false); !done) return at(Stage::kIdentity, done);
    if (const auto done = sys::enter_directory(plan_.workspace.get()); !done) {
        return at(Stage::kViewWorkspace, done);
    }
    for (std::size_t i = 0; i < plan_.further.size(); ++i) {
        auto root = sys::openat(plan_.further[i].directory.get(), ".", O_PATH | O_DIRECTORY);
        if (!root) return {Stage::kViewExtra, root.error().os_error};
        further_[i] = std::move(*root);
    }
    auto workspace = sys::openat(plan_.workspace.get(), ".", O_PATH | O_DIRECTORY);
    if (!workspace) return {Stage::kViewWorkspace, workspace.error().os_error};
    workspace_ = std::move(*workspace);
    return {};
}

Done WardenProcess::take_identity() {
    if (plan_.user.chosen) {
        PADDOCK_TRY(sys::forget_groups());
        PADDOCK_TRY(sys::keep_capabilities());
        PADDOCK_TRY(sys::become(plan_.user.inside_user, plan_.user.inside_group));
    }
    return sys::set_dumpable(false);
}

Done WardenProcess::separate_mounts() {
    // The working directory moves along into the copied mounts, which is how the workspace is found
    // there without any name.
    if (!plan_.workspace_mount.valid()) PADDOCK_TRY(sys::enter_directory(plan_.workspace.get()));
    return sys::unshare(CLONE_NEWNS | CLONE_NEWCGROUP);
}

StageError WardenProcess::make_network() {
    if (!plan_.own_network) return {};
    if (const auto done = sys::start_loopback(); !done) return at(Stage::kLoopback, done);
    auto listener = sys::listen_on_loopback();
    if (!listener) return {Stage::kListener, listener.error().os_error};
    listener_ = std::move(listener->socket);
    port_ = listener->port;
    // Without it look-ups fail as well, and the observer tells of them.
    if (auto names = sys::datagrams_on_loopback(proxy::kNameServerPort)) {
        name_socket_ = std::move(*names);
        world_.map.refuses_look_ups = true;
    }
    return {};
}

// The tables are those of this process's network namespace, whoever reads them.
Done WardenProcess::show_sockets() {
    if (!plan_.doorway.valid()) return {};
    PADDOCK_ASSIGN(table, proxy::TcpTable::open(proc_.get()));
    const int files[] = {table.v4.get(), table.v6.get()};
    return sys::send_message(plan_.doorway.get(), "t",
                             std::span(files).first(table.v6.valid() ? 2 : 1));
}

Done WardenProcess::cut_capabilities() {
    if (plan_.level == SandboxLevel::kFull) return sys::lock_capabilities(kKeptInNamespace);
    return plan_.user.chosen ? sys::lock_capabilities(kKeptByRoot) : Done();
}

}  // namespace paddock::sandbox
