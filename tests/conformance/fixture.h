// What the official conformance suite expects a server to offer, by fixed names: none of it is of
// any use, and none of it is shipped. The protocol and the transport below it are the shipped ones.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "mcp/protocol.h"
#include "mcp/request_context.h"
#include "mcp/tool_host.h"

namespace paddock::conformance {

using mcp::Handled;
using mcp::RequestContext;

// A literal of ours as a value.
json::Value parsed(std::string_view text);

inline constexpr const char* kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg"
    "gg==";

// The requests that listen for changes.
class Listeners {
public:
    Handled listen(const std::shared_ptr<RequestContext>& context);
    void tell(std::string_view wanted, std::string_view method);

private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<RequestContext>> open_;
};

struct Tool {
    std::string name;
    std::string description;
    std::function<Handled(RequestContext& context, const json::Object& arguments)> run;
    bool is_quick = true;  // not: it asks the client, or takes its time
    std::string schema = R"({"type":"object","properties":{}})";
};

std::vector<Tool> plain_tools(Listeners& listeners);
std::vector<Tool> asking_tools();
// Those that answer with a question, which the client answers by calling again.
std::vector<Tool> input_tools();
Handled input_prompt(RequestContext& context);

void write_text(RequestContext& context, std::string_view text);

class FixtureTools final : public mcp::ToolHost {
public:
    explicit FixtureTools(std::vector<Tool> tools);

    std::vector<std::string> list() const override;
    const mcp::HostedTool* find(std::string_view name) const override;

private:
    const std::vector<Tool> tools_;
    std::map<std::string, mcp::HostedTool, std::less<>> hosted_;
};

void add_resources(mcp::Methods& methods);
void add_prompts(mcp::Methods& methods);

}  // namespace paddock::conformance
