#include "tools/shell.h"

#include <algorithm>
#include <iterator>
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

namespace paddock::tools {
namespace {

// The trap tells where the command ended, also after "exit"; whoever takes the trap away, becomes
// another program by "exec" or fills descriptor 3 leaves the session where it was. A directory that
// is gone has no name, and is told as one outside.
constexpr char kScript[] = "trap '{ pwd -P || echo /; } 2>/dev/null >&3' EXIT; eval \"$1\"";

std::vector<std::string> words_for(const std::string& command) {
    return {"bash", "--noprofile", "--norc", "-c", kScript, "bash", command};
}

// Its rules were parsed before, so that a bad one starts nothing.
Outcome<std::unique_ptr<sandbox::Proxy>> start_proxy(policy::HostRules rules,
                                                     sandbox::Warden& warden) {
    sandbox::ProxySettings settings;
    settings.rules = std::move(rules);
    PADDOCK_ASSIGN(proxy, sandbox::Proxy::start(settings));
    PADDOCK_TRY(proxy->serve(warden.take_proxy_listener()));
    return std::move(proxy);
}

std::string place_of(const sandbox::NetworkDenial& denial) {
    if (denial.port == 0) return denial.host;
    const bool is_ipv6 = denial.host.find(':') != std::string::npos;
    const std::string host = is_ipv6 ? "[" + denial.host + "]" : denial.host;
    return host + ":" + std::to_string(denial.port);
}

// Another look costs no more than a tenth of the time.
constexpr int kLookShare = 10;
constexpr std::chrono::seconds kLookPause{1};

// Nobody sees what a command of the tool paints on a screen, nor presses a key for it: programs
// that look at TERM say what they need instead of waiting.
std::vector<std::string> without_screen(std::vector<std::string> variables,
                                        const ShellOptions& options) {
    const auto& chosen = options.environment;
    const bool is_chosen =
        std::any_of(chosen.begin(), chosen.end(),
                    [](const EnvironmentVariable& own) { return own.name == "TERM"; });
    if (is_chosen) return variables;
    std::erase_if(variables, [](const std::string& each) { return each.starts_with("TERM="); });
    variables.emplace_back("TERM=dumb");
    return variables;
}

}  // namespace

Shell::Shell(Setup setup, sandbox::Warden warden, std::unique_ptr<sandbox::Proxy> proxy)
    : linkless_(setup.linkless),
      options_(setup.options),
      disk_(setup.disk),
      filter_(std::move(setup.filter)),
      warden_(std::move(warden)),
      proxy_(std::move(proxy)),
      environment_(sandbox::command_environment(*options_.shell, options_.host_environment,
                                                warden_.home(), warden_.temporary(),
                                                warden_.proxy_port())
                       .variables),
      recorder_(setup.recorder),
      hidden_(setup.hidden),
      limits_(
          {warden_, disk_, linkless_.fd(), options_.shell->limits.processes, [this](EndedBy limit) {
               put_aside(remarks_on_left(limit, options_.shell->limits, "was ended"));
           }}) {
    if (warden_.is_gated() || options_.shell->read_only) return;
    sealed_ = std::make_unique<SealedWatch>(linkless_, setup.rules, setup.home);
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
    auto path = fs::host_path_of(setup.linkless.fd());
    if (!path) return as_error(path.error(), "start commands", {});
    sandbox::WardenSpec spec{.workspace = setup.linkless.fd(),
                             .workspace_path = std::move(*path),
                             .read_only = setup.options.shell->read_only,
                             .options = *setup.options.shell,
                             .meanwhile = std::move(setup.meanwhile)};
    if (!spec.read_only) {
        const auto journal = setup.recorder.journal();
        if (!journal) return as_error(journal.error(), "open the journal", {});
        spec.gate = sandbox::GateSpec{&setup.rules, *journal, setup.home};
    }
    auto warden = sandbox::Warden::start(spec);
    if (!warden) return warden.error();
    std::unique_ptr<sandbox::Proxy> proxy;
    if (!allowed.empty()) {
        auto started = start_proxy(std::move(*rules), *warden);
        if (!started) return as_error(started.error(), "start the proxy", {});
        proxy = std::move(*started);
    }
    return std::unique_ptr<Shell>(
        new Shell(std::move(setup), std::move(*warden), std::move(proxy)));
}

// Whoever replaces a path after it was looked at makes us look again.
Attempt<void> Shell::cover(const std::stop_token& cancel) {
    const auto began = Job::Clock::now();
    for (int i = 0; i < limits::kProtectPassesMax; ++i) {
        const auto found = hidden_.find(cancel);
        if (!found) return as_error(found.error(), "look for what is hidden", {});
        if (cancel.stop_requested()) return call_cancelled();
        const bool can_cover = report().rung == Rung::kFull && !found->empty();
        const auto done = can_cover ? warden_.protect(*found) : Status();
        if (!done && done.error().code == Code::kRace) continue;
        if (!done) return done.error();
        hidden_.set_covered();
        is_covered_ = true;
        looked_ = Job::Clock::now();
        look_took_ = looked_ - began;
        return {};
    }
    return Problem(Code::kRace,
                   "Files that are to be hidden are being replaced all the time, so the command "
                   "was not run. End what replaces them, or try again.");
}

void Shell::look_in_background() try {
    looker_ = std::jthread([this] {
        const std::lock_guard lock(looking_);
        // The next command looks again, and says what is wrong.
        if (!cover(over_.get_token())) is_covered_ = false;
    });
} catch (const std::system_error&) {
    // The next command tries again.
}

void Shell::look_ahead() {
    const std::lock_guard lock(starting_);
    if (!looker_.joinable()) look_in_background();
}

Attempt<void> Shell::see_to_hiding() {
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

Remarks Shell::end() {
    over_.request_stop();
    warden_.end();
    Remarks remarks = overdue();
    remarks.add(check_sealed());
    return remarks;
}

Remarks Shell::look_after() {
    if (const auto alive = warden_.processes(); alive && *alive > 0) limits_.look_after_left();
    return check_sealed();
}

Remarks Shell::check_sealed() {
    const std::lock_guard lock(starting_);
    if (sealed_ == nullptr) return {};
    const auto news = sealed_->after();
    if (!news) return {{"What is sealed could not be looked at after the command."}};
    Remarks remarks;
    for (const std::string& path : *news) {
        remarks.lines.push_back("'" + text::quote_in_sentence(path) +
                                "' is new or has changed, and programs obey it without being "
                                "asked. No gate could refuse that on this machine (`paddock "
                                "doctor` says why): look at it before you go on.");
    }
    return remarks;
}

Attempt<sandbox::Process> Shell::spawn(sandbox::Command command, std::string_view detail) {
    const std::lock_guard lock(starting_);
    if (auto hidden = see_to_hiding(); !hidden) return hidden.error();
    if (sealed_ != nullptr) {
        const auto shields = sealed_->before();
        if (!shields) return as_error(shields.error(), "look for what is sealed", {});
        if (report().rung == Rung::kFull && !shields->empty()) {
            if (const auto done = warden_.protect(*shields); !done) return done.error();
        }
    }
    if (warden_.is_gated()) {
        if (const auto journal = recorder_.journal()) {
            command.call = (*journal)->begin_call("bash", detail);
        }
    }
    return start_process(command);
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
    for (const sandbox::NetworkDenial& denial : denied->list) {
        log.add({Wall::kProxy, Deed::kConnect, place_of(denial), denial.why});
    }
    if (denied->more > 0) log.add_more();
    return log;
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

// For the journal, which is read by people and tools.
std::string Shell::redacted(std::string text) const {
    if (filter_) filter_->redact(text);
    return text;
}

Attempt<std::shared_ptr<Job>> Shell::launch(const Order& order) {
    if (!order.directory) check_directory();
    // The command can open its end for reading as well, and take away what was about to be read.
    auto output = sys::pipe(sys::NeverWaits::kReader);
    auto report = sys::pipe(sys::NeverWaits::kBoth);
    auto wakeup = sys::make_wakeup();
    if (!output || !report || !wakeup) {
        return Problem(Code::kLimitReached, "There are too many open files. Try again later.");
    }
    // Commands of root run as another user, who opens it as /dev/stdout.
    (void)sys::fchmod(output->write.get(), 0622);
    auto process = spawn({.arguments = words_for(order.command),
                          .environment = without_screen(environment_, *options_.shell),
                          .directory = order.directory,
                          .output = output->write.get(),
                          .error = output->write.get(),
                          .report = report->write.get()},
                         redacted(order.command));
    if (!process) return process.error();
    const std::lock_guard lock(mutex_);
    auto job = std::make_shared<Job>(
        Job::Parts{"b" + std::to_string(++jobs_started_), std::move(*process),
                   std::move(output->read), std::move(report->read), std::move(*wakeup)},
        filter_);
    jobs_.push_back({job});
    return job;
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

std::optional<EndedBy> Shell::watch(sandbox::ProcessId process, const std::stop_token& stop) {
    const LimitWatch::Check check = limits_.check_of(process);
    while (wait_for_next_check(stop)) {
        const auto limit = check();
        if (!limit) continue;
        const auto killed = warden_.kill_tree(process);
        if (killed || killed.error().code != Code::kNotFound) return limit;
    }
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
            if (!job->linger(stop)) tell_unheard(EndedBy::kOutput);
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
        tell_unheard(EndedBy::kUnattended);
    }
    return false;
}

void Shell::tell_unheard(EndedBy limit) {
    put_aside(remarks_on_left(limit, options_.shell->limits,
                              "is no longer heard, and ends if it prints on"));
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
    const std::lock_guard lock(mutex_);
    return std::exchange(overdue_, {});
}

}  // namespace paddock::tools
