#include "mcp/tool_host.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/utf8.h"
#include "mcp/protocol.h"

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

    Handled write(Exchange& exchange) const {
        std::string_view cursor;
        if (const json::Value* given = exchange.params().find("cursor")) {
            if (given->as_string() == nullptr || given->as_string()->empty()) return wrong();
            cursor = *given->as_string();
        }
        const auto page = std::find_if(pages_.begin(), pages_.end(),
                                       [&](const Page& each) { return each.cursor == cursor; });
        if (page == pages_.end()) return wrong();
        exchange.result("tools") += page->tools;
        if (page + 1 != pages_.end()) exchange.result("nextCursor", (page + 1)->cursor);
        add_cache_hints(exchange);
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
                "params.cursor is none that this list gave out; list again from the start"};
    }

    std::vector<Page> pages_;
};

Handled call_tool(ToolHost& host, const std::shared_ptr<Exchange>& exchange) {
    const std::string* name = exchange->text("name");
    if (name == nullptr) {
        return RpcError{error_code::kInvalidParams, "params.name must be a string"};
    }
    if (!host.has(*name)) {
        return RpcError{
            error_code::kInvalidParams,
            "there is no tool '" + displayable(cut_utf8(*name, limits::kMcpShownBytes)) + "' here"};
    }
    static const json::Value kNoArguments{json::Object{}};
    const json::Value* arguments = exchange->params().find("arguments");
    return host.call(exchange, *name,
                     arguments == nullptr || arguments->is_null() ? kNoArguments : *arguments);
}

}  // namespace

void add_tool_methods(Methods& methods, const std::shared_ptr<ToolHost>& host,
                      std::size_t page_size) {
    auto pages = std::make_shared<const Pages>(host->list(), page_size);
    methods.add("tools/list",
                {.run = [pages](const auto& exchange) { return pages->write(*exchange); }});
    methods.add("tools/call",
                {.run = [host](const auto& exchange) { return call_tool(*host, exchange); },
                 .pace =
                     [host](const Exchange& exchange) {
                         const std::string* name = exchange.text("name");
                         return name == nullptr ? tools::Pace::kQuick : host->pace(*name);
                     },
                 .only_reads =
                     [host](const Exchange& exchange) {
                         const std::string* name = exchange.text("name");
                         return name != nullptr && host->only_reads(*name);
                     }});
}

}  // namespace paddock::mcp
