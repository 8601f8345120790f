// The commands of a session: the warden that runs them, the guard that keeps the path rules around
// them, and what they print.
//
// Order around each command: what is protected by now is bound or hidden, the command runs, what it
// made under protected names is undone, and what it was refused is told. Commands may run at the
// same time; what the proxy refuses is then told at the end of whichever ends first.
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
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <paddock/root.h>
#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "policy/path_rules.h"
#include "sandbox/denial.h"
#include "sandbox/proxy.h"
#include "sandbox/warden.h"
#include "search/secret_scanner.h"
#include "tools/answer.h"
#include "tools/disk_use.h"
#include "tools/guard.h"
#include "tools/job.h"
#include "tools/limit_watch.h"
#include "tools/other_sessions.h"
#include "tools/remarks.h"

namespace paddock::tools {

struct Order {
    std::string command;
    std::optional<std::string> directory{};  // canonical; absent: where the last command ended
    std::chrono::milliseconds timeout{limits::kCommandTimeoutMs};
};

struct Finished {
    std::shared_ptr<Job> job;
    Remarks remarks;
};

class Shell {
public:
    struct Setup {
        Root linkless;
        const policy::PathRules& rules;
        HeldObjects& held;
        const WorkspaceOptions& options;
        std::string home;  // see GuardOptions
        DiskUse& disk;
        std::optional<search::SecretScanner> filter;
        std::function<void()> meanwhile = {};  // see sandbox::WardenSpec
    };
    // Errors: sandbox_unavailable, with what is missing and the remedy.
    static Result<std::unique_ptr<Shell>> start(Setup setup);
    ~Shell();
    Shell(const Shell&) = delete;
    Shell& operator=(const Shell&) = delete;

    // Until it has ended, for whatever reason.
    Attempt<Finished> run(const Order& order, const CallOptions& options);

    Attempt<std::shared_ptr<Job>> start_in_background(const Order& order);
    Attempt<std::shared_ptr<Job>> find(std::string_view id);
    Attempt<Finished> kill(std::string_view id);

    // What background commands made and the guard undid since this was last asked, for which limit
    // what commands left running was ended, and how commands began: beyond the quota, or not where
    // the last one ended.
    Remarks overdue();

    // A command of somebody else's making, with these descriptors or a terminal; gets the session's
    // environment unless it brings one. One that begins beyond the quota can free some, and write
    // no file: overdue() says so. After its end the caller asks check_protected().
    Attempt<sandbox::Process> spawn(sandbox::Command command);
    Remarks check_protected();
    // Until a stop is requested, or it has met a limit that the kernel does not keep by itself, and
    // was ended for that.
    std::optional<EndedBy> watch(sandbox::ProcessId process, const std::stop_token& stop);

    // Measured now, if there is a quota.
    bool exceeds_quota() { return disk_.excess(std::chrono::milliseconds(0)) > 0; }

    // Ends every process of the session, and only then looks what they left under protected names.
    // Later calls find nothing to do. What kills this process leaves that.
    Remarks end();
    // What it was refused, as far as it was seen.
    sandbox::DenialLog denials_of(const sandbox::Process& process);
    void signal(sandbox::ProcessId process, int number);

    const ShellReport& report() const { return warden_.report(); }
    const std::optional<Root>& quarantine() const { return quarantine_; }
    int cgroup_parent() const { return warden_.cgroup_parent(); }
    std::string directory() const { return warden_.directory(); }
    sandbox::WallLayers wall_layers() const;

private:
    struct Kept {
        std::shared_ptr<Job> job;
        std::jthread attendant{};  // of a background command, or of what one left running
    };

    Shell(Setup setup, sandbox::Warden warden, std::unique_ptr<sandbox::Proxy> proxy,
          std::optional<Root> quarantine);

    Attempt<std::shared_ptr<Job>> launch(const Order& order);
    void see_through(Job& job, Attendance attendance);
    void see_to_the_end(Job& job, Attendance attendance);  // of one that nobody waits for
    bool start_attendant(const std::shared_ptr<Job>& job);
    // False: there is no thread for that. The command is ended, and what it left is not heard.
    bool attend_from_now_on(const std::shared_ptr<Job>& job);
    void tell_unheard(EndedBy limit);
    void forget_old_jobs();
    // While starting_ is held.
    Attempt<void> protect();
    Attempt<sandbox::Process> start_process(sandbox::Command& command);
    bool is_settled() const { return settled_ == commands_; }
    bool may_be_alive();  // a process of the session
    void put_aside(Remarks remarks);
    sandbox::DenialLog proxy_denials();
    bool stay_or_return();  // false: the directory is gone, the session in the workspace itself
    void check_directory();
    void remember_directory(const Job& job, Remarks& remarks);

    const Root linkless_;
    const WorkspaceOptions& options_;
    DiskUse& disk_;
    const std::optional<search::SecretScanner> filter_;
    sandbox::Warden warden_;
    const std::unique_ptr<sandbox::Proxy> proxy_;  // with network_allow
    const std::vector<std::string> environment_;
    const std::optional<Root> quarantine_;
    Guard guard_;

    // Only if no process can have been alive since the guard last looked may it trust what it
    // finds; a command that has ended but was not looked after yet counts as alive.
    std::mutex starting_;
    std::uint64_t commands_ = 0;         // started
    std::uint64_t settled_ = 0;          // as many of them were over before a look
    OtherSessions others_;               // by the same, of their commands
    std::atomic<bool> is_over_ = false;  // the kernel has ended every process of the session

    std::mutex mutex_;
    std::uint64_t jobs_started_ = 0;
    std::list<Kept> jobs_;  // the oldest first
    Remarks overdue_;

    std::mutex starting_in_background_;  // so that those that are counted have been started

    LimitWatch limits_;  // the last: its thread uses the others
};

}  // namespace paddock::tools
