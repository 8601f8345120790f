#include "sandbox/cgroup.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

#include "sandbox/probe.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/kernel_text.h"
#include "sys/process.h"
#include "sys/signal.h"
#include "sys/socket.h"

namespace paddock::sandbox {
namespace {

constexpr std::string_view kPrefix = "paddock-";
constexpr const char* kLeaf = "paddock-leaf";
constexpr const char* kLeafProcesses = "paddock-leaf/cgroup.procs";
constexpr std::string_view kThisProcess = "0";

bool lists(const std::string& controllers, std::string_view wanted) {
    const auto all = sys::split(controllers, ' ');
    return std::any_of(all.begin(), all.end(), [&](std::string_view each) {
        return each.substr(0, each.find('\n')) == wanted;
    });
}

bool names_controllers(int group, const char* file) {
    const std::string named = sys::read_text(group, file).value_or("");
    return lists(named, "memory") && lists(named, "pids");
}

bool has_controllers(int group) { return names_controllers(group, "cgroup.subtree_control"); }

bool holds_only_this_process(int group) {
    const auto processes = sys::split(sys::read_text(group, "cgroup.procs").value_or(""), '\n');
    return processes.size() == 1 && processes[0] == std::to_string(sys::own_id());
}

// Groups of servers that were killed before they could remove them. One with a process in it cannot
// be removed, and one of a server that lives may be about to get its first.
void remove_stale(int directory) {
    const auto listed = sys::openat(directory, ".", O_RDONLY | O_DIRECTORY);
    if (!listed) return;
    const auto reader = std::make_unique<sys::DirReader>();
    for (;;) {
        const auto entry = reader->next(listed->get());
        if (!entry || *entry == nullptr) return;
        std::string_view name = (*entry)->name;
        if (!name.starts_with(kPrefix)) continue;
        name.remove_prefix(kPrefix.size());
        pid_t server = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), server);
        if (parsed.ec != std::errc() || server <= 0 || sys::hold_process(server)) continue;
        (void)sys::unlinkat(directory, (*entry)->name, sys::Unlink::kDirectory);
    }
}

struct Made {
    UniqueFd parent;
    UniqueFd group;
    std::string name;
};

Outcome<Made> make_below(UniqueFd parent) {
    remove_stale(parent.get());
    PADDOCK_ASSIGN(random, sys::random_u64());
    std::string name(kPrefix);
    name += std::to_string(sys::own_id()) + '-' + std::to_string(random);
    PADDOCK_TRY(sys::mkdirat(parent.get(), name.c_str(), 0755));
    auto group = sys::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY);
    if (!group || !sys::openat(group->get(), "cgroup.procs", O_WRONLY)) {
        (void)sys::unlinkat(parent.get(), name.c_str(), sys::Unlink::kDirectory);
        return refuse(Code::kNotAvailable);
    }
    return Made{std::move(parent), std::move(*group), std::move(name)};
}

// Beside the own group, where that is allowed, no process need be moved. Whoever was moved to a
// leaf by hand_down finds the controllers there the next time.
Outcome<Made> make_group(const CommandLimits& limits, bool even_without_limits) {
    PADDOCK_ASSIGN(own, own_cgroup_directory());
    if (!has_controllers(own.get())) {
        auto above = sys::openat(own.get(), "..", O_RDONLY | O_DIRECTORY);
        if (above && has_controllers(above->get())) {
            if (auto made = make_below(std::move(*above))) return made;
        }
        const auto handed = hand_down(own.get(), limits);
        if (!handed && !even_without_limits) return handed.error();
    }
    return make_below(std::move(own));
}

}  // namespace

Done hand_down(int group, const CommandLimits& limits) {
    if (!names_controllers(group, "cgroup.controllers") || !holds_only_this_process(group)) {
        return refuse(Code::kNotAvailable);
    }
    PADDOCK_ASSIGN(control, sys::openat(group, "cgroup.subtree_control", O_WRONLY));
    const auto made = sys::mkdirat(group, kLeaf, 0755);
    if (!made && made.error().os_error != EEXIST) return made.error();
    Done done = sys::write_text(group, kLeafProcesses, kThisProcess);
    if (done) {
        done = sys::write_all(control.get(),
                              limits.cpu_percent ? "+memory +pids +cpu" : "+memory +pids");
    }
    if (done) return done;
    (void)sys::write_text(group, "cgroup.procs", kThisProcess);
    (void)sys::unlinkat(group, kLeaf, sys::Unlink::kDirectory);
    return done;
}

Done set_group_limits(int group, const CommandLimits& limits) {
    PADDOCK_TRY(sys::write_text(group, "memory.max", std::to_string(limits.memory_bytes)));
    // What may not be had as memory may not be had as swap either; not every kernel counts that.
    (void)sys::write_text(group, "memory.swap.max", "0");
    PADDOCK_TRY(sys::write_text(group, "pids.max", std::to_string(limits.processes)));
    if (!limits.cpu_percent) return {};
    constexpr std::uint64_t kPeriodUs = 100'000;
    const std::uint64_t quota = std::uint64_t{*limits.cpu_percent} * kPeriodUs / 100;
    return sys::write_text(group, "cpu.max",
                           std::to_string(quota) + ' ' + std::to_string(kPeriodUs));
}

Outcome<SessionGroup> SessionGroup::make(const CommandLimits& limits, bool even_without_limits) {
    PADDOCK_ASSIGN(made, make_group(limits, even_without_limits));
    SessionGroup group(std::move(made.parent), std::move(made.group), std::move(made.name));
    if (auto kill = sys::openat(group.group_.get(), "cgroup.kill", O_WRONLY)) {
        group.kill_ = std::move(*kill);
    }
    if (!has_controllers(group.parent_.get())) return group;
    PADDOCK_TRY(set_group_limits(group.group_.get(), limits));
    PADDOCK_ASSIGN(memory, sys::openat(group.group_.get(), "memory.events", O_RDONLY));
    PADDOCK_ASSIGN(processes, sys::openat(group.group_.get(), "pids.events", O_RDONLY));
    group.memory_events_ = std::move(memory);
    group.process_events_ = std::move(processes);
    return group;
}

SessionGroup::~SessionGroup() {
    if (!group_.valid()) return;
    constexpr int kTriesMax = 200;
    constexpr int kPauseMs = 5;
    for (int i = 0; i < kTriesMax; ++i) {
        if (kill_.valid()) (void)sys::write_all(kill_.get(), "1");
        const auto removed = sys::unlinkat(parent_.get(), name_.c_str(), sys::Unlink::kDirectory);
        // A process that may not since it has confined itself: the next session removes what is
        // stale.
        if (removed || removed.error().os_error == EACCES) return;
        (void)sys::wait_ready({}, kPauseMs);
    }
}

Done SessionGroup::add(pid_t process) {
    return sys::write_text(group_.get(), "cgroup.procs", std::to_string(process));
}

std::uint64_t event_count(int events, std::string_view name) noexcept {
    std::array<char, 1024> block;
    const auto size =
        events < 0 ? Outcome<std::size_t>(0) : sys::read_at(events, block.data(), block.size(), 0);
    std::string_view rest(block.data(), size.value_or(0));
    while (!rest.empty()) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.substr(0, line.find(' ')) != name) continue;
        line.remove_prefix(std::min(line.size(), name.size() + 1));
        std::uint64_t count = 0;
        std::from_chars(line.data(), line.data() + line.size(), count);
        return count;
    }
    return 0;
}

}  // namespace paddock::sandbox
