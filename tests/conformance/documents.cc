// The resources, the prompts, and who listens to changes of the lists.
#include "conformance/fixture.h"
#include "json/write.h"
#include "mcp/protocol.h"

namespace paddock::conformance {
namespace {

void add(mcp::Methods& methods, const char* name, mcp::Eras eras,
         std::function<Handled(RequestContext&)> run) {
    methods.add(name, {.run = [run = std::move(run)](const auto& context) { return run(*context); },
                       .eras = eras});
}

Handled fixed(RequestContext& context, const char* name, const char* text) {
    context.result(name, parsed(text));
    mcp::add_cache_hints(context);
    return {};
}

Handled nothing(RequestContext&) { return {}; }

Handled contents(RequestContext& context, const std::string& uri, const char* mime,
                 const char* member, std::string_view content) {
    context.result("contents",
                   json::Array{json::Object{{"uri", uri}, {"mimeType", mime}, {member, content}}});
    mcp::add_cache_hints(context);
    return {};
}

Handled read(RequestContext& context) {
    constexpr int kLegacyNotFound = -32002;
    const std::string* uri = context.text("uri");
    if (uri == nullptr) return mcp::RpcError{mcp::error_code::kInvalidParams, "needs a uri"};
    if (*uri == "test://static-text" || *uri == "test://watched-resource") {
        return contents(context, *uri, "text/plain", "text",
                        "This is the content of the static text resource.");
    }
    if (*uri == "test://static-binary") {
        return contents(context, *uri, "image/png", "blob", kPixel);
    }
    constexpr std::string_view kBegin = "test://template/";
    constexpr std::string_view kEnd = "/data";
    if (uri->starts_with(kBegin) && uri->ends_with(kEnd)) {
        const std::string id =
            uri->substr(kBegin.size(), uri->size() - kBegin.size() - kEnd.size());
        return contents(context, *uri, "application/json", "text",
                        json::to_text(json::Object{{"id", id}, {"templateTest", true}}));
    }
    const bool is_modern = context.era() == mcp::Era::kModern;
    return mcp::RpcError{is_modern ? mcp::error_code::kInvalidParams : kLegacyNotFound,
                         "there is no such resource", json::Object{{"uri", *uri}}};
}

std::string argument(const RequestContext& context, const char* name) {
    const json::Object* arguments = context.object("arguments");
    const json::Value* value = arguments == nullptr ? nullptr : arguments->find(name);
    return value == nullptr || value->as_string() == nullptr ? "" : *value->as_string();
}

json::Value text_message(std::string_view text) {
    return json::Object{{"role", "user"},
                        {"content", json::Object{{"type", "text"}, {"text", text}}}};
}

Handled messages(RequestContext& context, json::Array all) {
    context.result("messages", std::move(all));
    return {};
}

Handled get_prompt(RequestContext& context) {
    const std::string* name = context.text("name");
    if (name == nullptr) return mcp::RpcError{mcp::error_code::kInvalidParams, "needs a name"};
    if (*name == "test_simple_prompt") {
        return messages(context, {text_message("This is a simple prompt for testing.")});
    }
    if (*name == "test_prompt_with_arguments") {
        return messages(context,
                        {text_message("Prompt with arguments: arg1='" + argument(context, "arg1") +
                                      "', arg2='" + argument(context, "arg2") + "'")});
    }
    if (*name == "test_prompt_with_embedded_resource") {
        const json::Object resource{{"uri", argument(context, "resourceUri")},
                                    {"mimeType", "text/plain"},
                                    {"text", "Embedded resource content for testing."}};
        const json::Object content{{"type", "resource"}, {"resource", resource}};
        return messages(context, {json::Object{{"role", "user"}, {"content", content}},
                                  text_message("Please process the embedded resource above.")});
    }
    if (*name == "test_prompt_with_image") {
        const json::Object content{{"type", "image"}, {"mimeType", "image/png"}, {"data", kPixel}};
        return messages(context, {json::Object{{"role", "user"}, {"content", content}},
                                  text_message("Please analyze the image above.")});
    }
    if (*name == "test_input_required_result_prompt") return input_prompt(context);
    return mcp::RpcError{mcp::error_code::kInvalidParams, "there is no such prompt"};
}

constexpr const char* kResources = R"([
  {"uri":"test://static-text","name":"text","description":"A text","mimeType":"text/plain"},
  {"uri":"test://static-binary","name":"binary","description":"A pixel","mimeType":"image/png"},
  {"uri":"test://watched-resource","name":"watched","description":"Never changes",
   "mimeType":"text/plain"}])";
constexpr const char* kTemplates = R"([{"uriTemplate":"test://template/{id}/data","name":"data",
  "description":"Data of an id","mimeType":"application/json"}])";
constexpr const char* kPrompts = R"([
  {"name":"test_simple_prompt","description":"A prompt"},
  {"name":"test_prompt_with_arguments","description":"A prompt with two arguments","arguments":[
    {"name":"arg1","description":"First","required":true},
    {"name":"arg2","description":"Second","required":true}]},
  {"name":"test_prompt_with_embedded_resource","description":"A prompt with a resource",
   "arguments":[{"name":"resourceUri","description":"Its uri","required":true}]},
  {"name":"test_prompt_with_image","description":"A prompt with an image"},
  {"name":"test_input_required_result_prompt","description":"A prompt that asks first"}])";

}  // namespace

void add_resources(mcp::Methods& methods) {
    add(methods, "resources/list", mcp::Eras::kBoth,
        [](RequestContext& context) { return fixed(context, "resources", kResources); });
    add(methods, "resources/templates/list", mcp::Eras::kBoth,
        [](RequestContext& context) { return fixed(context, "resourceTemplates", kTemplates); });
    add(methods, "resources/read", mcp::Eras::kBoth, read);
    add(methods, "resources/subscribe", mcp::Eras::kLegacy, nothing);
    add(methods, "resources/unsubscribe", mcp::Eras::kLegacy, nothing);
    add(methods, "logging/setLevel", mcp::Eras::kLegacy, nothing);
    add(methods, "completion/complete", mcp::Eras::kBoth, [](RequestContext& context) {
        context.result("completion", parsed(R"({"values":[],"total":0,"hasMore":false})"));
        return Handled();
    });
}

void add_prompts(mcp::Methods& methods) {
    add(methods, "prompts/list", mcp::Eras::kBoth,
        [](RequestContext& context) { return fixed(context, "prompts", kPrompts); });
    add(methods, "prompts/get", mcp::Eras::kBoth, get_prompt);
}

Handled Listeners::listen(const std::shared_ptr<RequestContext>& context) {
    const json::Object* wanted = context->object("notifications");
    if (wanted == nullptr) {
        return mcp::RpcError{mcp::error_code::kInvalidParams,
                             "params.notifications must be an object"};
    }
    const json::Object tag{{std::string(mcp::meta::kSubscriptionId), context->id_value()}};
    context->notify("notifications/subscriptions/acknowledged",
                    json::Object{{"notifications", *wanted}, {"_meta", tag}});
    context->result_meta() = tag;
    const std::lock_guard lock(mutex_);
    open_.push_back(context);
    return Handled::open();
}

void Listeners::tell(std::string_view wanted, std::string_view method) {
    const std::lock_guard lock(mutex_);
    std::erase_if(open_, [](const auto& each) { return each->cancelled().stop_requested(); });
    for (const auto& context : open_) {
        const json::Value* asked = context->object("notifications")->find(wanted);
        if (asked == nullptr || asked->as_bool() == nullptr || !*asked->as_bool()) continue;
        const json::Object tag{{std::string(mcp::meta::kSubscriptionId), context->id_value()}};
        context->notify(method, json::Object{{"_meta", tag}});
    }
}

}  // namespace paddock::conformance
