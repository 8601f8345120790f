#include "mcp/tool_host.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/utf8.h"
#include "json/write.h"
#include "mcp/protocol.h"
#include "text/encoding.h"
#include "tools/call.h"

namespace paddock::mcp {
namespace {

// FNV-1a: tells one list from another, nothing more. A forged cursor leads to another page of the
// same list.
std::uint64_t mark_of(const std::vector<std::string>& tools, std::uint64_t seed) {
    std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
    for (const std::string& tool : tools) {
        for (const char byte : tool) {
            hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
        }
    }
    return hash;
}

std::string hexadecimal(std::uint64_t number) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
    return {digits, end};
}

// The list, cut into pages once.
class Pages {
public:
    Pages(const std::vector<std::string>& tools, std::size_t page_size) {
        for (std::size_t first = 0; first < std::max<std::size_t>(tools.size(), 1);
             first += page_size) {
            Page page{first == 0 ? std::string() : cursor_of(tools, first), "["};
            for (std::size_t i = first; i < std::min(first + page_size, tools.size()); ++i) {
                if (i > first) page.tools += ',';
                page.tools += tools[i];
            }
            page.tools += ']';
            pages_.push_back(std::move(page));
        }
    }

    Handled write(RequestContext& context) const {
        std::string_view cursor;
        if (const json::Value* given = context.params().find("cursor")) {
            if (given->as_string() == nullptr || given->as_string()->empty()) return wrong();
            cursor = *given->as_string();
        }
        const auto page = std::find_if(pages_.begin(), pages_.end(),
                                       [&](const Page& each) { return each.cursor == cursor; });
        if (page == pages_.end()) return wrong();
        context.result("tools") += page->tools;
        if (page + 1 != pages_.end()) context.result("nextCursor", (page + 1)->cursor);
        add_cache_hints(context);
        return {};
    }

private:
    struct Page {
        std::string cursor;  // that leads to it
        std::string tools;   // a JSON array
    };

    static std::string cursor_of(const std::vector<std::string>& tools, std::size_t first) {
        return hexadecimal(mark_of(tools, first));
    }

    static RpcError wrong() {
        return {error_code::kInvalidParams,
                "params.cursor does not come from this list; list again from the start"};
    }

    std::vector<Page> pages_;
};

Handled call_tool(const std::shared_ptr<RequestContext>& context) {
    const std::string* name = context->text("name");
    if (name == nullptr) {
        return RpcError{error_code::kInvalidParams, "params.name must be a string"};
    }
    if (context->tool() == nullptr) {
        return RpcError{
            error_code::kInvalidParams,
            "there is no tool '" + displayable(cut_utf8(*name, limits::kMcpShownBytes)) + "' here"};
    }
    static const json::Value kNoArguments{json::Object{}};
    const json::Value* arguments = context->params().find("arguments");
    return context->tool()->call(
        context, arguments == nullptr || arguments->is_null() ? kNoArguments : *arguments);
}

}  // namespace

void add_tool_methods(Methods& methods, const std::shared_ptr<ToolHost>& host,
                      std::size_t page_size) {
    auto pages = std::make_shared<const Pages>(host->list(), page_size);
    methods.add("tools/list",
                {.run = [pages](const auto& context) { return pages->write(*context); }});
    methods.add("tools/call", {.run = [](const auto& context) { return call_tool(context); },
                               .pace =
                                   [](const RequestContext& context) {
                                       const HostedTool* tool = context.tool();
                                       return tool == nullptr ? tools::Pace::kQuick : tool->pace;
                                   },
                               .only_reads =
                                   [](const RequestContext& context) {
                                       return context.tool() != nullptr &&
                                              context.tool()->only_reads;
                                   },
                               .prepare =
                                   [host](RequestContext& context) {
                                       const std::string* name = context.text("name");
                                       if (name != nullptr) context.set_tool(host->find(*name));
                                   }});
}

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

WorkspaceTools::WorkspaceTools(Workspace workspace) : workspace_(std::move(workspace)) {
    for (const tools::ToolInfo& info : tools::list(workspace_)) {
        texts_.push_back(tool_text(info));
        const tools::Declaration& tool = *tools::find_tool(info.name);
        tools_.emplace(info.name,
                       HostedTool{[this, &tool](const auto& context, const auto& arguments) {
                                      return call(context, tool, arguments);
                                  },
                                  info.pace, info.read_only});
    }
}

const HostedTool* WorkspaceTools::find(std::string_view name) const {
    const auto it = tools_.find(name);
    return it == tools_.end() ? nullptr : &it->second;
}

Handled WorkspaceTools::call(const std::shared_ptr<RequestContext>& context,
                             const tools::Declaration& tool, const json::Value& arguments) const {
    tools::CallOptions options{.cancel = context->cancelled(), .only_quick = context->is_hurried()};
    ProgressText progress(*context);
    if (context->wants_progress()) {
        options.progress = [&](std::string_view text) {
            progress.add(text, ProgressText::Clock::now());
        };
    }
    const tools::Answer answer = tools::call_parsed(workspace_, tool, arguments, options);
    if (answer.is_deferred) return Handled::deferred();
    write_answer(*context, answer);
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
        {"anthropic/maxResultSizeChars", static_cast<std::int64_t>(kMcpResultCharsHint)}};
    return text + R"(,"_meta":)" + json::to_text(meta) + "}";
}

void write_answer(RequestContext& context, const tools::Answer& answer) {
    std::size_t bytes = 0;
    for (const tools::Block& block : answer.blocks) bytes += block.data.size();
    std::string& out = context.result("content");
    out.reserve(out.size() + bytes + bytes / 8 + 512);
    out += '[';
    for (const tools::Block& block : answer.blocks) {
        if (&block != &answer.blocks.front()) out += ',';
        write_block(out, block);
    }
    out += ']';
    if (answer.error) context.result("isError") += "true";
}

void ProgressText::add(std::string_view text, Clock::time_point now) {
    printed_ += text.size();
    waiting_ += text;
    if (waiting_.size() > kMcpProgressBytesMax) {
        // Not in the middle of a character.
        std::size_t from = waiting_.size() - kMcpProgressBytesMax;
        while (from < waiting_.size() && (static_cast<unsigned char>(waiting_[from]) >> 6) == 2) {
            ++from;
        }
        waiting_.erase(0, from);
    }
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    allowance_ = std::min(kBurst, allowance_ + passed.count() * kPerSecond);
    if (allowance_ < 1) return;
    allowance_ -= 1;
    context_.progress(static_cast<double>(printed_), {}, waiting_);
    waiting_.clear();
}

}  // namespace paddock::mcp
