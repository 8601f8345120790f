#include "mcp/request_context.h"

#include <utility>
#include <vector>

#include "json/parse.h"
#include "json/write.h"
#include "mcp/protocol.h"

namespace paddock::mcp {

Conversation::Conversation(Transport transport, std::string caller)
    : transport_(transport), caller_(std::move(caller)) {}

void Conversation::set_client(json::Object capabilities, std::string_view version) {
    const std::lock_guard lock(mutex_);
    capabilities_ = std::move(capabilities);
    version_ = version;
}

json::Object Conversation::client_capabilities() const {
    const std::lock_guard lock(mutex_);
    return capabilities_;
}

std::string Conversation::version() const {
    const std::lock_guard lock(mutex_);
    return version_;
}

bool Conversation::add(const std::string& id, const std::shared_ptr<RequestContext>& context) {
    const std::lock_guard lock(mutex_);
    return requests_.emplace(id, context).second;
}

void Conversation::remove(const std::string& id) {
    const std::lock_guard lock(mutex_);
    requests_.erase(id);
}

std::shared_ptr<RequestContext> Conversation::find(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto it = requests_.find(id);
    return it == requests_.end() ? nullptr : it->second.lock();
}

std::size_t Conversation::size() const {
    const std::lock_guard lock(mutex_);
    return requests_.size();
}

void Conversation::cancel_all() {
    std::vector<std::shared_ptr<RequestContext>> all;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, context] : requests_) all.push_back(context.lock());
    }
    for (const auto& context : all) {
        if (context) context->cancel();
    }
}

std::string Conversation::new_question() {
    const std::lock_guard lock(mutex_);
    std::string id = std::to_string(++questions_);
    questions_open_[id] = std::nullopt;
    return id;
}

std::optional<json::Value> Conversation::await(const std::string& id, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto it = questions_open_.find(id);
    if (it == questions_open_.end()) return std::nullopt;
    answered_.wait(lock, stop, [&] { return it->second.has_value(); });
    std::optional<Message> response = std::move(it->second);
    questions_open_.erase(it);
    if (!response || response->is_error) return std::nullopt;
    return std::move(response->outcome);
}

void Conversation::deliver(Message response) {
    const std::lock_guard lock(mutex_);
    const auto it = questions_open_.find(response.id);
    if (it == questions_open_.end() || it->second) return;
    it->second = std::move(response);
    answered_.notify_all();
}

RequestContext::RequestContext(Parts parts) : parts_(std::move(parts)) {}

RequestContext::~RequestContext() { fail({error_code::kInternal, "the request was not answered"}); }

json::Value RequestContext::id_value() const { return json::parse(id()).value; }

const std::string* RequestContext::text(std::string_view name) const noexcept {
    const json::Value* value = params().find(name);
    return value == nullptr ? nullptr : value->as_string();
}

const json::Object* RequestContext::object(std::string_view name) const noexcept {
    const json::Value* value = params().find(name);
    return value == nullptr ? nullptr : value->as_object();
}

const json::Value* RequestContext::meta(std::string_view name) const noexcept {
    const json::Object* meta = object("_meta");
    return meta == nullptr ? nullptr : meta->find(name);
}

bool RequestContext::client_can(std::string_view capability) const {
    if (era() == Era::kLegacy) {
        return conversation().client_capabilities().find(capability) != nullptr;
    }
    const json::Value* all = meta(meta::kClientCapabilities);
    return all != nullptr && all->as_object() != nullptr &&
           all->as_object()->find(capability) != nullptr;
}

std::string& RequestContext::result(std::string_view name) {
    if (answer_.empty()) answer_ = result_head(id());
    if (has_members_) answer_ += ',';
    has_members_ = true;
    json::append_quoted(answer_, name);
    answer_ += ':';
    return answer_;
}

void RequestContext::result(std::string_view name, const json::Value& value) {
    json::append_text(result(name), value);
}

// The lock is held while sending, so that nothing follows the answer; a peer does not wait here.
void RequestContext::notify(std::string_view method, const json::Value& params) {
    std::string text = notification_text(method, params);
    const std::lock_guard lock(mutex_);
    if (!ended_) parts_.peer->send(std::move(text));
}

bool RequestContext::wants_progress() const noexcept {
    const json::Value* token = meta(meta::kProgressToken);
    return token != nullptr && (token->as_string() != nullptr || token->as_integer() != nullptr);
}

void RequestContext::progress(double done, std::optional<double> total, std::string_view text) {
    if (!wants_progress() || done <= progress_) return;
    progress_ = done;
    json::Object params{{"progressToken", *meta(meta::kProgressToken)}, {"progress", done}};
    if (total) params.append("total", *total);
    if (!text.empty()) params.append("message", text);
    notify("notifications/progress", params);
}

std::optional<json::Value> RequestContext::ask(std::string_view method, const json::Value& params) {
    const std::string question = conversation().new_question();
    {
        const std::lock_guard lock(mutex_);
        if (!ended_) parts_.peer->send(request_text(question, method, params));
    }
    return conversation().await(question, stop_.get_token());
}

void RequestContext::succeed(std::string_view server_info) {
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

void RequestContext::fail(const RpcError& error) {
    if (end()) parts_.peer->finish(error_text(id(), error), error.code);
}

void RequestContext::cancel() {
    const bool was_open = end();
    stop_.request_stop();
    if (was_open) parts_.peer->drop();
}

bool RequestContext::end() {
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(ended_, true)) return false;
    }
    if (is_known_) conversation().remove(id());
    return true;
}

}  // namespace paddock::mcp
