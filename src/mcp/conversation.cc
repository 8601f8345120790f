#include "mcp/conversation.h"

#include <utility>
#include <vector>

#include "mcp/exchange.h"

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

bool Conversation::add(const std::string& id, const std::shared_ptr<Exchange>& exchange) {
    const std::lock_guard lock(mutex_);
    return requests_.emplace(id, exchange).second;
}

void Conversation::remove(const std::string& id) {
    const std::lock_guard lock(mutex_);
    requests_.erase(id);
}

std::shared_ptr<Exchange> Conversation::find(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto it = requests_.find(id);
    return it == requests_.end() ? nullptr : it->second.lock();
}

std::size_t Conversation::size() const {
    const std::lock_guard lock(mutex_);
    return requests_.size();
}

void Conversation::cancel_all() {
    std::vector<std::shared_ptr<Exchange>> all;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, exchange] : requests_) all.push_back(exchange.lock());
    }
    for (const auto& exchange : all) {
        if (exchange) exchange->cancel();
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

}  // namespace paddock::mcp
