#include "sandbox/warden.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <new>

#include <paddock/shell.h>

#include "sandbox/cgroup.h"
#include "sandbox/channel.h"
#include "sandbox/confine.h"
#include "sandbox/filter.h"
#include "sandbox/probe.h"
#include "sandbox/scratch_removal.h"
#include "sandbox/session_plan.h"
#include "sandbox/warden_process.h"
#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/memory.h"
#include "sys/process.h"
#include "sys/signal.h"
#include "sys/socket.h"

namespace paddock::sandbox {
namespace {

// All records of a command, with what the kernel adds to each, several times.
constexpr std::size_t kDenialSocketBytes = std::size_t{128} << 10;

// Of one request: with one more path and the header it is still a message.
constexpr std::size_t kProtectionBytes = kWardenMessageBytes / 2;

// A byte for each connection that waits.
constexpr std::size_t kDoorwayBytes = std::size_t{128} << 10;

constexpr std::string_view kEnded = "the session's sandbox has ended; start another one";
constexpr std::string_view kHeldUp =
    "the session's sandbox was blocked by its commands and was ended; start another one";

int namespaces_of(const WardenPlan& plan) {
    if (plan.level == SandboxLevel::kLow) return 0;
    const int all = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
    return plan.own_network ? all | CLONE_NEWNET : all;
}

struct Answer {
    Reply reply;
    std::array<UniqueFd, 2> descriptors;
};

// Nothing came in time.
bool is_overdue(int descriptor, std::chrono::milliseconds patience) {
    std::array<pollfd, 1> polled{{{descriptor, POLLIN, 0}}};
    const auto ready = sys::wait_ready(polled, static_cast<int>(patience.count()));
    return ready && *ready == 0;
}

Outcome<Answer> receive_answer(int control) {
    std::array<char, kReplyBytes> bytes;
    std::array<UniqueFd, 2> descriptors;
    PADDOCK_ASSIGN(received, sys::receive_message(control, bytes, descriptors));
    if (received.bytes == 0) return refuse(Code::kSandboxUnavailable, kEnded);
    PADDOCK_ASSIGN(reply, decode_reply({bytes.data(), received.bytes}));
    return Answer{reply, std::move(descriptors)};
}

// A started warden.
struct Running {
    UniqueFd control;
    UniqueFd process;
    UniqueFd listener;
    UniqueFd name_socket;
    UniqueFd doorway;
    std::uint16_t port = 0;
    bool observes = false;
    bool gated = false;
    std::optional<SessionGroup> group;
};

Done share_channel(WardenPlan& plan, Running& running) {
    PADDOCK_ASSIGN(pair, sys::message_pair(kWardenMessageBytes * 2));
    PADDOCK_ASSIGN(control, sys::duplicate(pair.second.get(), kFirstOwnDescriptor));
    PADDOCK_ASSIGN(self, sys::hold_process(sys::own_id()));
    PADDOCK_ASSIGN(server, sys::duplicate(self.get(), kFirstOwnDescriptor));
    running.control = std::move(pair.first);
    plan.control = std::move(control);
    plan.server = std::move(server);
    if (!plan.opens_doorway) return {};
    PADDOCK_ASSIGN(doorway, sys::message_pair(kDoorwayBytes));
    PADDOCK_ASSIGN(far, sys::duplicate(doorway.second.get(), kFirstOwnDescriptor));
    running.doorway = std::move(doorway.first);
    plan.doorway = std::move(far);
    return {};
}

// A group without limits is of use only where the kernel does not end the commands by itself.
Outcome<SessionGroup> make_group(const WardenSpec& spec, SandboxLevel level) {
    if (!spec.ceiling.cgroup) return refuse(Code::kNotAvailable);
    return SessionGroup::make(spec.options.limits, level == SandboxLevel::kLow);
}

Done share_events(const Running& running, WardenPlan& plan) {
    if (!running.group || !running.group->has_limits()) return {};
    PADDOCK_ASSIGN(memory, sys::duplicate(running.group->memory_events(), kFirstOwnDescriptor));
    PADDOCK_ASSIGN(processes, sys::duplicate(running.group->process_events(), kFirstOwnDescriptor));
    plan.memory_events = std::move(memory);
    plan.process_events = std::move(processes);
    return {};
}

// Waits for what the warden says of itself, and for its end if that is nothing good.
StageError begin(const WardenSpec& spec, const WardenPlan& plan, pid_t process, Running& running) {
    if (plan.level == SandboxLevel::kFull) {
        const auto mapped = map_user(process, plan.user);
        if (!mapped) return at(Stage::kUserMap, mapped);
    }
    // Where moving it is refused the session goes on without, and the report says so.
    if (running.group && !running.group->add(process)) running.group.reset();
    const auto request = encode(RequestParts{.ask = Ask::kBegin});
    if (const auto sent = sys::send_message(running.control.get(), *request, {}); !sent) {
        return at(Stage::kLoop, sent);
    }
    if (spec.meanwhile) spec.meanwhile();
    auto answer = receive_answer(running.control.get());
    if (!answer) return {Stage::kLoop, answer.error().os_error};
    running.listener = std::move(answer->descriptors[0]);
    running.name_socket = std::move(answer->descriptors[1]);
    running.port = static_cast<std::uint16_t>(answer->reply.value);
    running.observes = answer->reply.observes;
    running.gated = answer->reply.gated;
    return answer->reply.error;
}

StageError launch(const WardenSpec& spec, WardenPlan& plan, Running& running) {
    if (const auto shared = share_channel(plan, running); !shared) return at(Stage::kLoop, shared);
    if (auto group = make_group(spec, plan.level)) running.group.emplace(std::move(*group));
    if (const auto shared = share_events(running, plan); !shared) return at(Stage::kLoop, shared);
    const auto memory = sys::Memory::map(sizeof(WardenProcess));
    if (!memory) return {Stage::kLoop, memory.error().os_error};
    auto child = [&] {
        const sys::SignalsHeldBack held_back;
        // The gate uses the whole language; all else in there allocates nothing.
        auto copy = plan.gate != nullptr ? sys::fork_into(namespaces_of(plan))
                                         : sys::copy_process(namespaces_of(plan));
        if (copy && copy->id == 0) (new (memory->get()) WardenProcess(plan))->run();
        return copy;
    }();
    if (!child) return {Stage::kCopy, child.error().os_error};
    plan.control.reset();
    plan.doorway.reset();
    running.process = std::move(child->held);
    const StageError failed = begin(spec, plan, child->id, running);
    if (failed.stage != Stage::kNone) {
        running.control.reset();
        (void)sys::wait_for(running.process.get());
    }
    return failed;
}

void forget_scratch(const WardenPlan& plan) {
    if (plan.scratch_name.empty()) return;
    const auto reader = std::make_unique<sys::DirReader>();
    (void)remove_scratch(plan.scratch_parent.c_str(), plan.scratch_name.c_str(), *reader);
}

// What the operator wrote wrongly is no reason to try less.
bool is_operators(Stage stage) { return stage == Stage::kViewExtra || stage == Stage::kProtect; }

}  // namespace

struct Warden::State {
    std::mutex mutex;  // one request at a time
    Running running;
    ShellReport report;
    std::string home;
    bool has_lasting_home = false;
    std::string temporary;
    std::string git_config;
    std::string workspace_path;
    std::string directory = ".";
    bool knows_repositories = false;  // the gate does. One thread at a time tells of them
    std::chrono::milliseconds patience = kWardenPatience;

    // On the full level the kernel ends all others with it, and it is gone only when they are. On
    // the low one it does that itself when the channel is closed, unless it is held up: a command
    // can stop every process of the session, the one too that is about to become a command and that
    // the warden waits for.
    void begin_end() {
        running.control.reset();
        if (report.level == SandboxLevel::kFull)
            (void)sys::send_signal(running.process.get(), SIGKILL);
    }
    void end() {
        begin_end();
        if (report.level == SandboxLevel::kLow && is_overdue(running.process.get(), patience)) {
            (void)sys::send_signal(running.process.get(), SIGKILL);
        }
        (void)sys::wait_for(running.process.get());
        running.process.reset();
        running.group.reset();
    }

    Outcome<Answer> ask(const RequestParts& parts, std::span<const int> descriptors = {}) {
        PADDOCK_ASSIGN(message, encode(parts));
        const std::lock_guard lock(mutex);
        if (!running.control.valid()) return refuse(Code::kSandboxUnavailable, kEnded);
        const auto sent = sys::send_message(running.control.get(), message, descriptors);
        if (!sent && sent.error().os_error == EPIPE) {
            return refuse(Code::kSandboxUnavailable, kEnded, EPIPE);
        }
        if (!sent) return sent.error();
        if (is_overdue(running.control.get(), patience)) {
            end();
            return refuse(Code::kSandboxUnavailable, kHeldUp);
        }
        auto answer = receive_answer(running.control.get());
        if (!answer) return refuse(Code::kSandboxUnavailable, kEnded, answer.error().os_error);
        const StageError& failed = answer->reply.error;
        if (failed.stage != Stage::kNone) return stage_failure(failed.stage, failed.os_error);
        return answer;
    }

    // In as many messages as it takes, one at least. Each has the number of those before it.
    Done tell(Ask what, std::span<const std::string> paths) {
        std::size_t told = 0;
        do {
            std::size_t bytes = 0;
            std::size_t end = told;
            while (end < paths.size() && end - told < limits::kProtectionsMax &&
                   bytes < kProtectionBytes) {
                bytes += paths[end++].size();
            }
            PADDOCK_TRY(ask({.ask = what,
                             .number = static_cast<std::uint32_t>(told),
                             .paths = paths.subspan(told, end - told)}));
            told = end;
        } while (told < paths.size());
        return {};
    }
};

Warden::Warden(std::unique_ptr<State> state) : state_(std::move(state)) {}
Warden::Warden(Warden&&) noexcept = default;
Warden& Warden::operator=(Warden&& other) noexcept {
    end();
    state_ = std::move(other.state_);
    return *this;
}
Warden::~Warden() { end(); }

namespace {

// Without a network namespace the host's loopback would be reached: no sockets but the permitted.
FilterSpec command_filter(const ShellOptions& options, SandboxLevel level, int abi) {
    if (level == SandboxLevel::kFull) return {};
    const Inet inet = options.host_network ? Inet::kAll : Inet::kNone;
    return filter_without_namespaces(inet, abi);
}

void plan_filters(const WardenSpec& spec, int abi, WardenPlan& plan) {
    FilterSpec filter = command_filter(spec.options, plan.level, abi);
    plan.filter = compile_filter(filter);
    if (!spec.ceiling.listener) return;
    filter.observe = true;
    plan.observing_filter = compile_filter(filter);
    if (plan.gate != nullptr) {
        filter.gate = true;
        plan.gated_filter = compile_filter(filter);
    }
    plan.world = observed_world(plan);
}

}  // namespace

Result<Warden> Warden::start(const WardenSpec& spec) {
    const auto failure = [](const Failure& why) { return as_error(why, "start the sandbox", {}); };
    if (const auto checked = check_spec(spec); !checked) return failure(checked.error());
    const int abi = landlock_abi(spec.ceiling.landlock_abi);
    if (abi < kLandlockAbiFloor) return failure(stage_failure(Stage::kLandlock, ENOSYS));
    if (!spec.ceiling.seccomp) return failure(stage_failure(Stage::kFilter, ENOSYS));

    Reached reached;
    reached.landlock_abi = abi;
    for (const SandboxLevel level : {SandboxLevel::kFull, SandboxLevel::kLow}) {
        reached.level = level;
        if (level == SandboxLevel::kFull && !spec.ceiling.namespaces) {
            reached.refused = {Stage::kCopy, EPERM};
            continue;
        }
        if (const auto enough = check_required(spec.options, reached); !enough) {
            return failure(enough.error());
        }
        const auto make_plan = [&](const WardenSpec& wanted) {
            return level == SandboxLevel::kFull ? plan_full_level(wanted, abi)
                                                : plan_low_level(wanted, abi);
        };
        auto plan = make_plan(spec);
        if (!plan) return failure(plan.error());
        const auto begin_session = [&](State& state) {
            plan_filters(spec, abi, *plan);
            plan->patience = spec.patience / 3;  // the warden gives up before the server does
            return launch(spec, *plan, state.running);
        };
        auto state = std::make_unique<State>();
        StageError failed = begin_session(*state);
        if (failed.stage == Stage::kViewHome) {
            WardenSpec without_home = spec;
            without_home.home = -1;
            plan = make_plan(without_home);
            if (!plan) return failure(plan.error());
            state = std::make_unique<State>();
            failed = begin_session(*state);
        }
        if (failed.stage == Stage::kNone) {
            const bool limited = state->running.group && state->running.group->has_limits();
            if (!limited) reached.no_cgroup = refuse(Code::kNotAvailable);
            reached.user = plan->user.user;
            reached.observes = state->running.observes;
            reached.needs_gate = spec.gate && !spec.read_only;
            reached.gated = state->running.gated;
            state->report = report_of(spec.options, reached);
            state->home = plan->view.home;
            state->has_lasting_home = !plan->home_path.empty();
            state->git_config = plan->git_config;
            state->temporary = plan->view.temporary;
            state->workspace_path = spec.workspace_path;
            state->patience = spec.patience;
            Warden warden(std::move(state));
            const auto enough = check_required(spec.options, reached);
            if (!enough) return failure(enough.error());
            return warden;
        }
        forget_scratch(*plan);
        reached.refused = failed;
        if (is_operators(failed.stage)) break;
    }
    return failure(stage_failure(reached.refused.stage, reached.refused.os_error));
}

Result<Process> Warden::spawn(const Command& command) {
    const auto failure = [&](const Failure& why) {
        return as_error(why, "run", command.arguments.empty() ? "" : command.arguments[0]);
    };
    if (command.arguments.empty()) return failure(refuse(Code::kInvalidArgument));
    auto status = sys::pipe();
    if (!status) return failure(status.error());
    RequestParts parts{.ask = Ask::kSpawn, .id = command.call};
    std::array<int, 6> descriptors{status->write.get()};
    std::size_t count = 1;
    const auto bring = [&](std::uint32_t flag, int descriptor) {
        if (descriptor < 0) return;
        parts.flags |= flag;
        descriptors[count++] = descriptor;
    };
    bring(kBringsInput, command.input);
    bring(kBringsOutput, command.output);
    bring(kBringsError, command.error);
    bring(kBringsReport, command.report);
    sys::SocketPair denials;
    if (state_->running.observes) {
        auto pair = sys::message_pair(kDenialSocketBytes);
        if (!pair) return failure(pair.error());
        denials = std::move(*pair);
        bring(kBringsDenials, denials.second.get());
    }
    if (command.terminal) {
        parts.flags |= kWantsTerminal;
        if (!command.terminal_ends_lines) parts.flags |= kLeavesLines;
        parts.number = std::uint32_t{command.terminal->rows} << 16 | command.terminal->columns;
    }
    if (command.writes_no_file) parts.flags |= kWritesNoFile;
    parts.arguments = command.arguments;
    parts.variables = command.environment;
    std::vector<std::string> paths{command.directory.value_or("")};
    if (command.directory && paths[0].empty()) paths[0] = ".";
    for (const journal::CallId id : command.further_calls) paths.push_back(std::to_string(id));
    parts.paths = paths;
    const auto begin = std::chrono::steady_clock::now();
    auto answer = state_->ask(parts, std::span(descriptors).first(count));
    if (!answer) return failure(answer.error());
    if (answer->reply.value == 0) denials.first.reset();
    return Process{answer->reply.id, std::move(status->read), std::move(answer->descriptors[0]),
                   std::move(denials.first), begin};
}

Status Warden::kill_tree(ProcessId id) {
    const auto answer = state_->ask({.ask = Ask::kKillTree, .id = id});
    if (!answer) return as_error(answer.error(), "kill", std::to_string(id));
    return {};
}

Result<std::uint32_t> Warden::kill_left() {
    const auto answer = state_->ask({.ask = Ask::kKillLeft});
    if (!answer) return as_error(answer.error(), "kill what is left", {});
    return answer->reply.value;
}

Status Warden::signal(ProcessId id, int number) {
    const RequestParts parts{
        .ask = Ask::kSignal, .id = id, .number = static_cast<std::uint32_t>(number)};
    const auto answer = state_->ask(parts);
    if (!answer) return as_error(answer.error(), "signal", std::to_string(id));
    return {};
}

Result<Entering> Warden::enter(const std::string& path) {
    const auto answer = state_->ask({.ask = Ask::kEnter, .paths = {&path, 1}});
    if (!answer) return as_error(answer.error(), "enter", path);
    const auto entering = static_cast<Entering>(answer->reply.value);
    if (entering == Entering::kEntered) {
        const std::string& workspace = state_->workspace_path;
        std::string relative =
            path.starts_with('/') ? path.substr(std::min(path.size(), workspace.size() + 1)) : path;
        const std::lock_guard lock(state_->mutex);
        state_->directory = relative.empty() ? "." : std::move(relative);
    }
    return entering;
}

std::string Warden::directory() const {
    const std::lock_guard lock(state_->mutex);
    return state_->directory;
}

Status Warden::protect(std::span<const Protection> protections) {
    const auto failure = [](const Failure& why) { return as_error(why, "protect", {}); };
    if (state_->report.level == SandboxLevel::kLow) return failure(refuse(Code::kNotAvailable));
    std::vector<std::string> paths;
    for (const Protection& each : protections) paths.push_back(encode(each));
    const auto told = state_->tell(Ask::kProtect, paths);
    return told ? Status() : failure(told.error());
}

Status Warden::know_repositories(std::span<const std::string> directories) {
    const bool is_news = !directories.empty() || state_->knows_repositories;
    if (!is_news || !is_gated()) return {};
    state_->knows_repositories = !directories.empty();
    const auto told = state_->tell(Ask::kRepositories, directories);
    return told ? Status() : as_error(told.error(), "tell of repositories", {});
}

Result<Census> Warden::census() {
    const auto answer = state_->ask({.ask = Ask::kCountProcesses});
    if (!answer) return as_error(answer.error(), "count processes", {});
    const Reply& reply = answer->reply;
    return Census{reply.value, reply.left, reply.id, reply.exceeds_memory, reply.most_memory};
}

Result<std::uint32_t> Warden::processes() {
    const auto counted = census();
    if (!counted) return counted.error();
    return counted->alive;
}

const ShellReport& Warden::report() const { return state_->report; }
void Warden::explain_scratch_home(std::string reason) {
    state_->report.scratch_home_reason = std::move(reason);
}
bool Warden::is_gated() const { return state_->running.gated; }
const std::string& Warden::home() const { return state_->home; }
bool Warden::has_lasting_home() const { return state_->has_lasting_home; }
const std::string& Warden::git_config() const { return state_->git_config; }
const std::string& Warden::temporary() const { return state_->temporary; }
UniqueFd Warden::take_proxy_listener() { return std::move(state_->running.listener); }
UniqueFd Warden::take_name_socket() { return std::move(state_->running.name_socket); }
UniqueFd Warden::take_doorway() { return std::move(state_->running.doorway); }
std::uint16_t Warden::proxy_port() const { return state_->running.port; }
int Warden::cgroup_parent() const {
    return state_->running.group ? state_->running.group->parent() : -1;
}

void Warden::begin_end() {
    const std::lock_guard lock(state_->mutex);
    if (state_->running.process.valid()) state_->begin_end();
}

void Warden::end() {
    if (state_ == nullptr) return;
    const std::lock_guard lock(state_->mutex);
    if (state_->running.process.valid()) state_->end();
}

}  // namespace paddock::sandbox

namespace paddock {
namespace {

// In the order of Layer.
constexpr std::array<std::string_view, kLayers> kNames{
    "user_namespace", "mount_namespace", "pid_namespace",    "network_namespace",
    "ipc_namespace",  "uts_namespace",   "cgroup_namespace", "landlock",
    "seccomp",        "limits",          "cgroup",           "gate"};

}  // namespace

std::string_view layer_name(Layer layer) noexcept {
    return kNames[static_cast<std::size_t>(layer)];
}

std::string_view level_name(SandboxLevel level) noexcept {
    return level == SandboxLevel::kFull ? "full" : "low";
}

}  // namespace paddock
