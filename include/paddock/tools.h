// The tools of a workspace, by name, with JSON arguments: what an agent calls.
//
// Threads: everything here may be called from any thread at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>
#include <paddock/workspace.h>

namespace paddock::tools {

enum class BlockKind : std::uint8_t { kText, kImage, kAudio };

struct Block {
    BlockKind kind = BlockKind::kText;
    std::string data;  // text in UTF-8, or the bytes of the medium
    std::string mime;  // of a medium
};

struct Answer {
    std::vector<Block> blocks;
    std::optional<Code> error;  // set: the blocks say what went wrong
    std::size_t secrets = 0;    // that were replaced in the text
    bool is_deferred = false;   // see CallOptions::only_quick; there is nothing else then

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
