#include "mcp/exchange.h"

#include <utility>

#include "json/parse.h"
#include "json/write.h"
#include "mcp/methods.h"

namespace paddock::mcp {

Exchange::Exchange(Parts parts) : parts_(std::move(parts)) {}

Exchange::~Exchange() { fail({error_code::kInternal, "the request was not answered"}); }

json::Value Exchange::id_value() const { return json::parse(id()).value; }

const std::string* Exchange::text(std::string_view name) const noexcept {
    const json::Value* value = params().find(name);
    return value == nullptr ? nullptr : value->as_string();
}

const json::Object* Exchange::object(std::string_view name) const noexcept {
    const json::Value* value = params().find(name);
    return value == nullptr ? nullptr : value->as_object();
}

const json::Value* Exchange::meta(std::string_view name) const noexcept {
    const json::Object* meta = object("_meta");
    return meta == nullptr ? nullptr : meta->find(name);
}

bool Exchange::client_can(std::string_view capability) const {
    if (era() == Era::kLegacy) {
        return conversation().client_capabilities().find(capability) != nullptr;
    }
    const json::Value* all = meta(meta::kClientCapabilities);
    return all != nullptr && all->as_object() != nullptr &&
           all->as_object()->find(capability) != nullptr;
}

std::string& Exchange::result(std::string_view name) {
    if (answer_.empty()) answer_ = result_head(id());
    if (has_members_) answer_ += ',';
    has_members_ = true;
    json::append_quoted(answer_, name);
    answer_ += ':';
    return answer_;
}

void Exchange::result(std::string_view name, const json::Value& value) {
    json::append_text(result(name), value);
}

// The lock is held while sending, so that nothing follows the answer; a peer does not wait here.
void Exchange::notify(std::string_view method, const json::Value& params) {
    std::string text = notification_text(method, params);
    const std::lock_guard lock(mutex_);
    if (!ended_) parts_.peer->send(std::move(text));
}

bool Exchange::wants_progress() const noexcept {
    const json::Value* token = meta(meta::kProgressToken);
    return token != nullptr && (token->as_string() != nullptr || token->as_integer() != nullptr);
}

void Exchange::progress(double done, std::optional<double> total, std::string_view text) {
    if (!wants_progress() || done <= progress_) return;
    progress_ = done;
    json::Object params{{"progressToken", *meta(meta::kProgressToken)}, {"progress", done}};
    if (total) params.append("total", *total);
    if (!text.empty()) params.append("message", text);
    notify("notifications/progress", params);
}

std::optional<json::Value> Exchange::ask(std::string_view method, const json::Value& params) {
    const std::string question = conversation().new_question();
    {
        const std::lock_guard lock(mutex_);
        if (!ended_) parts_.peer->send(request_text(question, method, params));
    }
    return conversation().await(question, stop_.get_token());
}

void Exchange::succeed(std::string_view server_info) {
    if (!end()) return;
    if (era() == Era::kModern) {
        json::append_quoted(result("resultType"), result_type_);
        std::string& out = result("_meta");
        out += '{';
        for (const json::Member& member : result_meta_) {
            json::append_quoted(out, member.name);
            out += ':';
            json::append_text(out, member.value);
            out += ',';
        }
        json::append_quoted(out, meta::kServerInfo);
        out += ':';
        out += server_info;
        out += '}';
    } else if (!result_meta_.empty()) {
        result("_meta", result_meta_);
    }
    if (answer_.empty()) answer_ = result_head(id());
    answer_ += "}}";
    parts_.peer->finish(std::move(answer_), 0);
}

void Exchange::fail(const RpcError& error) {
    if (end()) parts_.peer->finish(error_text(id(), error), error.code);
}

void Exchange::cancel() {
    const bool was_open = end();
    stop_.request_stop();
    if (was_open) parts_.peer->drop();
}

bool Exchange::end() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(ended_, true)) return false;
    }
    if (is_known_) conversation().remove(id());
    return true;
}

}  // namespace paddock::mcp
