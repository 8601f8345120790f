#include "net/answer.h"

#include <utility>

#include "net/responder.h"
#include "net/response_text.h"

namespace paddock::net {

Answer::Answer(std::function<void()> wake, std::size_t bytes_max)
    : wake_(std::move(wake)), bytes_max_(bytes_max) {}

void Answer::add(Part part, std::unique_lock<std::mutex> lock) {
    if (closed_) return;
    parts_.push_back(std::move(part));
    const bool wakes = !std::exchange(woken_, true);
    lock.unlock();
    if (wakes) wake_();
}

void Answer::send(Response response) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kOpen) return;
    phase_ = Phase::kEnded;
    add({.kind = PartKind::kWhole, .response = std::move(response)}, std::move(lock));
}

void Answer::begin_stream(Headers headers) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kOpen) return;
    phase_ = Phase::kStreaming;
    add({.kind = PartKind::kStream, .response = {.headers = std::move(headers)}}, std::move(lock));
}

bool Answer::push(std::string_view data) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kStreaming || closed_) return false;
    Part part{.kind = PartKind::kEvent, .event = event_text(data)};
    if (waiting_ + part.event.size() > bytes_max_) return false;
    waiting_ += part.event.size();
    add(std::move(part), std::move(lock));
    return true;
}

void Answer::finish(std::string_view data) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kStreaming) return;
    phase_ = Phase::kEnded;
    Part part{.kind = PartKind::kEnd};
    if (!data.empty()) part.event = event_text(data);
    waiting_ += part.event.size();
    add(std::move(part), std::move(lock));
}

void Answer::drop() {
    std::unique_lock lock(mutex_);
    if (phase_ == Phase::kEnded) return;
    phase_ = Phase::kEnded;
    add({.kind = PartKind::kDrop}, std::move(lock));
}

void Answer::abandon() {
    send(plain_response(500));
    finish({});
}

void Answer::on_closed(std::function<void()> callback) {
    {
        const std::lock_guard lock(mutex_);
        if (!closed_) {
            callback_ = std::move(callback);
            return;
        }
    }
    callback();
}

std::vector<Answer::Part> Answer::take() {
    const std::lock_guard lock(mutex_);
    woken_ = false;
    return std::exchange(parts_, {});
}

void Answer::close() {
    std::function<void()> callback;
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(closed_, true)) return;
        parts_.clear();
        callback = std::exchange(callback_, nullptr);
    }
    if (callback) callback();
}

Responder::Responder(std::shared_ptr<Answer> answer) : answer_(std::move(answer)) {}
Responder::~Responder() {
    if (answer_ != nullptr) answer_->abandon();
}
void Responder::send(Response response) { answer_->send(std::move(response)); }
void Responder::begin_stream(Headers headers) { answer_->begin_stream(std::move(headers)); }
bool Responder::push(std::string_view data) { return answer_->push(data); }
void Responder::finish(std::string_view data) { answer_->finish(data); }
void Responder::drop() { answer_->drop(); }
void Responder::on_closed(std::function<void()> callback) {
    answer_->on_closed(std::move(callback));
}

}  // namespace paddock::net
