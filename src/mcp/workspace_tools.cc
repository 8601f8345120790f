#include "mcp/workspace_tools.h"

#include <algorithm>

#include <paddock/limits.h>

#include "json/write.h"
#include "mcp/progress_text.h"
#include "text/base64.h"
#include "tools/call.h"

namespace paddock::mcp {
namespace {

void write_block(std::string& out, const tools::Block& block) {
    if (block.kind == tools::BlockKind::kText) {
        out += R"({"type":"text","text":)";
        json::append_quoted(out, block.data);
    } else {
        out += block.kind == tools::BlockKind::kImage ? R"({"type":"image","data":")"
                                                      : R"({"type":"audio","data":")";
        out += text::base64(block.data);
        out += R"(","mimeType":)";
        json::append_quoted(out, block.mime);
    }
    out += '}';
}

}  // namespace

WorkspaceTools::WorkspaceTools(Workspace workspace)
    : workspace_(std::move(workspace)), tools_(tools::list(workspace_)) {}

std::vector<std::string> WorkspaceTools::list() const {
    std::vector<std::string> texts;
    texts.reserve(tools_.size());
    for (const tools::ToolInfo& tool : tools_) texts.push_back(tool_text(tool));
    return texts;
}

const tools::ToolInfo* WorkspaceTools::find(std::string_view name) const noexcept {
    const auto it = std::find_if(tools_.begin(), tools_.end(),
                                 [&](const tools::ToolInfo& tool) { return tool.name == name; });
    return it == tools_.end() ? nullptr : &*it;
}

tools::Pace WorkspaceTools::pace(std::string_view name) const {
    const tools::ToolInfo* tool = find(name);
    return tool == nullptr ? tools::Pace::kQuick : tool->pace;
}

bool WorkspaceTools::only_reads(std::string_view name) const {
    const tools::ToolInfo* tool = find(name);
    return tool != nullptr && tool->read_only;
}

Handled WorkspaceTools::call(const std::shared_ptr<Exchange>& exchange, const std::string& name,
                             const json::Value& arguments) {
    tools::CallOptions options{.cancel = exchange->cancelled(),
                               .only_quick = exchange->is_hurried()};
    ProgressText progress(*exchange);
    if (exchange->wants_progress()) {
        options.progress = [&](std::string_view text) {
            progress.add(text, ProgressText::Clock::now());
        };
    }
    const tools::Answer answer = tools::call_parsed(workspace_, name, arguments, options);
    if (answer.is_deferred) return Handled::deferred();
    write_answer(*exchange, answer);
    return {};
}

std::string tool_text(const tools::ToolInfo& tool) {
    std::string text = R"({"name":)";
    json::append_quoted(text, tool.name);
    text += R"(,"title":)";
    json::append_quoted(text, tool.title);
    text += R"(,"description":)";
    json::append_quoted(text, tool.description);
    text += R"(,"inputSchema":)" + tool.input_schema;
    const json::Object annotations{{"title", tool.title},
                                   {"readOnlyHint", tool.read_only},
                                   {"destructiveHint", tool.destructive},
                                   {"idempotentHint", tool.idempotent},
                                   {"openWorldHint", tool.open_world}};
    text += R"(,"annotations":)" + json::to_text(annotations);
    const json::Object meta{
        {"anthropic/alwaysLoad", true},
        {"anthropic/maxResultSizeChars", static_cast<std::int64_t>(limits::kMcpResultCharsHint)}};
    return text + R"(,"_meta":)" + json::to_text(meta) + "}";
}

void write_answer(Exchange& exchange, const tools::Answer& answer) {
    std::size_t bytes = 0;
    for (const tools::Block& block : answer.blocks) bytes += block.data.size();
    std::string& out = exchange.result("content");
    out.reserve(out.size() + bytes + bytes / 8 + 512);
    out += '[';
    for (const tools::Block& block : answer.blocks) {
        if (&block != &answer.blocks.front()) out += ',';
        write_block(out, block);
    }
    out += ']';
    if (answer.error) exchange.result("isError") += "true";
}

}  // namespace paddock::mcp
