#include "daemon/sessions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "daemon/bearer.h"

namespace paddock::daemon {

Outcome<Sessions::Begun> Sessions::begin(const std::string& caller) {
    PADDOCK_ASSIGN(id, make_secret());
    auto conversation = std::make_shared<mcp::Conversation>(mcp::Transport::kHttp, caller);
    const std::lock_guard lock(mutex_);
    make_room();
    sessions_.insert_or_assign(id, Session{conversation, Clock::now()});
    return Begun{std::move(id), std::move(conversation)};
}

void Sessions::make_room() {
    if (sessions_.size() < most_) return;
    const auto oldest =
        std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
            const bool a_busy = a.second.conversation->size() > 0;
            const bool b_busy = b.second.conversation->size() > 0;
            return a_busy != b_busy ? b_busy : a.second.used < b.second.used;
        });
    sessions_.erase(oldest);
}

std::shared_ptr<mcp::Conversation> Sessions::find(std::string_view id, std::string_view caller) {
    const std::lock_guard lock(mutex_);
    const auto it = sessions_.find(id);
    if (it == sessions_.end() || it->second.conversation->caller() != caller) return nullptr;
    it->second.used = Clock::now();
    return it->second.conversation;
}

bool Sessions::end(std::string_view id, std::string_view caller) {
    std::shared_ptr<mcp::Conversation> ended;
    {
        const std::lock_guard lock(mutex_);
        const auto it = sessions_.find(id);
        if (it == sessions_.end() || it->second.conversation->caller() != caller) return false;
        ended = it->second.conversation;
        sessions_.erase(it);
    }
    ended->cancel_all();
    return true;
}

void Sessions::end_all() {
    std::map<std::string, Session, std::less<>> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(sessions_);
    }
    for (const auto& [id, session] : all) session.conversation->cancel_all();
}

std::size_t Sessions::size() const {
    const std::lock_guard lock(mutex_);
    return sessions_.size();
}

}  // namespace paddock::daemon
