// The warden: a small process that holds the sandbox of one session and starts commands in it.
//
//   auto warden = Warden::start({.workspace = root.fd(), .workspace_path = "/home/me/project"});
//   auto process = warden->spawn({.arguments = {"/bin/sh", "-c", "make"}, ...});
//   auto record = read_exit(process->status.get());   // poll it; EOF: the session ended
//
// Processes, private /tmp and loopback servers live until end(), across commands. Ending the
// session, the death of this process by any signal and the death of the warden by anything end
// every process in it; on the low level the warden does that itself, so killing it with SIGKILL
// leaves commands behind.
//
// Commands see nothing of what is mounted below the workspace by others.
//
// Start it while this process is small and before it confines itself: the warden is its copy.
//
// Threads: all methods may be called from any thread; requests wait for each other. A warden that
// does not answer in time is ended, with its session.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <paddock/limits.h>
#include <paddock/shell.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "journal/journal.h"
#include "sandbox/channel.h"
#include "sandbox/warden_plan.h"

namespace paddock::sandbox {

struct TerminalSize {
    std::uint16_t rows = 24;
    std::uint16_t columns = 80;
};

// Descriptors are borrowed for the call.
struct Command {
    std::vector<std::string> arguments;    // the first without a slash is looked up in PATH, inside
    std::vector<std::string> environment;  // "NAME=value", complete; see environment.h
    // Relative to the workspace, or absolute in another root; absent: the session's current
    // directory.
    std::optional<std::string> directory = {};
    int input = -1;  // absent: /dev/null
    int output = -1;
    int error = -1;
    int report = -1;  // becomes descriptor 3: where a shell tells its last directory
    // The command gets a terminal of its own as controlling terminal, and as those of the streams
    // above that are absent.
    std::optional<TerminalSize> terminal = {};
    bool terminal_ends_lines = true;  // false: it is shown on one that does
    // It can remove files and make empty ones, and write none: EFBIG, wherever they are, those that
    // it is handed as well.
    bool writes_no_file = false;
    journal::CallId call = 0;  // whose changes these are
    // The same in the journals of the further roots that have one, in their order.
    std::vector<journal::CallId> further_calls = {};
};

using ProcessId = std::uint32_t;  // never reused in a session

struct Process {
    ProcessId id = 0;
    UniqueFd status;    // readable when the command has ended: read_exit()
    UniqueFd terminal;  // the other end of it, if one was asked for
    // For DenialLog: what it and those that it leaves running are refused. All of it that happened
    // before its end is there when `status` is readable. Invalid if it is not observed: the report
    // says why, or too many others are (kObserversMax).
    UniqueFd denials;
    std::chrono::steady_clock::time_point begin = {};  // it was asked for, and had not begun
};

// The processes of a session that are alive, the warden not counted.
struct Census {
    std::uint32_t alive = 0;
    std::uint32_t left = 0;  // that belong to no running command: one that has ended left them
    ProcessId largest = 0;   // the command that has the most; 0: none has more than there are left
    // They hold more memory than CommandLimits::memory_bytes. Never with a cgroup: the kernel keeps
    // the limit there.
    bool exceeds_memory = false;
    ProcessId most_memory = 0;  // the command that holds the most; 0: what is left does
};

enum class Entering : std::uint8_t { kEntered, kOutside, kMissing };

class Warden {
public:
    // Errors: invalid_argument (the specification), sandbox_unavailable (the step that the kernel
    // refused, and the remedy). Nothing is left behind.
    static Result<Warden> start(const WardenSpec& spec);

    Warden(const Warden&) = delete;
    Warden& operator=(const Warden&) = delete;
    Warden(Warden&&) noexcept;
    Warden& operator=(Warden&&) noexcept;
    ~Warden();  // end()

    // Errors: not_found, permission_denied and so on of the program or directory;
    // limit_reached (commands at once); too_large (arguments); sandbox_unavailable (a layer could
    // not be put on, or the session has ended). Nothing runs then.
    Result<Process> spawn(const Command& command);

    // SIGKILL to a command and all its descendants, those that left its session too; what an
    // earlier command left running is not among them. The exit record follows on its status
    // descriptor. A command that has ended already is not_found. If the tree grows faster than it
    // can be stopped the whole session is ended and that is reported as limit_reached.
    Status kill_tree(ProcessId id);

    // SIGKILL to every process that belongs to no running command, and all its descendants; removes
    // System V segments of theirs. Says how many there were. limit_reached as above.
    Result<std::uint32_t> kill_left();

    // To the command's own process group: itself and what it started, unless those left it.
    Status signal(ProcessId id, int number);

    // Makes `path`, absolute or relative to the workspace, the directory of later commands. No link
    // is followed. What is outside or missing changes nothing.
    Result<Entering> enter(const std::string& path);
    // Relative to the workspace, "." at first.
    std::string directory() const;

    // Adds to the protections. What is protected already is left as it is; a path that does not
    // exist is skipped. Errors: race if a path is not that of the object that was given with it,
    // and those before it may be protected then; not_available on the low level.
    Status protect(std::span<const Protection> protections);

    // All repositories whose settings lead somewhere, for the gate. Relative to the workspace.
    Status know_repositories(std::span<const std::string> directories);

    Result<Census> census();
    Result<std::uint32_t> processes();  // alive

    const ShellReport& report() const;
    void explain_scratch_home(std::string reason);  // for the report
    // Does the gate stand before the workspace?
    bool is_gated() const;

    const std::string& home() const;        // as commands see it
    bool has_lasting_home() const;          // it is WardenSpec::home
    const std::string& temporary() const;   // TMPDIR of commands
    const std::string& git_config() const;  // GIT_CONFIG_SYSTEM of commands; empty: none

    // A socket that listens on 127.0.0.1 inside, for a proxy outside. Taken once; invalid on the
    // low level and with the host's network.
    UniqueFd take_proxy_listener();
    std::uint16_t proxy_port() const;  // 0: none
    // The same for datagrams to 127.0.0.1:53, where programs ask that know no other name server.
    // Keep it open: what is asked there is not among the denials of a process.
    UniqueFd take_name_socket();

    // Where sockets of the session's network come out (proxy/publisher.h), with
    // ShellOptions::publish. Taken once.
    UniqueFd take_doorway();

    // The directory that the session's cgroup is in, to let a process that confines itself remove
    // it (Access::kRemoveDirectories); -1 without one. Borrowed.
    int cgroup_parent() const;

    // Ends every process of the session and waits until they are gone. What is asked later is
    // sandbox_unavailable.
    void end();
    // Only begins it. There is time for other things until end() finds them gone.
    void begin_end();

private:
    struct State;
    explicit Warden(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace paddock::sandbox
