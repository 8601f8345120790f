// What is said between a session's server and its warden: one message for each request and one for
// each answer, bounded, and checked by whoever receives it before anything else is done with it.
//
// A message is a fixed header and then strings, each ended by NUL, in three lists one after the
// other. Both sides are the same build, so numbers are as the machine has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "journal/record.h"
#include "sandbox/stage.h"
#include "sandbox/view_plan.h"

namespace paddock::sandbox {

// One request to the warden: the longest argument that the kernel takes (128 kB) and as much again
// for the others and the environment, within the default buffer of a socket.
inline constexpr std::size_t kWardenMessageBytes = 196'608;

// Arguments and variables of one command.
inline constexpr std::size_t kCommandStringsMax = 4096;

// How a command ended, as the warden tells the process that started the session.
// Times and memory are those of the command and of the children it waited for.
struct ExitFacts {
    std::int32_t exit_code = 0;  // meaningless after a signal
    std::int32_t signal = 0;     // 0: it exited
    std::uint64_t user_us = 0;
    std::uint64_t system_us = 0;
    std::uint64_t peak_memory_kb = 0;
    std::uint32_t killed = 0;             // processes that kill_tree had to end
    std::uint32_t memory_kills = 0;       // by the cgroup's memory limit, during the command
    std::uint32_t processes_refused = 0;  // by the cgroup's process limit, during the command
    journal::Changes changes = {};        // of the workspace, through the gate
};

struct ExitRecord : ExitFacts {
    std::vector<journal::NameChange> names = {};  // the first of the changed ones
};

// Waits for the end of a command. Nothing: the session ended first.
Outcome<std::optional<ExitRecord>> read_exit(int status);

// Never waits on an empty pipe: names that do not fit are left out.
Done write_exit(int status, const ExitRecord& record);

enum class Ask : std::uint32_t {
    kBegin,  // the users are mapped, go on
    kSpawn,
    kKillTree,
    kKillLeft,
    kSignal,
    kEnter,
    kProtect,
    kRepositories,
    kCountProcesses,
};
inline constexpr std::uint32_t kAsks = static_cast<std::uint32_t>(Ask::kCountProcesses) + 1;

// Which descriptors come with kSpawn, in this order; the status pipe comes first, always.
inline constexpr std::uint32_t kBringsInput = 1;
inline constexpr std::uint32_t kBringsOutput = 2;
inline constexpr std::uint32_t kBringsError = 4;
inline constexpr std::uint32_t kBringsReport = 8;
inline constexpr std::uint32_t kBringsDenials = 16;
inline constexpr std::uint32_t kWantsTerminal = 32;
inline constexpr std::uint32_t kWritesNoFile = 64;
inline constexpr std::uint32_t kLeavesLines = 128;
inline constexpr std::uint32_t kSpawnFlags = 255;

// Strings inside a message that was checked.
class Strings {
public:
    Strings() = default;
    Strings(const char* first, std::uint32_t count) : next_(first), left_(count) {}

    std::uint32_t left() const noexcept { return left_; }
    const char* take() noexcept;  // there must be one left

private:
    const char* next_ = nullptr;
    std::uint32_t left_ = 0;
};

struct Request {
    Ask ask = Ask::kBegin;
    std::uint32_t id = 0;  // of the command
    // The signal; rows and columns of a terminal; kRepositories: how many came before these
    std::uint32_t number = 0;
    std::uint32_t flags = 0;
    Strings arguments;
    Strings variables;
    // kSpawn: the directory or "", then the calls in further journals; kProtect: see
    // encode(Protection); kRepositories: directories
    Strings paths;
};

// Errors: too_large.
struct RequestParts {
    Ask ask = Ask::kBegin;
    std::uint32_t id = 0;
    std::uint32_t number = 0;
    std::uint32_t flags = 0;
    std::span<const std::string> arguments = {};
    std::span<const std::string> variables = {};
    std::span<const std::string> paths = {};
};
Outcome<std::string> encode(const RequestParts& parts);

// Valid as long as `bytes` is. Allocates nothing. Errors: invalid_argument.
Outcome<Request> decode_request(std::span<const char> bytes);

// A protection as one of the strings of kProtect.
std::string encode(const Protection& protection);

struct ProtectionText {
    const char* path = nullptr;  // in the string that it was read from
    Shield shield = Shield::kReadOnly;
    std::optional<Identity> object = {};
};
// Allocates nothing. Errors: invalid_argument.
Outcome<ProtectionText> decode_protection(const char* text);

struct Reply {
    StageError error = {};
    std::uint32_t id = 0;         // kCountProcesses: of the command that has the most
    std::uint32_t value = 0;      // kBegin: the proxy's port; kSpawn: 1 if the command is observed
    bool observes = false;        // kBegin: commands can be observed
    bool gated = false;           // kBegin: by the gate
    std::uint32_t left = 0;       // kCountProcesses: of no running command
    bool exceeds_memory = false;  // kCountProcesses: they hold more than they may
    std::uint32_t most_memory = 0;  // kCountProcesses: the command that holds the most
};

inline constexpr std::size_t kReplyBytes = 32;
using ReplyBytes = std::array<char, kReplyBytes>;
ReplyBytes encode(const Reply& reply) noexcept;
Outcome<Reply> decode_reply(std::span<const char> bytes);

}  // namespace paddock::sandbox
