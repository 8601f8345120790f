#include "tools/shell.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/within.h"
#include "fs/procfs.h"
#include "sandbox/environment.h"
#include "sys/attr.h"
#include "sys/host.h"
#include "sys/stat.h"
#include "sys/wait.h"
#include "text/quote.h"
#include "tools/met_limit.h"
#include "tools/refused_look_ups.h"
#include "tools/refused_reads.h"

namespace paddock::tools {
namespace {

// Without a list it refuses everything, which tells a command at once, and the report the host.
Outcome<std::unique_ptr<sandbox::Proxy>> start_proxy(policy::HostRules rules) {
    sandbox::ProxySettings settings;
    settings.rules = std::move(rules);
    return sandbox::Proxy::start(settings);
}

// Once for each session: its level is weaker than the usual one.
std::string_view words_without_gate(Rung rung) {
    if (rung == Rung::kFull) {
        return "No gate stands before the workspace on this machine (`paddock doctor` says why). "
               "Commands cannot change the sealed files that exist (hooks, settings of git, "
               "editors and agents). New ones are reported, not refused. What commands change is "
               "not recorded, so `paddock undo` cannot take it back.";
    }
    return "No gate stands before the workspace on this machine (`paddock doctor` says why). "
           "Commands can make and change sealed files (hooks, settings of git, editors and "
           "agents) and paddock's own journal; paddock reports such files and refuses nothing. "
           "What commands change is not recorded, so `paddock undo` cannot take it back.";
}

// What cannot be recorded must not be changed. Commands that only read need no journal.
Error cannot_record(const Failure& why, const std::string& prefix) {
    if (!is_for_want_of_rights(why)) return as_error(why, "open the journal", prefix);
    const std::string_view hint =
        prefix.empty() ? "the user may not write in the workspace; bash.read_only (paddock run "
                         "--ro) is for commands that only read"
                       : "the user may not write there; name it with --see instead of --also";
    return as_error(refuse(Code::kReadOnly, hint), "start commands", prefix);
}

std::span<SessionRoot* const> further(const std::vector<SessionRoot*>& roots) {
    return std::span(roots).subspan(1);
}

}  // namespace

Shell::Shell(Setup setup, sandbox::Warden warden, std::unique_ptr<sandbox::Proxy> proxy)
    : linkless_(setup.roots.front()->opened.workspace),
      options_(setup.options),
      roots_(std::move(setup.roots)),
      filter_(std::move(setup.filter)),
      warden_(std::move(warden)),
      proxy_(std::move(proxy)),
      home_(std::move(setup.world.home)),
      environment_(sandbox::command_environment(*options_.shell, options_.host_environment,
                                                {.home = warden_.home(),
                                                 .temporary = warden_.temporary(),
                                                 .search_path = setup.world.search_path,
                                                 .variables = setup.world.variables,
                                                 .git_config = warden_.git_config(),
                                                 .proxy_port = warden_.proxy_port()})
                       .variables),
      limits_({warden_, [this](std::chrono::milliseconds age_max) { return excess(age_max); },
               measure_home(), linkless_.fd(), options_.shell->limits.processes,
               options_.shell->limits.disk_reserve_bytes,
               [this](EndedBy limit) {
                   put_aside(remarks_on_left(limit, options_.shell->limits, "was ended"));
               }}) {
    if (warden_.is_gated() || options_.shell->read_only) return;
    sealed_ = std::make_unique<SealedWatch>(linkless_, setup.rules, setup.home);
}

DiskUse* Shell::measure_home() {
    if (!home_) return nullptr;
    home_use_.emplace(home_->root, ".", options_.shell->limits.home_bytes,
                      DiskUse::Journal::kCounted);
    return &*home_use_;
}

Shell::~Shell() {
    // First the processes, so that no attendant waits for one.
    (void)end();
    looker_ = {};
    std::list<Kept> jobs;
    {
        const std::lock_guard lock(mutex_);
        jobs.swap(jobs_);
    }
    for (Kept& kept : jobs) kept.attendant.request_stop();
}

Result<std::unique_ptr<Shell>> Shell::start(Setup setup) {
    const std::vector<std::string>& allowed = setup.options.shell->network_allow;
    auto rules = policy::HostRules::parse(allowed);
    if (!rules) return rules.error();
    const auto ports = policy::PublishedPorts::parse(setup.options.shell->publish);
    if (!ports) return as_error(ports.error(), "publish ports", {});
    const Root& workspace = setup.roots.front()->opened.workspace;
    auto path = fs::host_path_of(workspace.fd());
    if (!path) return as_error(path.error(), "start commands", {});
    sandbox::WardenSpec spec{.workspace = workspace.fd(),
                             .workspace_path = std::move(*path),
                             .read_only = setup.options.shell->read_only,
                             .options = *setup.options.shell};
    if (!spec.read_only) {
        const auto journal = setup.roots.front()->recorder.journal();
        if (!journal) return cannot_record(journal.error(), {});
        spec.gate = sandbox::GateSpec{&setup.rules, *journal, setup.home};
    }
    for (SessionRoot* root : further(setup.roots)) {
        const OpenedRoot& opened = root->opened;
        journal::Journal* own = nullptr;
        if (!spec.read_only && !opened.read_only) {
            const auto journal = root->recorder.journal();
            if (!journal) return cannot_record(journal.error(), opened.prefix);
            own = *journal;
        }
        spec.further.push_back({opened.workspace.fd(), opened.prefix, own});
    }
    setup.world = prepare_world(spec, setup.options.host_environment);
    spec.shown = setup.world.shown;
    // The proxy gets ready while the warden is built. Forked before the caller prepares anything,
    // it has no copy of that.
    std::unique_ptr<sandbox::Proxy> proxy;
    Done has_proxy;
    spec.meanwhile = [&] {
        if (!spec.options.host_network && proxy == nullptr) {
            auto started = start_proxy(*rules);
            has_proxy = started ? Done() : Done(started.error());
            if (started) proxy = std::move(*started);
        }
        if (setup.meanwhile) setup.meanwhile();
    };
    auto warden = sandbox::Warden::start(spec);
    if (!warden) return warden.error();
    if (!has_proxy) return as_error(has_proxy.error(), "start the proxy", {});
    if (setup.world.home && !warden->has_lasting_home()) {
        setup.world.home.reset();
        setup.world.scratch_home_reason =
            warden->report().rung == Rung::kFull
                ? "it cannot be mounted for the user of the commands, or there is no gate"
                : "without a mount namespace other programs could reach what it keeps";
    }
    warden->explain_scratch_home(setup.world.scratch_home_reason);
    if (warden->proxy_port() == 0) {
        proxy.reset();  // the low rung has no loopback
    } else {
        const Done served = proxy->serve(warden->take_proxy_listener(), warden->take_name_socket());
        if (!served) return as_error(served.error(), "start the proxy", {});
    }
    if (proxy && !ports->empty()) {
        const Done opened =
            proxy->open_doorway(warden->take_doorway(), ports->finds_servers, warden->proxy_port());
        if (!opened) return as_error(opened.error(), "publish ports", {});
        for (const policy::PublishedPort& port : ports->ports) {
            const Done done = proxy->publish(port);
            if (!done) return as_error(done.error(), "publish", std::to_string(port.outside));
        }
    }
    return std::unique_ptr<Shell>(
        new Shell(std::move(setup), std::move(*warden), std::move(proxy)));
}

Remarks Shell::end() {
    over_.request_stop();
    warden_.begin_end();
    if (proxy_ != nullptr) proxy_->begin_end();
    warden_.end();
    Remarks remarks = overdue();
    remarks.add(check_sealed());
    remarks.add(look_at_worktrees());
    return remarks;
}

Remarks Shell::look_after() {
    if (const auto alive = warden_.processes(); alive && *alive > 0) limits_.look_after_left();
    Remarks remarks = check_sealed();
    remarks.add(look_at_worktrees());
    return remarks;
}

Attempt<sandbox::Process> Shell::spawn(sandbox::Command command, std::string_view detail) {
    const std::lock_guard lock(starting_);
    if (!std::exchange(looked_for_foreign_, true)) {
        look_for_foreign_files();
        if (sealed_ != nullptr) put_aside({{std::string(words_without_gate(report().rung))}});
    }
    if (auto hidden = see_to_hiding(); !hidden) return hidden.error();
    if (sealed_ != nullptr) {
        const auto shields = sealed_->before();
        if (!shields) return as_error(shields.error(), "look for what is sealed", {});
        if (report().rung == Rung::kFull && !shields->empty()) {
            if (const auto done = warden_.protect(*shields); !done) return done.error();
        }
    }
    if (warden_.is_gated()) begin_calls(command, detail);
    return start_process(command);
}

void Shell::begin_calls(sandbox::Command& command, std::string_view detail) {
    const auto begin = [detail](SessionRoot& root) -> journal::CallId {
        const auto journal = root.recorder.journal();
        return journal ? (*journal)->begin_call("bash", detail) : 0;
    };
    command.call = begin(*roots_.front());
    for (SessionRoot* root : further(roots_)) {
        if (!root->opened.read_only) command.further_calls.push_back(begin(*root));
    }
}

std::uint64_t Shell::excess(std::chrono::milliseconds age_max) {
    std::uint64_t bytes = 0;
    for (SessionRoot* root : roots_) {
        if (!root->opened.read_only) bytes += root->disk.excess(age_max);
    }
    return bytes;
}

Attempt<sandbox::Process> Shell::start_process(sandbox::Command& command) {
    if (command.environment.empty()) command.environment = environment_;
    const auto before = limits_.look_before();
    command.writes_no_file = before.disk.excess > 0;
    auto process = warden_.spawn(command);
    if (!process) return process.error();
    limits_.began(process->id, before);
    if (command.writes_no_file) {
        put_aside(
            {{"The workspace was beyond its quota when this command began, so it can remove "
              "files and write none (limit: disk, operator setting: " +
              std::string(exceeded_quota().setting) + ")."}});
    }
    return std::move(*process);
}

sandbox::DenialLog Shell::denials_of(const sandbox::Process& process) {
    sandbox::DenialLog log;
    if (process.denials.valid() && !log.read(process.denials.get())) log.add_more();
    log.add(proxy_denials());
    return log;
}

sandbox::DenialLog Shell::proxy_denials() {
    using sandbox::Deed;
    using sandbox::Wall;
    sandbox::DenialLog log;
    if (proxy_ == nullptr) return log;
    const auto denied = proxy_->take_denials();
    if (!denied) {
        log.add({Wall::kProxy, Deed::kConnect, "any host", "the proxy has ended"});
        return log;
    }
    const bool has_list = !options_.shell->network_allow.empty();
    for (const sandbox::NetworkDenial& denial : denied->list) log.add(as_denial(denial, has_list));
    if (denied->more > 0) log.add_more();
    return log;
}

std::vector<sandbox::Denial> Shell::refused_reads(const Job& job, std::string_view printed) const {
    // Nothing is covered without a mount namespace.
    if (report().rung != Rung::kFull) return {};
    return tools::refused_reads({.printed = printed,
                                 .directories = {job.directory(), directory()},
                                 .roots = roots_,
                                 .can_add_rule = options_.rules.empty()});
}

std::vector<sandbox::Denial> Shell::refused_look_ups(std::string_view printed) const {
    // Elsewhere the name server reports them, or commands have the host's network.
    if (report().rung == Rung::kFull || options_.shell->host_network) return {};
    return tools::refused_look_ups(printed);
}

sandbox::WallLayers Shell::wall_layers() const {
    if (report().rung == Rung::kFull) {
        return {layer_name(Layer::kMountNamespace), layer_name(Layer::kNetworkNamespace)};
    }
    return {layer_name(Layer::kLandlock), layer_name(Layer::kSeccomp)};
}

void Shell::signal(sandbox::ProcessId process, int number) {
    // One that has ended needs no signal.
    [[maybe_unused]] const auto sent = warden_.signal(process, number);
}

void Shell::put_aside(Remarks remarks) {
    const std::lock_guard lock(mutex_);
    overdue_.add(std::move(remarks));
}

// Held since the last command, it may be anywhere by now: somebody outside can move or remove it.
bool Shell::stay_or_return() {
    const auto entered = warden_.enter(warden_.directory());
    // If the session has ended, the command that follows says so.
    if (!entered || *entered == sandbox::Entering::kEntered) return true;
    [[maybe_unused]] const auto back = warden_.enter(".");
    return false;
}

void Shell::check_directory() {
    const std::string last = warden_.directory();
    if (last == "." || stay_or_return()) return;
    Remarks remarks;
    remarks.lines.push_back("The last command ended in '" + text::quote_if_needed(last) +
                            "', which is not there any more; this one started in the workspace.");
    put_aside(std::move(remarks));
}

void Shell::see_through(Job& job, Attendance attendance) {
    attendance.check = limits_.check_of(job.process());
    attendance.exceeds_quota = [this] { return exceeds_quota(); };
    const EndedBy cause = job.attend(attendance);
    if (!job.state().running) return;
    job.blame(cause);
    // Whether it is gone already or the session had to be ended: the exit record tells.
    [[maybe_unused]] const auto killed = warden_.kill_tree(job.process());
    job.attend({.deadline = Job::Clock::now() + limits::kCommandEndPatience,
                .progress = std::move(attendance.progress)});
}

std::optional<EndedBy> Shell::watch(sandbox::ProcessId process, const std::stop_token& stop,
                                    const std::function<void(const Remarks&)>& tell) {
    const LimitWatch::Check check = limits_.check_of(process);
    do {
        tell(look_at_published());
        const auto limit = check();
        if (!limit) continue;
        const auto killed = warden_.kill_tree(process);
        if (killed || killed.error().code != Code::kNotFound) return limit;
    } while (wait_for_next_check(stop));
    return std::nullopt;
}

void Shell::remember_directory(const Job& job, Remarks& remarks) {
    const std::string last = job.last_directory();
    if (last.empty()) return;
    const auto entered = warden_.enter(last);
    if (entered && *entered != sandbox::Entering::kEntered) {
        (void)stay_or_return();
        remarks.lines.push_back(
            "The command ended outside the workspace or in a directory that is gone; the next one "
            "starts in '" +
            text::quote_if_needed(warden_.directory()) + "'.");
    }
}

Attempt<Finished> Shell::run(const Order& order, const CallOptions& options) {
    auto job = launch(order);
    if (!job) return job.error();
    see_through(**job, {.deadline = Job::Clock::now() + order.timeout,
                        .cancel = options.cancel,
                        .progress = options.progress});
    (*job)->add_denials(proxy_denials());
    Finished finished{*job, overdue()};
    if (!order.directory) remember_directory(**job, finished.remarks);
    finished.remarks.add(look_after());
    if ((*job)->state().output_open) (void)attend_from_now_on(*job);
    forget_old_jobs();
    return finished;
}

void Shell::see_to_the_end(Job& job, Attendance attendance) {
    if (!job.state().running) return;
    see_through(job, std::move(attendance));
    job.add_denials(proxy_denials());
    put_aside(look_after());
}

bool Shell::start_attendant(const std::shared_ptr<Job>& job) try {
    const std::lock_guard lock(mutex_);
    for (Kept& kept : jobs_) {
        if (kept.job != job) continue;
        kept.attendant = std::jthread([this, job](const std::stop_token& stop) {
            see_to_the_end(*job, {.cancel = stop});
            job->linger(stop);
        });
    }
    return true;
} catch (const std::system_error&) {
    return false;
}

bool Shell::attend_from_now_on(const std::shared_ptr<Job>& job) {
    if (start_attendant(job)) return true;
    job->blame(EndedBy::kUnattended);
    see_to_the_end(*job, {.deadline = Job::Clock::now()});
    if (job->state().output_open) {
        job->close_output();
        put_aside(remarks_on_left(EndedBy::kUnattended, options_.shell->limits,
                                  "is no longer heard, and ends if it prints on"));
    }
    return false;
}

Attempt<std::shared_ptr<Job>> Shell::start_in_background(const Order& order) {
    const std::lock_guard one_at_a_time(starting_in_background_);
    {
        const std::lock_guard lock(mutex_);
        const auto running = std::count_if(jobs_.begin(), jobs_.end(), [](const Kept& kept) {
            return kept.attendant.joinable() && kept.job->state().running;
        });
        if (static_cast<std::size_t>(running) >= limits::kBackgroundCommandsMax) {
            return Problem(Code::kLimitReached, std::to_string(running) +
                                                    " commands run in the background already. End "
                                                    "one with bash_kill.");
        }
    }
    auto job = launch(order);
    if (!job) return job.error();
    const bool is_attended = attend_from_now_on(*job);
    forget_old_jobs();
    if (is_attended) return *job;
    return Problem(Code::kLimitReached,
                   "The command was ended: the host had no thread left to look after it. Try again "
                   "later, or run it in the foreground.");
}

// The oldest that have ended. What they left running is no longer heard, and ends if it prints on.
void Shell::forget_old_jobs() {
    std::list<Kept> forgotten;  // ends their threads after the lock is gone
    const std::lock_guard lock(mutex_);
    const auto is_over = [](const Kept& kept) { return !kept.job->state().running; };
    auto over = static_cast<std::size_t>(std::count_if(jobs_.begin(), jobs_.end(), is_over));
    for (auto it = jobs_.begin(); it != jobs_.end() && over > limits::kEndedCommandsMax;) {
        const auto next = std::next(it);
        if (is_over(*it)) {
            forgotten.splice(forgotten.end(), jobs_, it);
            --over;
        }
        it = next;
    }
}

Attempt<std::shared_ptr<Job>> Shell::find(std::string_view id) {
    const std::lock_guard lock(mutex_);
    std::string known;
    for (const Kept& kept : jobs_) {
        if (kept.job->id() == id) return kept.job;
        known += (known.empty() ? "" : ", ") + kept.job->id();
    }
    return Problem(Code::kNotFound,
                   known.empty()
                       ? "No command has been started yet. Start one with bash."
                       : "There is no command of that id. Give one of these: " + known + ".");
}

Attempt<Finished> Shell::kill(std::string_view id) {
    auto job = find(id);
    if (!job) return job.error();
    if ((*job)->state().running) {
        (*job)->blame(EndedBy::kRequest);
        const auto killed = warden_.kill_tree((*job)->process());
        if (!killed && killed.error().code != Code::kNotFound) return killed.error();
        (*job)->wait_for_end(limits::kCommandEndPatience);
    }
    Finished finished{*job, overdue()};
    finished.remarks.add(look_after());
    return finished;
}

Remarks Shell::overdue() {
    Remarks published = look_at_published();
    const std::lock_guard lock(mutex_);
    published.add(std::exchange(overdue_, {}));
    return published;
}

Remarks Shell::look_at_published() {
    Remarks remarks;
    if (proxy_ == nullptr || options_.shell->publish.empty()) return remarks;
    const auto news = proxy_->take_published();
    if (!news) return remarks;
    for (const policy::PublishedPort& port : news->servers) {
        const std::string inside = std::to_string(port.inside);
        remarks.lines.push_back("listening: http://127.0.0.1:" + std::to_string(port.outside) +
                                (port.outside == port.inside ? "" : " (port " + inside + " here)"));
    }
    for (const unsigned user : news->refused_users) {
        remarks.lines.push_back("user " + std::to_string(user) +
                                " was refused at a published port: only the user who runs paddock "
                                "reaches it");
    }
    return remarks;
}

}  // namespace paddock::tools
