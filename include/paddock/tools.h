// The tools of a workspace, by name, with JSON arguments: what an agent calls.
//
// Threads: everything here may be called from any thread at any time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>
#include <paddock/results.h>
#include <paddock/shell.h>
#include <paddock/workspace.h>

namespace paddock::tools {

enum class BlockKind : std::uint8_t { kText, kImage, kAudio };

struct Block {
    BlockKind kind = BlockKind::kText;
    std::string data;  // text in UTF-8, or the bytes of the medium
    std::string mime;  // of a medium
};

struct FileChange {
    enum class What : std::uint8_t { kMade, kChanged, kMoved, kRemoved };
    What what = What::kMade;
    std::string path{};  // as paddock::displayable has it; of a further root with its prefix
    std::string from{};  // of kMoved
};

// Files of the workspace that a command has made, changed and removed. What was moved has changed.
struct FileChanges {
    std::uint64_t made = 0;
    std::uint64_t changed = 0;
    std::uint64_t removed = 0;
    std::uint64_t not_kept = 0;       // changed beyond what can be undone
    std::vector<FileChange> files{};  // the first by their paths, limits::kChangedNamesMax at most
    std::uint64_t more = 0;           // how many others there were
};

// A command as bash, bash_output and bash_kill answer it: what their text says, as values.
struct CommandResult {
    std::string id;
    bool running = false;
    std::optional<int> exit_code{};  // absent: it is running, or a signal ended it
    std::optional<int> signal{};     // that ended it
    std::chrono::milliseconds duration{};
    // What ended it, if not itself: "timeout", "cancelled", "bash_kill", "session", or the name of
    // a limit such as "memory". Otherwise empty.
    std::string ended_by{};
    std::optional<FileChanges> changes{};  // absent: it is running, or no gate counts them here
    std::vector<CommandDenial> denials{};  // once it has ended
    bool more_denials = false;             // there were others, which are not listed
};

struct Answer {
    std::vector<Block> blocks;
    std::optional<Code> error;  // set: the blocks say what went wrong
    std::size_t secrets = 0;    // that were replaced in the text
    bool is_deferred = false;   // see CallOptions::only_quick; there is nothing else then
    std::optional<CommandResult> command;  // of a tool that starts, reads or ends one
    Found found;          // of a tool that finds rows; the first block says the same
    std::string nothing;  // said where it found nothing: "No files match."
    std::string notes;    // remarks that close the text, such as how to go on

    // All text blocks, each beginning on a line of its own.
    std::string text() const;
};

struct CallOptions {
    // Searches, long reads, copies and commands end soon after a stop is requested, with code
    // cancelled.
    std::stop_token cancel{};
    // For a thread that others wait for: what a tool of Pace::kQuick turns out not to do quickly,
    // it does not begin. Nothing is audited then, and the call is to be made again elsewhere.
    bool only_quick = false;
    // For people who read the answer in a pipe: glob and grep show whole lines, and all they find
    // unless the arguments give a limit. They take the time it takes.
    bool uncut = false;
    // What a command prints, as it prints it, secrets replaced; called from the thread of the call.
    std::function<void(std::string_view text)> progress{};
};

// Calls a tool. `arguments` is a JSON object. Throws only what the audit sink does; whatever goes
// wrong is an Answer that tells a model what to do next. A tool that this workspace does not list
// is not_available.
Answer call(const Workspace& workspace, std::string_view name, std::string_view arguments,
            const CallOptions& options = {});

// How long a call takes, for whoever decides which thread it gets.
enum class Pace : std::uint8_t {
    kApart,     // as kWorking, but looks at no file: waits for no change
    kQuick,     // about as long as the few system calls it makes, or see CallOptions::only_quick
    kWorking,   // as long as there is something to do
    kChanging,  // the same, and changes files: one at a time, and what was asked later comes later
    kWaiting,   // as long as a command runs, minutes perhaps, with little to do meanwhile
};

struct ToolInfo {
    std::string name;
    std::string title;
    std::string description;
    std::string input_schema;  // JSON Schema, an object
    bool read_only = false;
    bool destructive = false;
    bool idempotent = false;
    bool open_world = false;  // reaches beyond the workspace: a network, if the operator gave one
    Pace pace = Pace::kWorking;
};

// The tools that this workspace lists, in a stable order.
std::vector<ToolInfo> list(const Workspace& workspace);

}  // namespace paddock::tools
