#include "tools/shell.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/text.h"
#include "fs/procfs.h"
#include "sandbox/environment.h"
#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/process.h"
#include "text/names.h"
#include "tools/denied_reads.h"
#include "tools/job.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

// How long an ended command is waited for; the kernel kills at once, but a busy machine is slow.
constexpr std::chrono::seconds kCommandEndPatience{10};

// Looks for what is to be hidden before a command, while somebody replaces it all the time.
constexpr int kProtectPassesMax = 16;

// Without a list it refuses everything, which tells a command at once, and the report the host.
Outcome<std::unique_ptr<proxy::Proxy>> start_proxy(policy::HostRules rules) {
    proxy::ProxySettings settings;
    settings.rules = std::move(rules);
    return proxy::Proxy::start(settings);
}

// Once for each session: its level is weaker than the usual one.
std::string_view words_without_gate(SandboxLevel level) {
    if (level == SandboxLevel::kFull) {
        return "This machine has no gate for the workspace (`paddock doctor` says why). Commands "
               "cannot change existing sealed files (hooks, settings of git, editors and agents). "
               "New ones are reported, not refused. Changes by commands are not recorded, so "
               "`paddock undo` cannot revert them.";
    }
    return "This machine has no gate for the workspace (`paddock doctor` says why). Commands can "
           "make and change sealed files (hooks, settings of git, editors and agents) and "
           "paddock's own journal; paddock reports such files and refuses nothing. Changes by "
           "commands are not recorded, so `paddock undo` cannot revert them.";
}

// What cannot be recorded must not be changed. Commands that only read need no journal.
Error cannot_record(const Failure& why, const std::string& prefix) {
    if (!is_for_want_of_rights(why)) return as_error(why, "open the journal", prefix);
    const std::string_view hint = prefix.empty()
                                      ? "this user cannot write in the workspace; for commands "
                                        "that only read, set bash.read_only (paddock run --ro)"
                                      : "this user cannot write there; use --see instead of --also";
    return as_error(refuse(Code::kReadOnly, hint), "start commands", prefix);
}

std::span<SessionRoot* const> further(const std::vector<SessionRoot*>& roots) {
    return std::span(roots).subspan(1);
}

}  // namespace

Shell::Shell(Setup setup, sandbox::Warden warden, std::unique_ptr<proxy::Proxy> proxy)
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
                   put_aside(remarks_on_left(limit, options_.shell->limits, "were ended"));
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
    std::unique_ptr<proxy::Proxy> proxy;
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
            warden->report().level == SandboxLevel::kFull
                ? "it cannot be mounted for the user of the commands, or there is no gate"
                : "without a mount namespace, other programs could reach the files in it";
    }
    warden->explain_scratch_home(setup.world.scratch_home_reason);
    if (warden->proxy_port() == 0) {
        proxy.reset();  // the low level has no loopback
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

Result<sandbox::Process> Shell::spawn(sandbox::Command command, std::string_view detail) {
    const std::lock_guard lock(starting_);
    if (!std::exchange(looked_for_foreign_, true)) {
        look_for_foreign_files();
        if (sealed_ != nullptr) put_aside({{std::string(words_without_gate(report().level))}});
    }
    if (auto hidden = see_to_hiding(); !hidden) return hidden.error();
    if (sealed_ != nullptr) {
        const auto shields = sealed_->before();
        if (!shields) return as_error(shields.error(), "look for what is sealed", {});
        if (report().level == SandboxLevel::kFull && !shields->empty()) {
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

Result<sandbox::Process> Shell::start_process(sandbox::Command& command) {
    if (command.environment.empty()) command.environment = environment_;
    const auto before = limits_.look_before();
    command.writes_no_file = before.disk.excess > 0;
    auto process = warden_.spawn(command);
    if (!process) return process.error();
    limits_.began(process->id, before);
    if (command.writes_no_file) {
        put_aside(
            {{"The workspace was over its quota when this command started, so it can remove files "
              "but not write them (limit: disk, operator setting: " +
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
    using sandbox::DeniedOperation;
    using sandbox::Wall;
    sandbox::DenialLog log;
    if (proxy_ == nullptr) return log;
    const auto denied = proxy_->take_denials();
    if (!denied) {
        log.add({Wall::kProxy, DeniedOperation::kConnect, "any host", "the proxy has ended"});
        return log;
    }
    const bool has_list = !options_.shell->network_allow.empty();
    for (const proxy::NetworkDenial& denial : denied->list)
        log.add(sandbox::as_denial(denial, has_list));
    if (denied->more > 0) log.add_more();
    return log;
}

std::vector<sandbox::Denial> Shell::refused_reads(const Job& job, std::string_view printed) const {
    // Nothing is covered without a mount namespace.
    if (report().level != SandboxLevel::kFull) return {};
    return tools::refused_reads({.printed = printed,
                                 .directories = {job.directory(), directory()},
                                 .roots = roots_,
                                 .can_add_rule = options_.rules.empty()});
}

std::vector<sandbox::Denial> Shell::refused_look_ups(std::string_view printed) const {
    // Elsewhere the name server reports them, or commands have the host's network.
    if (report().level == SandboxLevel::kFull || options_.shell->host_network) return {};
    return tools::refused_look_ups(printed);
}

sandbox::WallLayers Shell::wall_layers() const {
    if (report().level == SandboxLevel::kFull) {
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
                            "', which no longer exists; this one started in the workspace.");
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
    job.attend({.deadline = Job::Clock::now() + kCommandEndPatience,
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
            "The command ended outside the workspace or in a directory that no longer exists; the "
            "next one starts in '" +
            text::quote_if_needed(warden_.directory()) + "'.");
    }
}

Result<Finished> Shell::run(const Order& order, const CallOptions& options) {
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
                                  "are no longer followed, and end if they print more"));
    }
    return false;
}

Result<std::shared_ptr<Job>> Shell::start_in_background(const Order& order) {
    const std::lock_guard one_at_a_time(starting_in_background_);
    {
        const std::lock_guard lock(mutex_);
        const auto running = std::count_if(jobs_.begin(), jobs_.end(), [](const Kept& kept) {
            return kept.attendant.joinable() && kept.job->state().running;
        });
        if (static_cast<std::size_t>(running) >= limits::kBackgroundCommandsMax) {
            return tool_error(Code::kLimitReached,
                              std::to_string(running) +
                                  " commands run in the background already. End "
                                  "one with bash_kill.");
        }
    }
    auto job = launch(order);
    if (!job) return job.error();
    const bool is_attended = attend_from_now_on(*job);
    forget_old_jobs();
    if (is_attended) return *job;
    return tool_error(
        Code::kLimitReached,
        "The command was ended: the host had no thread left to supervise it. Try again "
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

Result<std::shared_ptr<Job>> Shell::find(std::string_view id) {
    const std::lock_guard lock(mutex_);
    std::string known;
    for (const Kept& kept : jobs_) {
        if (kept.job->id() == id) return kept.job;
        known += (known.empty() ? "" : ", ") + kept.job->id();
    }
    return tool_error(Code::kNotFound,
                      known.empty() ? "No command has been started yet. Start one with bash."
                                    : "No command has this id. Use one of these: " + known + ".");
}

Result<Finished> Shell::kill(std::string_view id) {
    auto job = find(id);
    if (!job) return job.error();
    if ((*job)->state().running) {
        (*job)->blame(EndedBy::kRequest);
        const auto killed = warden_.kill_tree((*job)->process());
        if (!killed && killed.error().code != Code::kNotFound) return killed.error();
        (*job)->wait_for_end(kCommandEndPatience);
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
        remarks.lines.push_back(
            "user " + std::to_string(user) +
            " was refused at a published port: only the user who runs paddock can connect");
    }
    return remarks;
}

// How a command begins, with its streams or a terminal, and how it is talked to.
namespace {

// The trap tells where the command ended, also after "exit"; whoever takes the trap away, becomes
// another program by "exec" or fills descriptor 3 leaves the session where it was. A directory that
// is gone has no name, and is told as one outside.
constexpr char kScript[] = "trap '{ pwd -P || echo /; } 2>/dev/null >&3' EXIT; eval \"$1\"";

std::vector<std::string> words_for(const std::string& command) {
    return {"bash", "--noprofile", "--norc", "-c", kScript, "bash", command};
}

// Without a terminal nobody sees a screen or presses a key: by TERM=dumb programs know, and do not
// wait. text::Screen understands the sequences of an xterm.
std::vector<std::string> with_screen(std::string_view terminal, std::vector<std::string> variables,
                                     const ShellOptions& options) {
    const auto& chosen = options.environment;
    const bool is_chosen =
        std::any_of(chosen.begin(), chosen.end(),
                    [](const EnvironmentVariable& own) { return own.name == "TERM"; });
    if (is_chosen) return variables;
    std::erase_if(variables, [](const std::string& each) { return each.starts_with("TERM="); });
    variables.push_back("TERM=" + std::string(terminal));
    return variables;
}

constexpr sandbox::TerminalSize kTerminal{limits::kCommandTerminalRows,
                                          limits::kCommandTerminalColumns};

// For a command that runs in the background.
Done add_input(const Order& order, sandbox::Command& command, Job::Parts& parts) {
    if (!order.has_input) return {};
    PADDOCK_ASSIGN(pipe, sys::pipe());
    PADDOCK_TRY(sys::set_nonblocking(pipe.write.get()));
    // Commands of root run as another user, who opens it as /dev/stdin.
    PADDOCK_TRY(sys::fchmod(pipe.read.get(), 0644));
    command.input = pipe.read.get();
    parts.input = std::move(pipe.write);
    parts.input_reader = std::move(pipe.read);
    return {};
}

// The other end of it, twice.
Done take_terminal(sandbox::Process& process, Job::Parts& parts) {
    PADDOCK_TRY(sys::set_nonblocking(process.terminal.get()));
    PADDOCK_ASSIGN(input, sys::duplicate(process.terminal.get()));
    parts.output = std::move(process.terminal);
    parts.input = std::move(input);
    parts.terminal = text::ScreenSize{kTerminal.rows, kTerminal.columns};
    return {};
}

}  // namespace

// For the journal, which is read by people and tools.
std::string Shell::redacted(std::string text) const {
    if (filter_) filter_->redact(text);
    return text;
}

Result<std::shared_ptr<Job>> Shell::launch(const Order& order) {
    const Error no_descriptors =
        tool_error(Code::kLimitReached, "There are too many open files. Try again later.");
    if (!order.directory) check_directory();
    // The command can open its end for reading as well, and take away what was about to be read.
    auto output = sys::pipe(sys::NeverWaits::kReader);
    auto report = sys::pipe(sys::NeverWaits::kBoth);
    auto wakeup = sys::make_wakeup();
    if (!output || !report || !wakeup) return no_descriptors;
    // Commands of root run as another user, who opens it as /dev/stdout.
    (void)sys::fchmod(output->write.get(), 0622);
    Job::Parts parts;
    parts.directory = order.directory.value_or(warden_.directory());
    parts.output = std::move(output->read);
    parts.report = std::move(report->read);
    parts.wakeup = std::move(*wakeup);
    sandbox::Command command{.arguments = words_for(order.command),
                             .environment = with_screen(order.has_terminal ? "xterm" : "dumb",
                                                        environment_, *options_.shell),
                             .directory = order.directory,
                             .report = report->write.get()};
    if (order.has_terminal) {
        command.terminal = kTerminal;
    } else {
        command.output = command.error = output->write.get();
        if (!add_input(order, command, parts)) return no_descriptors;
    }
    auto process = spawn(std::move(command), redacted(order.command));
    if (!process) return process.error();
    if (order.has_terminal && !take_terminal(*process, parts)) {
        (void)warden_.kill_tree(process->id);
        return no_descriptors;
    }
    parts.process = std::move(*process);
    const std::lock_guard lock(mutex_);
    parts.id = "b" + std::to_string(++jobs_started_);
    auto job = std::make_shared<Job>(std::move(parts), filter_);
    jobs_.push_back({job});
    return job;
}

Result<void> Shell::send(Job& job, std::string_view bytes, bool ends) {
    if (!job.state().running) {
        return tool_error(
            Code::kNotFound,
            "The command '" + job.id() + "' has ended and reads no more input. Start it again.");
    }
    constexpr char kInterrupt = '\003';
    constexpr char kEnd = '\004';
    const auto unable = [&] {
        return tool_error(Code::kNotAvailable,
                          "The command '" + job.id() +
                              "' has no input: it was not started in the background, or its input "
                              "was ended. Start it again with run_in_background.");
    };
    const auto write = [&](std::string_view part) -> Result<void> {
        const auto sent = job.write_input(part);
        if (!sent) return unable();
        if (*sent == part.size()) return {};
        return tool_error(
            Code::kLimitReached,
            "The command took " + std::to_string(*sent) + " of " + std::to_string(part.size()) +
                " bytes and reads no more: its input buffer is full. Check its output "
                "with bash_output, and send the rest later.");
    };
    if (job.has_terminal()) return write(std::string(bytes) + (ends ? std::string(1, kEnd) : ""));
    // No terminal makes signals and ends of these.
    while (!bytes.empty()) {
        const std::size_t key = bytes.find_first_of(std::string{kInterrupt, kEnd});
        if (const auto sent = write(bytes.substr(0, key)); !sent) return sent.error();
        if (key == bytes.npos) break;
        if (bytes[key] == kInterrupt) signal(job.process(), SIGINT);
        ends = ends || bytes[key] == kEnd;
        bytes.remove_prefix(key + 1);
    }
    if (ends) job.end_input();
    return {};
}

// What the shell looks for before a command: files that are to be hidden, and those of others. And
// after it: sealed files that nobody could refuse, and worktrees that will not last.
namespace {

// Another look costs no more than a tenth of the time.
constexpr int kLookShare = 10;
constexpr std::chrono::seconds kLookPause{1};

constexpr std::string_view kWorktrees = ".git/worktrees";
constexpr std::size_t kWorktreesReported = 8;

}  // namespace

// A directory that another session moves meanwhile could be missed at both of its places. So a
// search counts only if none was moved; the last one is made while nobody can.
Outcome<std::vector<sandbox::Protection>> Shell::search(SessionRoot& root,
                                                        const std::stop_token& cancel) {
    constexpr int kFreeSearches = 2;
    if (root.opened.read_only) return root.hidden.find(cancel);
    const auto opened = root.recorder.journal();
    // Where the user may not write no session of theirs moves anything; it was started for reading.
    if (!opened && is_for_want_of_rights(opened.error())) return root.hidden.find(cancel);
    if (!opened) return opened.error();
    journal::Journal* const journal = *opened;
    const auto moves_so_far = [&journal] {
        const journal::Turn turn(*journal);  // a move is counted before it is made
        return journal->shared_count();
    };
    for (int i = 0; i < kFreeSearches; ++i) {
        const std::uint64_t before = moves_so_far();
        auto found = root.hidden.find(cancel);
        if (!found || journal->shared_count() == before) return found;
    }
    const journal::Turn turn(*journal);
    return root.hidden.find(cancel);
}

// Whoever replaces a path after it was looked at makes us look again.
Result<void> Shell::cover(const std::stop_token& cancel) {
    const auto began = Job::Clock::now();
    for (int i = 0; i < kProtectPassesMax; ++i) {
        std::vector<sandbox::Protection> all;
        std::vector<std::string> repositories;
        for (SessionRoot* root : roots_) {
            const std::string& prefix = root->opened.prefix;
            const auto named = [&](const std::string& path) {
                return prefix.empty() ? path : prefix + "/" + path;
            };
            auto found = search(*root, cancel);
            if (!found) return as_error(found.error(), "look for what is hidden", {});
            for (sandbox::Protection& each : *found) {
                each.path = named(each.path);
                all.push_back(std::move(each));
            }
            for (const std::string& directory : root->hidden.repository_directories()) {
                repositories.push_back(named(directory));
            }
        }
        if (cancel.stop_requested()) return call_cancelled();
        const auto told = warden_.know_repositories(repositories);
        if (!told) return told.error();
        const bool can_cover = report().level == SandboxLevel::kFull && !all.empty();
        const auto done = can_cover ? warden_.protect(all) : Status();
        if (!done && done.error().code == Code::kRace) continue;
        if (!done) return done.error();
        for (SessionRoot* root : roots_) root->hidden.set_covered();
        is_covered_ = true;
        looked_ = Job::Clock::now();
        look_took_ = looked_ - began;
        return {};
    }
    return tool_error(Code::kRace,
                      "Files that must be hidden keep being replaced, so the command was not run. "
                      "Stop the program that replaces them, or try again.");
}

void Shell::look_in_background() try {
    looker_ = std::jthread([this] {
        const std::lock_guard lock(looking_);
        // The next command looks again, and says what is wrong.
        if (!cover(over_.get_token())) is_covered_ = false;
        end_searches();  // of roots that a failure in another one left out
    });
} catch (const std::system_error&) {
    // The next command tries again.
    end_searches();
}

void Shell::end_searches() {
    for (SessionRoot* root : roots_) root->hidden.end_search();
}

void Shell::look_ahead() {
    const std::lock_guard lock(starting_);
    if (looker_.joinable()) return;
    for (SessionRoot* root : roots_) root->hidden.expect_search();
    look_in_background();
}

Result<void> Shell::see_to_hiding() {
    bool is_old = false;
    {
        const std::lock_guard lock(looking_);
        if (!is_covered_) return cover(over_.get_token());
        const auto age = Job::Clock::now() - looked_;
        is_old = age > kLookPause && age > kLookShare * look_took_;
    }
    if (is_old) look_in_background();
    return {};
}

Remarks Shell::check_sealed() {
    const std::lock_guard lock(starting_);
    if (sealed_ == nullptr) return {};
    const auto news = sealed_->after();
    if (!news) return {{"The sealed files could not be checked after the command."}};
    Remarks remarks;
    for (const std::string& path : *news) {
        remarks.lines.push_back("'" + text::quote_in_sentence(path) +
                                "' is new or has changed, and programs act on it without asking. "
                                "This machine has no gate that could refuse that (`paddock doctor` "
                                "says why). Check the file before you go on.");
    }
    return remarks;
}

// Where the workspace lies in /tmp, "../x" is a name in the private one: git makes a worktree
// there, which ends with the session.
Remarks Shell::look_at_worktrees() {
    Remarks remarks;
    SessionRoot& root = *roots_.front();
    if (report().level != SandboxLevel::kFull || root.opened.read_only) return remarks;
    const auto worktrees = linkless_.list(kWorktrees);
    if (!worktrees) return remarks;
    std::vector<std::string> lasting;
    for (const SessionRoot* each : roots_) {
        if (auto path = fs::host_path_of(each->opened.workspace.fd())) lasting.push_back(*path);
    }
    const std::lock_guard lock(mutex_);
    for (const ListEntry& entry : worktrees->entries) {
        if (reported_worktrees_.size() >= kWorktreesReported) break;
        const std::string note = std::string(kWorktrees) + '/' + entry.name + "/gitdir";
        const auto stat = linkless_.lstat(note);
        if (!stat || !root.recorder.is_own(*stat)) continue;
        const std::string text =
            linkless_.read_file(note, limits::kPathBytesMax).value_or(std::string());
        const std::string path = text.substr(0, text.rfind("/.git"));
        const auto holds = [&](const std::string& top) { return is_within(path, top); };
        if (!is_within(path, "/tmp") || std::any_of(lasting.begin(), lasting.end(), holds))
            continue;
        if (!reported_worktrees_.insert(entry.name).second) continue;
        remarks.lines.push_back(
            "The git worktree '" + text::quote_in_sentence(path) +
            "' is in the private /tmp of this session and is lost with it. Make it inside the "
            "workspace, and remove this one with `git worktree remove`.");
    }
    return remarks;
}

void Shell::look_for_foreign_files() {
    if (auto lines = foreign_files(roots_); !lines.empty()) put_aside({std::move(lines)});
}

}  // namespace paddock::tools
