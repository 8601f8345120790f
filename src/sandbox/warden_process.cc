#include "sandbox/warden_process.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "proxy/proxy.h"
#include "sandbox/cgroup.h"
#include "sandbox/command_start.h"
#include "sandbox/memory_use.h"
#include "sandbox/scratch_removal.h"
#include "sandbox/session_plan.h"
#include "sandbox/warden.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/memory.h"
#include "sys/process.h"
#include "sys/signal.h"
#include "sys/socket.h"
#include "sys/terminal.h"

namespace paddock::sandbox {
namespace {

// How long a measured use of memory counts at most: looking takes a tenth of the time.
constexpr std::chrono::seconds kMemoryMeasureAge{1};

constexpr std::uint32_t kBrings =
    kBringsInput | kBringsOutput | kBringsError | kBringsReport | kBringsDenials;

// Nobody tells when a FIFO gets its reader: asked ever less often.
constexpr int kParkedPauseMs = 2;
constexpr int kParkedPauseMaxMs = 20;

// Polled besides the observers.
enum : std::size_t { kControl, kChildren, kServer, kDoorway, kFixedWaits };

// In the events files of the cgroup.
constexpr std::string_view kMemoryKills = "oom_kill";
constexpr std::string_view kProcessesRefused = "max";

Reply refused(Stage stage, int os_error) { return Reply{{stage, os_error}, 0, 0}; }

}  // namespace

void WardenProcess::run() {
    StageError failed = at(Stage::kLoop, settle());
    if (failed.stage == Stage::kNone) {
        const auto begin = sys::receive_message(plan_.control.get(), message_, brought_);
        // The server gave up: nobody wants an answer.
        if (!begin || begin->bytes == 0) sys::leave(1);
        failed = build();
    }
    if (failed.stage != Stage::kNone) {
        reply({failed, 0, 0});
        sys::leave(1);
    }
    if (reply({{}, 0, port_, observes_, gates_ != nullptr},
              {listener_.get(), name_socket_.get()})) {
        listener_.reset();
        name_socket_.reset();
        sys::release_program();
        answer_requests();
    }
    end();
}

void WardenProcess::answer_requests() {
    polled_[kControl] = {plan_.control.get(), POLLIN, 0};
    polled_[kChildren] = {child_signals_.get(), POLLIN, 0};
    polled_[kServer] = {plan_.server.get(), POLLIN, 0};
    polled_[kDoorway] = {plan_.doorway.get(), POLLIN, 0};
    const std::span<pollfd> observed = std::span(polled_).subspan(kFixedWaits);
    int pause_ms = kParkedPauseMs;
    for (;;) {
        const std::size_t count = observers_.add_waits(observed);
        const bool has_parked = gates_ != nullptr && gates_->has_parked();
        pause_ms = has_parked ? std::min(2 * pause_ms, kParkedPauseMaxMs) : kParkedPauseMs;
        const int idle_ms = has_parked ? pause_ms : -1;
        const int wait_ms = memory_.is_under_way() ? 0 : idle_ms;
        if (!sys::wait_ready(std::span(polled_).first(kFixedWaits + count), wait_ms)) return;
        if (has_parked) {
            gates_->retry();
            observers_.tell_refusals();
        }
        if (polled_[kServer].revents != 0) return;
        // What an ended command was refused has been told: it could not end before.
        if (polled_[kChildren].revents != 0) (void)collect_ended();
        observers_.serve(observed.first(count));
        if (polled_[kDoorway].revents != 0 && !open_door()) polled_[kDoorway].fd = -1;
        if (polled_[kControl].revents != 0 && !answer_one()) return;
        if (memory_.is_under_way()) {
            raise_rights();
            measure_memory();
            lower_rights();
        }
    }
}

bool WardenProcess::answer_one() {
    const auto received = sys::receive_message(plan_.control.get(), message_, brought_);
    if (!received) return reply(refused(Stage::kRequest, received.error().os_error));
    if (received->bytes == 0) return false;
    // So that nobody is told of a command that is still known but has ended.
    const Left left = collect_ended();
    auto request = decode_request({message_.data(), received->bytes});
    Reply answer = refused(Stage::kRequest, EINVAL);
    UniqueFd terminal;
    bool lost = false;
    raise_rights();
    if (request) switch (request->ask) {
            case Ask::kSpawn:
                if (left == Left::kNobody) free_large_objects();
                answer = spawn(*request, received->descriptors, terminal);
                break;
            case Ask::kKillTree: answer.error = kill_tree(request->id, lost); break;
            case Ask::kKillLeft: answer = kill_left(lost); break;
            case Ask::kSignal: answer.error = signal(*request); break;
            case Ask::kEnter: answer = enter(*request); break;
            case Ask::kProtect: answer.error = protect(*request); break;
            case Ask::kRepositories: answer.error = know_repositories(*request); break;
            case Ask::kCountProcesses: answer = count_processes(left); break;
            case Ask::kBegin: break;
        }
    lower_rights();
    for (UniqueFd& fd : brought_) fd.reset();
    return reply(answer, {terminal.get()}) && !lost;
}

// A TCP socket of this network namespace, for somebody outside.
bool WardenProcess::open_door() {
    char wanted = 0;
    const auto asked = sys::receive_message(plan_.doorway.get(), {&wanted, 1}, {});
    if (!asked || asked->bytes == 0) return false;
    const auto socket = sys::socket(wanted == proxy::kDoorOfV6 ? AF_INET6 : AF_INET, SOCK_STREAM);
    const int made = socket ? socket->get() : -1;
    // Never waits: who does not read gets nothing more.
    return sys::send_message_now(plan_.doorway.get(), "s", std::span(&made, made < 0 ? 0 : 1))
        .has_value();
}

// Up to the first that is none.
bool WardenProcess::reply(const Reply& reply, std::initializer_list<int> descriptors) {
    const ReplyBytes bytes = encode(reply);
    const auto none = std::find(descriptors.begin(), descriptors.end(), -1);
    const std::span<const int> passed(descriptors.begin(), none);
    return sys::send_message(plan_.control.get(), {bytes.data(), bytes.size()}, passed).has_value();
}

Job* WardenProcess::find(std::uint32_t id) noexcept {
    const auto found =
        std::find_if(jobs_.begin(), jobs_.end(), [id](const Job& job) { return job.id == id; });
    return found == jobs_.end() ? nullptr : &*found;
}

std::span<const pid_t> WardenProcess::leaders() noexcept {
    std::size_t count = 0;
    for (const Job& job : jobs_) {
        if (job.id != 0) leaders_[count++] = job.leader;
    }
    return {leaders_.data(), count};
}

Reply WardenProcess::spawn(Request& request, std::size_t descriptors, UniqueFd& terminal) {
    Job* job = find(0);
    if (job == nullptr) return refused(Stage::kCommands, EAGAIN);
    CommandStart start;
    start.plan = &plan_;
    start.ruleset = ruleset_.get();
    start.directory = directory_.get();
    start.path_buffer = path_buffer_;
    start.writes_no_file = (request.flags & kWritesNoFile) != 0;
    const StageError wrong = take_descriptors(request, descriptors, start);
    if (wrong.stage != Stage::kNone) return {wrong, 0, 0};

    UniqueFd directory;
    const char* const begins_in = request.paths.left() > 0 ? request.paths.take() : "";
    calls_ = {request.id};
    for (std::size_t i = 1; request.paths.left() > 0; ++i) {
        const std::string_view number = request.paths.take();
        (void)std::from_chars(number.data(), number.data() + number.size(), calls_[i]);
    }
    if (*begins_in != '\0') {
        auto there = find_directory(begins_in);
        if (!there) return refused(Stage::kDirectory, there.error().os_error);
        directory = std::move(*there);
        start.directory = directory.get();
    }
    UniqueFd peer;
    if ((request.flags & kWantsTerminal) != 0) {
        const bool full = plan_.level == SandboxLevel::kFull;
        auto made = sys::open_terminal(AT_FDCWD, full ? "/dev/pts/ptmx" : "/dev/ptmx");
        if (!made) return refused(Stage::kTerminal, made.error().os_error);
        const auto sized = sys::set_terminal_size(made->master.get(),
                                                  static_cast<std::uint16_t>(request.number >> 16),
                                                  static_cast<std::uint16_t>(request.number));
        if (!sized) return refused(Stage::kTerminal, sized.error().os_error);
        const bool leaves_lines = (request.flags & kLeavesLines) != 0;
        const Done left = leaves_lines ? sys::leave_lines_alone(made->master.get()) : Done();
        if (!left) return refused(Stage::kTerminal, left.error().os_error);
        terminal = std::move(made->master);
        peer = std::move(made->peer);
        start.terminal = peer.get();
    }

    char** next = pointers_.data();
    start.arguments = next;
    while (request.arguments.left() > 0) *next++ = const_cast<char*>(request.arguments.take());
    *next++ = nullptr;
    start.environment = next;
    while (request.variables.left() > 0) *next++ = const_cast<char*>(request.variables.take());
    *next = nullptr;

    const bool observed = denials_.valid() && observes_ && !observers_.is_full();
    if (gates_ != nullptr && !observed) return refused(Stage::kCommands, EAGAIN);
    start.is_gated = gates_ != nullptr;
    pid_t leader = 0;
    const StageError failed =
        observed ? start_observed(start, leader) : start_plainly(start, leader);
    if (failed.stage != Stage::kNone) return {failed, 0, 0};
    job->id = next_id_++;
    job->leader = leader;
    job->killed = 0;
    job->calls = calls_;
    job->memory_kills = event_count(plan_.memory_events.get(), kMemoryKills);
    job->processes_refused = event_count(plan_.process_events.get(), kProcessesRefused);
    job->status = std::move(brought_[0]);
    return {{}, job->id, observed ? 1U : 0U};
}

Outcome<UniqueFd> WardenProcess::find_directory(const char* path) const {
    if (*path != '/') return descend_to_directory(workspace_.get(), path);
    for (std::size_t i = 0; i < plan_.further.size(); ++i) {
        const std::string& root = plan_.further[i].path;
        if (!is_within(path, root)) continue;
        path += root.size();
        return descend_to_directory(further_[i].get(), *path == '/' ? path + 1 : path);
    }
    return refuse(Code::kInvalidPath);
}

StageError WardenProcess::start_plainly(CommandStart& start, pid_t& leader) {
    start_failed_ = {};
    start.failed = &start_failed_;
    const auto started = start_command(start, stack_);
    if (!started) return {Stage::kFork, started.error().os_error};
    leader = *started;
    return start_failed_;
}

// The command's filter is the last thing it gets, so the listener comes from the child itself.
StageError WardenProcess::start_observed(CommandStart& start, pid_t& leader) {
    constexpr std::size_t kMessageBytes = 4096;
    auto ends = sys::message_pair(kMessageBytes);
    if (!ends) return {Stage::kDescriptors, ends.error().os_error};
    start.listener_to = ends->second.get();
    const StageError failed = start_plainly(start, leader);
    if (failed.stage != Stage::kNone) return failed;

    // It was sent before the program ran. Nothing comes from a child that was killed before.
    ends->second.reset();
    char byte = 0;
    UniqueFd listener;
    const auto received = sys::receive_message(ends->first.get(), {&byte, 1}, {&listener, 1});
    if (received && listener.valid()) {
        observers_.add(std::move(listener), std::move(denials_), world_, gates_.get(), calls_);
    } else if (!received || received->bytes > 0) {
        // Without a listener the calls that it would hear of fail.
        (void)killer_.kill_descendants(proc_.get(), leader);
        (void)sys::signal_child(leader, SIGKILL);
        return {Stage::kDescriptors, received ? EMFILE : received.error().os_error};
    }
    return {};
}

StageError WardenProcess::take_descriptors(const Request& request, std::size_t descriptors,
                                           CommandStart& start) {
    const std::uint32_t flags = request.flags;
    const auto expected = static_cast<std::size_t>(std::popcount(flags & kBrings)) + 1;
    if ((flags & ~kSpawnFlags) != 0 || descriptors != expected || request.arguments.left() == 0 ||
        request.paths.left() > calls_.size()) {
        return {Stage::kRequest, EINVAL};
    }
    std::size_t next = 1;
    const auto take = [&](std::uint32_t flag, int otherwise) {
        return (flags & flag) != 0 ? brought_[next++].get() : otherwise;
    };
    const bool terminal = (flags & kWantsTerminal) != 0;
    start.input = take(kBringsInput, terminal ? -1 : 0);
    start.output = take(kBringsOutput, terminal ? -1 : 1);
    start.error = take(kBringsError, terminal ? -1 : 2);
    start.report = take(kBringsReport, -1);
    denials_.reset();
    if ((flags & kBringsDenials) != 0) denials_ = std::move(brought_[next]);
    return {};
}

StageError WardenProcess::kill_tree(std::uint32_t id, bool& lost) {
    Job* job = id == 0 ? nullptr : find(id);
    if (job == nullptr) return {Stage::kUnknownCommand, ESRCH};
    (void)sys::signal_child(job->leader, SIGSTOP);
    const auto killed = killer_.kill_descendants(proc_.get(), job->leader);
    (void)sys::signal_child(job->leader, SIGKILL);
    if (!killed) {
        lost = true;
        return {Stage::kKill, killed.error().os_error};
    }
    job->killed = *killed + 1;
    return {};
}

// Whoever a command started is its descendant until it ends, and then a child of this process.
Reply WardenProcess::kill_left(bool& lost) {
    const auto killed = killer_.kill_descendants(proc_.get(), sys::own_id(), leaders());
    lost = !killed;
    if (!killed) return refused(Stage::kKill, killed.error().os_error);
    const bool own_objects = plan_.level == SandboxLevel::kFull;
    std::uint32_t removed = 0;
    if (own_objects) {
        removed = leaders().empty() ? remove_all_objects(proc_.get())
                                    : remove_abandoned_segments(proc_.get(), killer_.table());
    }
    return {{}, 0, *killed + removed};
}

StageError WardenProcess::signal(const Request& request) {
    const Job* job = request.id == 0 ? nullptr : find(request.id);
    if (job == nullptr) return {Stage::kUnknownCommand, ESRCH};
    const auto number = static_cast<int>(request.number);
    return at(Stage::kSignal, sys::signal_group(job->leader, number));
}

Reply WardenProcess::enter(Request& request) {
    if (request.paths.left() != 1) return refused(Stage::kRequest, EINVAL);
    const auto answer = [](Entering entering) {
        return Reply{{}, 0, static_cast<std::uint32_t>(entering)};
    };
    const char* path = request.paths.take();
    if (*path == '/') {
        if (!is_within(path, plan_.workspace_path)) return answer(Entering::kOutside);
        path += plan_.workspace_path.size();
        if (*path == '/') ++path;
    }
    const std::size_t size = std::strlen(path) + 1;
    if (size > directory_path_.size()) return answer(Entering::kMissing);
    auto there = descend_to_directory(workspace_.get(), path);
    if (!there) {
        return answer(there.error().code == Code::kInvalidPath ? Entering::kOutside
                                                               : Entering::kMissing);
    }
    directory_ = std::move(*there);
    std::memcpy(directory_path_.data(), path, size);
    return answer(Entering::kEntered);
}

StageError WardenProcess::protect(Request& request) {
    if (plan_.level != SandboxLevel::kFull) return {Stage::kProtect, EOPNOTSUPP};
    while (request.paths.left() > 0) {
        const auto wanted = decode_protection(request.paths.take());
        if (!wanted) return {Stage::kRequest, EINVAL};
        const auto done = view_.shield(wanted->path, wanted->shield, wanted->object);
        if (!done) return at(Stage::kProtect, done);
        add_protection(world_.map, plan_.workspace_path, wanted->path, path_buffer_);
    }
    // Through the new mounts, if it is still the same place.
    auto again = descend_to_directory(workspace_.get(), directory_path_.data());
    const auto before = sys::fstat(directory_.get());
    if (again && before) {
        const auto after = sys::fstat(again->get());
        if (after && after->identity == before->identity) directory_ = std::move(*again);
    }
    return {};
}

StageError WardenProcess::know_repositories(Request& request) {
    if (gates_ == nullptr) return {};
    repositories_.resize(std::min<std::size_t>(repositories_.size(), request.number));
    while (request.paths.left() > 0) repositories_.emplace_back(request.paths.take());
    gates_->set_repositories(repositories_);
    return {};
}

WardenProcess::Left WardenProcess::collect_ended() {
    sys::clear_child_signals(child_signals_.get());
    for (;;) {
        const auto ended = sys::take_ended();
        if (!ended) return ended.error().os_error == ECHILD ? Left::kNobody : Left::kSomebody;
        if (!*ended) return Left::kSomebody;
        const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& each) {
            return each.id != 0 && each.leader == (*ended)->id;
        });
        if (job == jobs_.end()) continue;  // an orphan, or a command that could not be started
        ExitRecord record;
        record.exit_code = (*ended)->exit_code;
        record.signal = (*ended)->signal;
        record.user_us = (*ended)->user_us;
        record.system_us = (*ended)->system_us;
        record.peak_memory_kb = (*ended)->peak_memory_kb;
        record.killed = job->killed;
        record.memory_kills = static_cast<std::uint32_t>(
            event_count(plan_.memory_events.get(), kMemoryKills) - job->memory_kills);
        record.processes_refused = static_cast<std::uint32_t>(
            event_count(plan_.process_events.get(), kProcessesRefused) - job->processes_refused);
        if (gates_ != nullptr) record.changes = gates_->end_call(job->calls, record.names);
        (void)write_exit(job->status.get(), record);
        job->status.reset();
        job->id = 0;
    }
}

void WardenProcess::end() {
    raise_rights();
    if (plan_.level == SandboxLevel::kLow) {
        end_descendants();
        if (!plan_.scratch_name.empty()) {
            (void)remove_scratch(plan_.scratch_parent.c_str(), plan_.scratch_name.c_str(),
                                 killer_.reader());
        }
    }
    sys::leave(0);
}

// What the kernel does on the full level. Whoever lost its parent is a child of this process.
void WardenProcess::end_descendants() {
    constexpr int kPauseMs = 10;
    for (int round = 0; round < kKillPassesMax; ++round) {
        (void)killer_.kill_descendants(proc_.get(), sys::own_id());
        for (;;) {
            const auto ended = sys::take_ended();
            if (!ended) return;  // there are no children any more
            if (!*ended) break;
        }
        std::array<pollfd, 1> polled{{{child_signals_.get(), POLLIN, 0}}};
        (void)sys::wait_ready(polled, kPauseMs);
        sys::clear_child_signals(child_signals_.get());
    }
}

// What the processes of a session are and hold, as the warden answers it.
// Whoever lives by forking, each generation for a moment, may be missed by every look at /proc. The
// kernel misses nobody: who loses its parent is a child of this process before that one has ended.
Reply WardenProcess::count_processes(Left left) {
    Reply counted;
    if (left == Left::kNobody) return counted;
    ProcessTable& table = killer_.table();
    if (const auto seen = table.scan(proc_.get(), killer_.reader()); !seen) {
        return Reply{{Stage::kCount, seen.error().os_error}, 0, 0};
    }
    table.mark_descendants(sys::own_id());
    counted.value = table.marked_alive();
    if (counted.value == 0) {
        counted.value = counted.left = 1;
        return counted;
    }
    look_at_memory(counted);
    table.mark_descendants(sys::own_id(), leaders());
    counted.left = table.marked_alive();
    std::uint32_t most = counted.left;
    for (const Job& job : jobs_) {
        if (job.id == 0) continue;
        table.mark_descendants(job.leader);
        const std::uint32_t own = table.marked_alive() + 1;
        if (own <= most) continue;
        most = own;
        counted.id = job.id;
    }
    return counted;
}

// With all processes of the session marked in the table.
void WardenProcess::look_at_memory(Reply& counted) {
    if (plan_.memory_events.valid()) return;
    const std::uint64_t most_allowed = plan_.limits.memory_bytes;
    const bool own_objects = plan_.level == SandboxLevel::kFull;
    if (!may_hold_more(proc_.get(), killer_.table(), most_allowed, own_objects)) return;
    if (!memory_.is_under_way() && MemoryUse::Clock::now() >= measure_again_) {
        (void)memory_.begin(proc_.get(), killer_.reader(), sys::own_id(), most_allowed,
                            own_objects);
    }
    if (memory_.is_under_way()) measure_memory();
    const bool is_there = most_memory_ == 0 || find(most_memory_) != nullptr;
    counted.exceeds_memory = exceeds_memory_ && is_there;
    counted.most_memory = most_memory_;
}

void WardenProcess::measure_memory() {
    constexpr int kPausePerWork = 9;
    constexpr std::chrono::milliseconds kSlice{50};  // requests are answered in between
    using Clock = MemoryUse::Clock;
    if (!memory_.go_on(proc_.get(), killer_.reader(), Clock::now() + kSlice)) return;
    exceeds_memory_ = memory_.exceeds_limit();
    std::uint64_t most = memory_.of_left(sys::own_id(), leaders());
    most_memory_ = 0;
    for (const Job& job : jobs_) {
        if (job.id == 0) continue;
        const std::uint64_t own = memory_.of_tree(job.leader);
        if (own <= most) continue;
        most = own;
        most_memory_ = job.id;
    }
    measure_again_ =
        Clock::now() + std::min<Clock::duration>(kPausePerWork * memory_.work(), kMemoryMeasureAge);
}

// One command may leave a message for the next, and not a part of its memory.
void WardenProcess::free_large_objects() {
    constexpr std::uint64_t kMostPart = 4;
    if (plan_.level != SandboxLevel::kFull) return;
    if (sysv_bytes(proc_.get()) <= plan_.limits.memory_bytes / kMostPart) return;
    (void)remove_all_objects(proc_.get());
}

}  // namespace paddock::sandbox
