// The tools of a workspace, by name, with JSON arguments: what an agent calls.
//
// Threads: everything here may be called from any thread at any time.
#pragma once

#include <cstdint>
#include <optional>
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

    // All text blocks, joined by newlines.
    std::string text() const;
};

// Calls a tool. `arguments` is a JSON object. Never throws; whatever goes wrong is an Answer that
// tells a model what to do next. A tool that this workspace does not list is not_available.
Answer call(const Workspace& workspace, std::string_view name, std::string_view arguments);

struct ToolInfo {
    std::string name;
    std::string title;
    std::string description;
    std::string input_schema;  // JSON Schema, an object
    bool read_only = false;
    bool destructive = false;
    bool idempotent = false;
};

// The tools that this workspace lists, in a stable order.
std::vector<ToolInfo> list(const Workspace& workspace);

}  // namespace paddock::tools
