// The warden's own process: builds the sandbox, then answers requests until the server is gone.
//
// It is a copy of the server's process with one thread. With a gate it is made by fork(), so it may
// allocate. Without one no lock in it can be trusted, and it allocates nothing. On the full level
// it is the first process of a pid namespace: when it ends, for whatever reason, the kernel ends
// all others in there. On the low level it ends its descendants itself.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "sandbox/channel.h"
#include "sandbox/gate.h"
#include "sandbox/memory_use.h"
#include "sandbox/observer.h"
#include "sandbox/processes.h"
#include "sandbox/view.h"
#include "sandbox/warden_plan.h"
#include "sys/socket.h"

namespace paddock::sandbox {

// A command that runs.
struct Job {
    std::uint32_t id = 0;  // 0: unused
    pid_t leader = 0;
    std::uint32_t killed = 0;
    std::uint64_t memory_kills = 0;  // of the session, when it began
    std::uint64_t processes_refused = 0;
    CallIds calls = {};  // of the journals
    UniqueFd status;
};

class WardenProcess {
public:
    explicit WardenProcess(WardenPlan& plan) : plan_(plan), world_(plan.world) {}

    // Never returns.
    [[noreturn]] void run();

private:
    static constexpr std::size_t kStackBytes = 65536;

    // Building, in warden_build.cc.
    Done settle();  // signals, descriptors, session
    StageError build();
    StageError build_namespaces();
    StageError build_plain();
    Done take_identity();
    Done separate_mounts();
    Done cut_capabilities();
    StageError make_network();
    Done show_sockets();
    bool can_observe();
    StageError build_gate();
    struct GatedRoot {
        int directory = -1;
        const std::string& path;
        journal::Journal* journal = nullptr;
    };
    Done add_unrecorded_gate(Gates& gates);
    GateSetup gate_setup(const GatedRoot& root) const;
    StageError add_gate(Gates& gates, const GatedRoot& root, const std::string& journal_path,
                        const std::string& prefix = {});
    void lower_rights() noexcept;
    void raise_rights() noexcept;

    // Answering, in warden_process.cc.
    void answer_requests();
    bool answer_one();  // false: the server is gone
    bool open_door();   // false: nobody wants a socket any more
    bool reply(const Reply& reply, std::initializer_list<int> descriptors = {});
    Reply spawn(Request& request, std::size_t descriptors, UniqueFd& terminal);
    StageError start_plainly(struct CommandStart& start, pid_t& leader);
    StageError start_observed(struct CommandStart& start, pid_t& leader);
    // Of a path that is relative to the workspace, or absolute in another root.
    Outcome<UniqueFd> find_directory(const char* path) const;
    StageError take_descriptors(const Request& request, std::size_t descriptors,
                                struct CommandStart& start);
    void free_large_objects();  // with nobody there to use them
    StageError kill_tree(std::uint32_t id, bool& lost);
    Reply kill_left(bool& lost);
    StageError signal(const Request& request);
    Reply enter(Request& request);
    StageError protect(Request& request);
    StageError know_repositories(Request& request);
    // All that commands started descends from this process, which adopts orphans: without a child
    // there is nobody.
    enum class Left : bool { kNobody, kSomebody };
    Left collect_ended();
    // Counting.
    Reply count_processes(Left left);
    void look_at_memory(Reply& counted);
    void measure_memory();  // for a slice of time
    Job* find(std::uint32_t id) noexcept;
    std::span<const pid_t> leaders() noexcept;  // of the commands that run
    void end_descendants();
    [[noreturn]] void end();

    WardenPlan& plan_;
    ObservedWorld& world_;
    View view_;
    UniqueFd ruleset_;
    UniqueFd proc_;
    UniqueFd child_signals_;
    mode_t creation_mask_ = 022;  // the user's
    UniqueFd listener_;
    UniqueFd name_socket_;
    std::uint16_t port_ = 0;
    UniqueFd workspace_;                                      // of the commands' namespace
    std::array<UniqueFd, limits::kFurtherRootsMax> further_;  // the same, as in the plan
    UniqueFd directory_;                                      // where commands begin
    std::uint32_t next_id_ = 1;
    CallIds calls_ = {};  // of the command that is being started
    bool observes_ = false;
    std::optional<policy::PathRules> unrecorded_rules_;
    std::optional<journal::Journal> unrecorded_journal_;
    UniqueFd unrecorded_;           // of the commands' namespace
    std::unique_ptr<Gates> gates_;  // null: commands change the workspace themselves
    std::vector<std::string> repositories_;
    StageError start_failed_;  // of the command that is being started

    std::array<Job, limits::kCommandsMax> jobs_;
    std::array<pid_t, limits::kCommandsMax> leaders_;
    ObserverTable observers_;
    std::array<pollfd, 4 + kObserversMax> polled_;
    std::array<UniqueFd, sys::kDescriptorsPerMessage> brought_;
    UniqueFd denials_;  // of the command that is being started: where they are told
    std::array<char, limits::kPathBytesMax + 1> directory_path_;
    std::array<char, limits::kPathBytesMax + limits::kComponentBytesMax> path_buffer_;
    std::array<char, kWardenMessageBytes> message_;
    std::array<char*, 2 * (kCommandStringsMax + 1)> pointers_;
    alignas(16) std::array<std::byte, kStackBytes> stack_;
    TreeKiller killer_;
    MemoryUse memory_;
    // What the last measurement said, and when there may be another.
    bool exceeds_memory_ = false;
    std::uint32_t most_memory_ = 0;
    std::chrono::steady_clock::time_point measure_again_{};
};

}  // namespace paddock::sandbox
