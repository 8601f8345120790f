// The commands of a session: the warden that runs them, what is hidden from them, and what they
// print.
//
// Order around each command: paddock covers what must be hidden, runs the command, passes its
// changes through the gate and reports what was refused. Commands may run at the same time; what
// the proxy refuses is then reported with whichever command ends first.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <paddock/root.h>
#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "policy/path_rules.h"
#include "proxy/proxy.h"
#include "sandbox/denial.h"
#include "sandbox/warden.h"
#include "secrets/scanner.h"
#include "tools/answer.h"
#include "tools/command_world.h"
#include "tools/hidden_files.h"
#include "tools/job.h"
#include "tools/limit_watch.h"
#include "tools/session_root.h"

namespace paddock::tools {

struct Order {
    std::string command;
    std::optional<std::string> directory{};  // canonical; absent: where the last command ended
    std::chrono::milliseconds timeout{limits::kCommandTimeoutMs};
    bool has_input = false;     // a pipe
    bool has_terminal = false;  // for all its streams
};

struct Finished {
    std::shared_ptr<Job> job;
    Remarks remarks;
};

class Shell {
public:
    struct Setup {
        std::vector<SessionRoot*> roots;  // the workspace first; they outlive this
        const policy::PathRules& rules;
        std::string home;  // see git::Judge::Facts
        const WorkspaceOptions& options;
        std::optional<secrets::SecretScanner> filter;
        std::function<void()> meanwhile = {};  // see sandbox::WardenSpec
        CommandWorld world = {};               // filled by start()
    };
    // Errors: sandbox_unavailable, with what is missing and the remedy.
    static Result<std::unique_ptr<Shell>> start(Setup setup);
    ~Shell();
    Shell(const Shell&) = delete;
    Shell& operator=(const Shell&) = delete;

    // Looks for what is to be hidden, so that the first command need not wait for it. Starts a
    // thread: not before the process has confined itself.
    void look_ahead();

    // Until it has ended, for whatever reason.
    Result<Finished> run(const Order& order, const CallOptions& options);

    Result<std::shared_ptr<Job>> start_in_background(const Order& order);
    Result<std::shared_ptr<Job>> find(std::string_view id);
    Result<Finished> kill(std::string_view id);
    // To its input, and then the end of that. limit_reached: it does not read, and took a part.
    Result<void> send(Job& job, std::string_view bytes, bool ends);

    // Remarks since the last call: which published servers can be reached, which limit ended
    // processes that commands left running, and which commands started beyond the quota or in
    // another directory than the last one ended in.
    Remarks overdue();

    // A command of somebody else's making, with these descriptors or a terminal; gets the session's
    // environment unless it brings one. One that begins beyond the quota can free some, and write
    // no file: overdue() says so. `detail`: what it is, for `paddock log`.
    Result<sandbox::Process> spawn(sandbox::Command command, std::string_view detail);
    // Until a stop is requested, or it has met a limit that the kernel does not keep by itself, and
    // was ended for that.
    std::optional<EndedBy> watch(sandbox::ProcessId process, const std::stop_token& stop,
                                 const std::function<void(const Remarks&)>& tell);

    // Measured now, if there is a quota.
    bool exceeds_quota() { return excess(std::chrono::milliseconds(0)) > 0; }

    // Ends every process of the session. Later calls find nothing to do.
    Remarks end();
    // What it was refused, as far as it was seen.
    sandbox::DenialLog denials_of(const sandbox::Process& process);
    // Of a command that printed this: see denied_reads.h.
    std::vector<sandbox::Denial> refused_reads(const Job& job, std::string_view printed) const;
    std::vector<sandbox::Denial> refused_look_ups(std::string_view printed) const;
    void signal(sandbox::ProcessId process, int number);

    const ShellReport& report() const { return warden_.report(); }
    int home() const { return home_ ? home_->root.fd() : -1; }  // that lasts; -1: none. Borrowed
    bool is_gated() const { return warden_.is_gated(); }
    int cgroup_parent() const { return warden_.cgroup_parent(); }
    std::string directory() const { return warden_.directory(); }
    sandbox::WallLayers wall_layers() const;

private:
    struct Kept {
        std::shared_ptr<Job> job;
        std::jthread attendant{};  // of a background command, or of what one left running
    };

    Shell(Setup setup, sandbox::Warden warden, std::unique_ptr<proxy::Proxy> proxy);
    DiskUse* measure_home();  // nullptr: there is none that lasts

    std::uint64_t excess(std::chrono::milliseconds age_max);  // of all roots: DiskUse::excess
    // Those of the roots that commands change: one call in each journal.
    void begin_calls(sandbox::Command& command, std::string_view detail);
    std::string redacted(std::string text) const;
    Result<std::shared_ptr<Job>> launch(const Order& order);
    void see_through(Job& job, Attendance attendance);
    void see_to_the_end(Job& job, Attendance attendance);  // of one that nobody waits for
    bool start_attendant(const std::shared_ptr<Job>& job);
    // False: there is no thread for that. The command is ended, and what it left is not heard.
    bool attend_from_now_on(const std::shared_ptr<Job>& job);
    void forget_old_jobs();
    static Outcome<std::vector<sandbox::Protection>> search(SessionRoot& root,
                                                            const std::stop_token& cancel);
    // Covers all that is hidden by now; with `looking_` held.
    Result<void> cover(const std::stop_token& cancel);
    Result<void> see_to_hiding();  // before a command
    void look_in_background();
    void end_searches();  // that are expected
    Result<sandbox::Process> start_process(sandbox::Command& command);
    Remarks look_after();    // after a command: what it left running
    Remarks check_sealed();  // where there is no gate
    Remarks look_at_worktrees();
    void put_aside(Remarks remarks);
    void look_for_foreign_files();  // before the first command
    Remarks look_at_published();    // which servers are reached since the last time
    sandbox::DenialLog proxy_denials();
    bool stay_or_return();  // false: the directory is gone, the session in the workspace itself
    void check_directory();
    void remember_directory(const Job& job, Remarks& remarks);

    const Root linkless_;
    const WorkspaceOptions& options_;
    const std::vector<SessionRoot*> roots_;
    const std::optional<secrets::SecretScanner> filter_;
    sandbox::Warden warden_;
    const std::unique_ptr<proxy::Proxy> proxy_;  // nullptr: the host's network, or none
    const std::optional<LastingHome> home_;
    std::optional<DiskUse> home_use_;
    const std::vector<std::string> environment_;

    std::mutex looking_;  // for what is hidden
    bool is_covered_ = false;
    Job::Clock::time_point looked_{};
    Job::Clock::duration look_took_{};
    std::stop_source over_;  // requested: the session ends
    std::jthread looker_;

    std::mutex starting_;
    bool looked_for_foreign_ = false;
    std::unique_ptr<SealedWatch> sealed_;  // nullptr: there is a gate

    std::mutex mutex_;
    std::uint64_t jobs_started_ = 0;
    std::list<Kept> jobs_;  // the oldest first
    std::set<std::string> reported_worktrees_;
    Remarks overdue_;

    std::mutex starting_in_background_;  // so that those that are counted have been started

    LimitWatch limits_;  // the last: its thread uses the others
};

}  // namespace paddock::tools
