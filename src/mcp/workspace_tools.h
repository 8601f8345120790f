// The tools of a workspace, for the protocol.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "mcp/tool_host.h"

namespace paddock::mcp {

class WorkspaceTools final : public ToolHost {
public:
    explicit WorkspaceTools(Workspace workspace);

    std::vector<std::string> list() const override;
    bool has(std::string_view name) const override { return find(name) != nullptr; }
    tools::Pace pace(std::string_view name) const override;
    bool only_reads(std::string_view name) const override;
    Handled call(const std::shared_ptr<Exchange>& exchange, const std::string& name,
                 const json::Value& arguments) override;

private:
    const tools::ToolInfo* find(std::string_view name) const noexcept;

    const Workspace workspace_;
    const std::vector<tools::ToolInfo> tools_;
};

// A tool as "tools/list" shows it: all four hints are said, also where they are the default.
std::string tool_text(const tools::ToolInfo& tool);

// Writes "content" and, if the call failed, "isError".
void write_answer(Exchange& exchange, const tools::Answer& answer);

}  // namespace paddock::mcp
