// Tools as the protocol sees them, whoever has them.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "mcp/protocol.h"
#include "mcp/request_context.h"
#include "tools/declaration.h"

namespace paddock::mcp {

// What Claude Code is told to show of a result before it puts it into a file. Tools cut theirs
// earlier; media are not counted.
inline constexpr std::size_t kMcpResultCharsHint = 200'000;

// Of what a command prints, the end that one progress message tells.
inline constexpr std::size_t kMcpProgressBytesMax = 2000;

// A tool that a request has found, and carries.
struct HostedTool {
    // Writes the members of the result ("content", "isError"). Arguments that make no sense are a
    // result too, one with "isError": the model can do better then.
    std::function<Handled(const std::shared_ptr<RequestContext>&, const json::Value& arguments)>
        call;
    tools::Pace pace = tools::Pace::kQuick;
    bool only_reads = false;
};

// Threads: all methods may be called from any thread.
class ToolHost {
public:
    ToolHost() = default;
    virtual ~ToolHost() = default;
    ToolHost(const ToolHost&) = delete;
    ToolHost& operator=(const ToolHost&) = delete;

    // Each tool as a JSON object, in the order in which they are listed, always the same one.
    virtual std::vector<std::string> list() const = 0;

    // nullptr: there is none. Lives as long as the host.
    virtual const HostedTool* find(std::string_view name) const = 0;
};

// Adds "tools/list" and "tools/call". A page holds at most `page_size` tools; a cursor is good for
// this very list only.
void add_tool_methods(Methods& methods, const std::shared_ptr<ToolHost>& host,
                      std::size_t page_size);

// The tools of a workspace, for the protocol.
class WorkspaceTools final : public ToolHost {
public:
    explicit WorkspaceTools(Workspace workspace);

    std::vector<std::string> list() const override { return texts_; }
    const HostedTool* find(std::string_view name) const override;

private:
    Handled call(const std::shared_ptr<RequestContext>& context, const tools::Declaration& tool,
                 const json::Value& arguments) const;

    const Workspace workspace_;
    std::vector<std::string> texts_;
    std::map<std::string, HostedTool, std::less<>> tools_;
};

// A tool as "tools/list" shows it: all four hints are said, also where they are the default.
std::string tool_text(const tools::ToolInfo& tool);

// Writes "content" and, if the call failed, "isError".
void write_answer(RequestContext& context, const tools::Answer& answer);

// What a command prints, as progress messages: the first ones at once, then only so many a second.
// What does not fit is cut to its end; the result has all of it.
class ProgressText {
public:
    using Clock = std::chrono::steady_clock;

    explicit ProgressText(RequestContext& context) : context_(context) {}

    void add(std::string_view text, Clock::time_point now);

private:
    RequestContext& context_;
    std::uint64_t printed_ = 0;
    std::string waiting_;
    double allowance_ = kBurst;
    Clock::time_point last_{};

    static constexpr double kBurst = 20;
    static constexpr double kPerSecond = 20;
};

}  // namespace paddock::mcp
