// Tools as the protocol sees them, whoever has them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/tools.h>

#include "mcp/exchange.h"
#include "mcp/methods.h"

namespace paddock::mcp {

// Threads: all methods may be called from any thread.
class ToolHost {
public:
    ToolHost() = default;
    virtual ~ToolHost() = default;
    ToolHost(const ToolHost&) = delete;
    ToolHost& operator=(const ToolHost&) = delete;

    // Each tool as a JSON object, in the order in which they are listed, always the same one.
    virtual std::vector<std::string> list() const = 0;

    virtual bool has(std::string_view name) const = 0;
    virtual tools::Pace pace(std::string_view name) const = 0;  // quick, if there is none
    virtual bool only_reads(std::string_view) const { return false; }

    // Writes the members of the result ("content", "isError"). Arguments that make no sense are a
    // result too, one with "isError": the model can do better then.
    virtual Handled call(const std::shared_ptr<Exchange>& exchange, const std::string& name,
                         const json::Value& arguments) = 0;
};

// Adds "tools/list" and "tools/call". A page holds at most `page_size` tools; a cursor is good for
// this very list only.
void add_tool_methods(Methods& methods, const std::shared_ptr<ToolHost>& host,
                      std::size_t page_size);

}  // namespace paddock::mcp
