#include <chrono>
#include <thread>

#include "conformance/fixture.h"
#include "json/parse.h"
#include "json/write.h"

namespace paddock::conformance {
namespace {

// The suite wants to see several messages apart.
void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

Handled content(RequestContext& context, std::string_view blocks) {
    context.result("content", parsed(blocks));
    return {};
}

Tool showing(const char* name, std::string blocks) {
    return {name, "Returns fixed content", [blocks](RequestContext& context, const json::Object&) {
                return content(context, blocks);
            }};
}

const std::string kImage =
    std::string(R"({"type":"image","mimeType":"image/png","data":")") + kPixel + R"("})";

void log(RequestContext& context, const char* text) {
    if (context.era() == mcp::Era::kModern && context.meta(mcp::meta::kLogLevel) == nullptr) {
        return;
    }
    context.notify("notifications/message", json::Object{{"level", "info"}, {"data", text}});
}

Handled log_three_times(RequestContext& context, const json::Object&) {
    log(context, "Tool execution started");
    pause();
    log(context, "Tool processing data");
    pause();
    log(context, "Tool execution completed");
    write_text(context, "logged");
    return {};
}

Handled progress_three_times(RequestContext& context, const json::Object&) {
    for (const int done : {0, 50, 100}) {
        context.progress(done, 100, {});
        pause();
    }
    write_text(context, "done");
    return {};
}

Handled need_sampling(RequestContext& context, const json::Object&) {
    if (!context.client_can("sampling")) {
        return mcp::RpcError{mcp::error_code::kMissingCapability, "needs sampling",
                             parsed(R"({"requiredCapabilities":{"sampling":{}}})")};
    }
    write_text(context, "sampling is declared");
    return {};
}

// Asks, and tells what came back.
Handled ask(RequestContext& context, const char* method, const json::Value& params) {
    const auto answer = context.ask(method, params);
    write_text(context, answer ? "The client said: " + json::to_text(*answer) : "no answer");
    return {};
}

Tool eliciting(const char* name, const char* schema) {
    return {name, "Asks the user for something fixed",
            [schema](RequestContext& context, const json::Object&) {
                return ask(context, "elicitation/create",
                           json::Object{{"message", "Please answer"},
                                        {"requestedSchema", parsed(schema)}});
            },
            false};
}

std::string text_in(const json::Object& arguments, const char* name) {
    const json::Value* value = arguments.find(name);
    return value == nullptr || value->as_string() == nullptr ? "" : *value->as_string();
}

constexpr const char* kDefaults = R"({"type":"object","properties":{
  "name":{"type":"string","default":"John Doe"},
  "age":{"type":"integer","default":30},
  "score":{"type":"number","default":95.5},
  "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
  "verified":{"type":"boolean","default":true}},"required":[]})";

constexpr const char* kEnums = R"({"type":"object","properties":{
  "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
  "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},
    {"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
  "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],
    "enumNames":["Option One","Option Two","Option Three"]},
  "untitledMulti":{"type":"array","items":{"type":"string",
    "enum":["option1","option2","option3"]}},
  "titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},
    {"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},
  "required":[]})";

}  // namespace

json::Value parsed(std::string_view text) { return json::parse(text).value; }

void write_text(RequestContext& context, std::string_view text) {
    context.result("content", json::Array{json::Object{{"type", "text"}, {"text", text}}});
}

std::vector<Tool> plain_tools(Listeners& listeners) {
    const auto change = [&listeners](const char* name, const char* wanted, const char* method) {
        return Tool{name, "Pretends that a list has changed",
                    [&listeners, wanted, method](RequestContext& context, const json::Object&) {
                        listeners.tell(wanted, method);
                        write_text(context, "changed");
                        return Handled();
                    }};
    };
    return {
        showing("test_simple_text",
                R"([{"type":"text","text":"This is a simple text response for testing."}])"),
        showing("test_image_content", "[" + kImage + "]"),
        showing("test_audio_content",
                R"([{"type":"audio","mimeType":"audio/wav","data":"UklGRiQAAABXQVZFZm10IA=="}])"),
        showing("test_embedded_resource",
                R"([{"type":"resource","resource":{"uri":"test://embedded-resource",
                "mimeType":"text/plain","text":"This is an embedded resource content."}}])"),
        showing("test_multiple_content_types",
                R"([{"type":"text","text":"Multiple content types test:"},)" + kImage +
                    R"(,{"type":"resource","resource":{"uri":"test://mixed-content-resource",
                    "mimeType":"application/json","text":"{\"test\":\"data\"}"}}])"),
        {"test_error_handling", "Always fails",
         [](RequestContext& context, const json::Object&) {
             write_text(context, "This tool intentionally returns an error for testing");
             context.result("isError", true);
             return Handled();
         }},
        {"test_tool_with_logging", "Logs", log_three_times, false},
        {"test_logging_tool", "Logs, if the client asked for it", log_three_times, false},
        {"test_tool_with_progress", "Tells of its progress", progress_three_times, false},
        {"test_missing_capability", "Needs sampling", need_sampling},
        change("test_trigger_tool_change", "toolsListChanged", "notifications/tools/list_changed"),
        change("test_trigger_prompt_change", "promptsListChanged",
               "notifications/prompts/list_changed"),
    };
}

std::vector<Tool> asking_tools() {
    return {
        {"test_sampling", "Asks the client's model",
         [](RequestContext& context, const json::Object& arguments) {
             json::Value params = parsed(R"({"messages":[{"role":"user"}],"maxTokens":100})");
             const json::Object message{
                 {"role", "user"},
                 {"content",
                  json::Object{{"type", "text"}, {"text", text_in(arguments, "prompt")}}}};
             (*params.as_object())["messages"] = json::Array{message};
             return ask(context, "sampling/createMessage", params);
         },
         false, R"({"type":"object","properties":{"prompt":{"type":"string"}},
                   "required":["prompt"]})"},
        {"test_elicitation", "Asks the user",
         [](RequestContext& context, const json::Object& arguments) {
             return ask(context, "elicitation/create",
                        json::Object{{"message", text_in(arguments, "message")},
                                     {"requestedSchema", parsed(R"({"type":"object","properties":{
                                       "username":{"type":"string"},"email":{"type":"string"}},
                                       "required":["username","email"]})")}});
         },
         false, R"({"type":"object","properties":{"message":{"type":"string"}},
                   "required":["message"]})"},
        eliciting("test_elicitation_sep1034_defaults", kDefaults),
        eliciting("test_elicitation_sep1330_enums", kEnums),
    };
}

std::vector<std::string> FixtureTools::list() const {
    std::vector<std::string> texts;
    for (const Tool& tool : tools_) {
        texts.push_back(json::to_text(json::Object{{"name", tool.name},
                                                   {"description", tool.description},
                                                   {"inputSchema", parsed(tool.schema)}}));
    }
    return texts;
}

FixtureTools::FixtureTools(std::vector<Tool> tools) : tools_(std::move(tools)) {
    for (const Tool& tool : tools_) {
        mcp::HostedTool& hosted = hosted_[tool.name];
        hosted.call = [&tool](const auto& context, const json::Value& arguments) {
            const json::Object none;
            return tool.run(*context,
                            arguments.as_object() == nullptr ? none : *arguments.as_object());
        };
        hosted.pace = tool.is_quick ? tools::Pace::kQuick : tools::Pace::kWaiting;
    }
}

const mcp::HostedTool* FixtureTools::find(std::string_view name) const {
    const auto tool = hosted_.find(name);
    return tool == hosted_.end() ? nullptr : &tool->second;
}

}  // namespace paddock::conformance
