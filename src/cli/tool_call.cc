#include "cli/tool_call.h"

#include <unistd.h>

#include <paddock/tools.h>

#include "cli/terminal.h"
#include "json/write.h"
#include "text/base64.h"

namespace paddock::cli {
namespace {

json::Value block_json(const tools::Block& block) {
    if (block.kind == tools::BlockKind::kText) {
        return json::Object{{"type", "text"}, {"text", block.data}};
    }
    const char* type = block.kind == tools::BlockKind::kImage ? "image" : "audio";
    return json::Object{
        {"type", type}, {"data", text::base64(block.data)}, {"mimeType", block.mime}};
}

std::string as_json(const ToolRequest& request, const tools::Answer& answer) {
    json::Array content;
    for (const tools::Block& block : answer.blocks) content.push_back(block_json(block));
    json::Object document{{"tool", request.tool}, {"content", std::move(content)}};
    if (answer.error) document["error"] = code_name(*answer.error);
    return json::to_text(document) + "\n";
}

// Diffs in colour, the rest as it is.
std::string painted(std::string_view text, const Paint& paint) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        const Tone tone = line.starts_with("@@")  ? Tone::kQuiet
                          : line.starts_with('+') ? Tone::kGood
                          : line.starts_with('-') ? Tone::kBad
                                                  : Tone::kPlain;
        out += tone == Tone::kPlain ? std::string(line) : paint(tone, line);
        text.remove_prefix(end);
    }
    return out;
}

std::string as_text(const ToolRequest& request, const tools::Answer& answer) {
    const bool shows_diff = request.tool == "edit_file";
    std::string text = answer.text();
    for (const tools::Block& block : answer.blocks) {
        if (block.kind == tools::BlockKind::kText) continue;
        text += "[" + block.mime + ", " + std::to_string(block.data.size()) + " bytes]\n";
    }
    if (!text.ends_with('\n')) text += '\n';
    return shows_diff ? painted(text, Paint(STDOUT_FILENO)) : text;
}

}  // namespace

// Each command is a session of its own, and its user has seen the file.
int run(const ToolRequest& request) {
    WorkspaceOptions options;
    options.root = request.root;
    options.read_only = request.read_only;
    options.track_reads = false;
    const auto workspace = Workspace::open(std::move(options));
    if (!workspace) {
        complain(workspace.error().message());
        return kUsageError;
    }
    const tools::Answer answer = tools::call(*workspace, request.tool, request.arguments);
    if (answer.error && !request.json) {
        complain(answer.text());
        return kRefused;
    }
    const std::string text = request.json ? as_json(request, answer) : as_text(request, answer);
    if (!print(text)) return kUsageError;
    return answer.error ? kRefused : 0;
}

}  // namespace paddock::cli
