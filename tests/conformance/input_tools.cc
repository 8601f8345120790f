// Multi round-trip requests: the server answers with questions, the client calls again with the
// answers, and what the server must remember travels with the client, signed.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <optional>

#include "conformance/fixture.h"
#include "daemon/guard.h"

namespace paddock::conformance {
namespace {

constexpr const char* kName = R"({"method":"elicitation/create","params":{
  "message":"What is your name?","requestedSchema":{"type":"object",
  "properties":{"name":{"type":"string"}},"required":["name"]}}})";
constexpr const char* kColour = R"({"method":"elicitation/create","params":{
  "message":"What is your favourite colour?","requestedSchema":{"type":"object",
  "properties":{"color":{"type":"string"}},"required":["color"]}}})";
constexpr const char* kConfirm = R"({"method":"elicitation/create","params":{
  "message":"Please confirm","requestedSchema":{"type":"object",
  "properties":{"ok":{"type":"boolean"}},"required":["ok"]}}})";
constexpr const char* kContext = R"({"method":"elicitation/create","params":{
  "message":"What context should the prompt use?","requestedSchema":{"type":"object",
  "properties":{"context":{"type":"string"}},"required":["context"]}}})";
constexpr const char* kCapital = R"({"method":"sampling/createMessage","params":{
  "messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],
  "maxTokens":100}})";
constexpr const char* kRoots = R"({"method":"roots/list","params":{}})";

struct Question {
    const char* key;
    const char* request;
    const char* capability;
};
constexpr Question kAskName{"user_name", kName, "elicitation"};
constexpr Question kAskCapital{"capital_question", kCapital, "sampling"};
constexpr Question kAskRoots{"client_roots", kRoots, "roots"};

// The state, and a signature that nobody else can make.
std::string sealed(const std::string& state) {
    static const std::string kKey = daemon::make_secret().value();
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    HMAC(EVP_sha256(), kKey.data(), static_cast<int>(kKey.size()),
         reinterpret_cast<const unsigned char*>(state.data()), state.size(), digest.data(), &size);
    std::string text = state + ".";
    for (unsigned i = 0; i < size; ++i) {
        text += "0123456789abcdef"[digest[i] >> 4];
        text += "0123456789abcdef"[digest[i] & 0xf];
    }
    return text;
}

bool is_sealed(const RequestContext& context, const std::string& state) {
    const std::string* given = context.text("requestState");
    return given != nullptr && daemon::equal_secrets(*given, sealed(state));
}

mcp::RpcError forged() {
    return {mcp::error_code::kInvalidParams, "requestState is not one that this server made"};
}

// Is there an answer to it that is at least an object?
bool is_answered(const RequestContext& context, const Question& question) {
    const json::Object* answers = context.object("inputResponses");
    const json::Value* answer = answers == nullptr ? nullptr : answers->find(question.key);
    return answer != nullptr && answer->as_object() != nullptr;
}

std::optional<mcp::RpcError> unable(const RequestContext& context, const Question& question) {
    if (context.client_can(question.capability)) return std::nullopt;
    return mcp::RpcError{mcp::error_code::kMissingCapability,
                         "the client has not declared what this needs",
                         json::Object{{"requiredCapabilities",
                                       json::Object{{question.capability, json::Object{}}}}}};
}

Handled require(RequestContext& context, const std::vector<Question>& questions,
                const std::string& state = {}) {
    json::Object requests;
    for (const Question& question : questions) {
        if (auto wrong = unable(context, question)) return *wrong;
        requests.append(question.key, parsed(question.request));
    }
    context.set_result_type("input_required");
    context.result("inputRequests", requests);
    if (!state.empty()) context.result("requestState", sealed(state));
    return {};
}

Handled done(RequestContext& context, std::string_view text) {
    write_text(context, text);
    return {};
}

Tool asking(const char* name, Question question) {
    return {name, "Needs an answer first",
            [question](RequestContext& context, const json::Object&) {
                const json::Value* answers = context.params().find("inputResponses");
                if (answers != nullptr && answers->as_object() == nullptr) {
                    return Handled(mcp::RpcError{mcp::error_code::kInvalidParams,
                                                 "params.inputResponses must be an object"});
                }
                if (!is_answered(context, question)) return require(context, {question});
                return done(context, "Thank you.");
            }};
}

Tool confirming(const char* name, std::string state) {
    return {name, "Needs a confirmation first",
            [state = std::move(state)](RequestContext& context, const json::Object&) {
                const Question confirm{"confirm", kConfirm, "elicitation"};
                if (context.text("requestState") != nullptr && !is_sealed(context, state)) {
                    return Handled(forged());
                }
                if (!is_answered(context, confirm)) return require(context, {confirm}, state);
                if (!is_sealed(context, state)) return Handled(forged());
                return done(context, "state-ok");
            }};
}

Handled ask_all(RequestContext& context, const json::Object&) {
    const std::vector<Question> all{kAskName, {"greeting", kCapital, "sampling"}, kAskRoots};
    for (const Question& question : all) {
        if (!is_answered(context, question)) return require(context, all, "multiple");
    }
    if (!is_sealed(context, "multiple")) return forged();
    return done(context, "Thank you.");
}

Handled ask_twice(RequestContext& context, const json::Object&) {
    const Question first{"step1", kName, "elicitation"};
    const Question second{"step2", kColour, "elicitation"};
    if (is_sealed(context, "round-2") && is_answered(context, second)) {
        return done(context, "Thank you.");
    }
    if (is_sealed(context, "round-1") && is_answered(context, first)) {
        return require(context, {second}, "round-2");
    }
    if (context.text("requestState") != nullptr) return forged();
    return require(context, {first}, "round-1");
}

Handled ask_what_is_possible(RequestContext& context, const json::Object&) {
    std::vector<Question> possible;
    for (const Question& question : {kAskName, kAskCapital, kAskRoots}) {
        if (context.client_can(question.capability)) possible.push_back(question);
    }
    if (possible.empty() || is_answered(context, possible.front())) {
        return done(context, "Thank you.");
    }
    return require(context, possible);
}

}  // namespace

std::vector<Tool> input_tools() {
    Tool streaming = asking("test_streaming_elicitation", kAskName);
    streaming.is_quick = false;
    return {
        asking("test_input_required_result_elicitation", kAskName),
        asking("test_input_required_result_sampling", kAskCapital),
        asking("test_input_required_result_list_roots", kAskRoots),
        confirming("test_input_required_result_request_state", "request-state"),
        confirming("test_input_required_result_tampered_state", "tampered-state"),
        {"test_input_required_result_multiple_inputs", "Needs three answers first", ask_all},
        {"test_input_required_result_multi_round", "Asks in two rounds", ask_twice},
        {"test_input_required_result_capabilities", "Asks what the client can answer",
         ask_what_is_possible},
        streaming,
    };
}

Handled input_prompt(RequestContext& context) {
    const Question question{"user_context", kContext, "elicitation"};
    if (!is_answered(context, question)) return require(context, {question});
    context.result("messages", parsed(R"([{"role":"user","content":{"type":"text",
                                           "text":"A prompt with context."}}])"));
    return {};
}

}  // namespace paddock::conformance
