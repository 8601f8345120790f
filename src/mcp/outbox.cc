#include "mcp/outbox.h"

#include <system_error>
#include <utility>

#include "sys/wait.h"

namespace paddock::mcp {
namespace {

// Gathered before it is written, where more is about to come.
constexpr std::size_t kGatheredBytes = 65536;

// A buffer that once was larger is given back.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

Outbox::Outbox(sys::Output output, int wakeup, Bounds bounds)
    : output_(std::move(output)), wakeup_(wakeup), bounds_(bounds) {}

Outbox::~Outbox() { close(); }

Outbox::Room Outbox::room() const {
    const std::lock_guard lock(mutex_);
    if (closed_ || kept_bytes() < bounds_.unread) return Room::kPlenty;
    return kept_bytes() < bounds_.unread_max ? Room::kLittle : Room::kNone;
}

void Outbox::put(std::string message) {
    message += '\n';
    Lock lock(mutex_);
    put_locked(lock, message);
}

void Outbox::put_later(std::string message) {
    message += '\n';
    Lock lock(mutex_);
    if (message.size() >= kGatheredBytes) return put_locked(lock, message);
    if (closed_) return;
    kept_ += message;
    if (!stuck_ && kept_bytes() >= kGatheredBytes) write_kept(lock);
}

void Outbox::put_if_room(std::string message) {
    message += '\n';
    Lock lock(mutex_);
    if (kept_bytes() < bounds_.unread) put_locked(lock, message);
}

void Outbox::put_when_room(std::string message) {
    message += '\n';
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || kept_bytes() < bounds_.unread; });
    put_locked(lock, message);
}

void Outbox::flush() {
    Lock lock(mutex_);
    if (!stuck_ && !closed_) write_kept(lock);
}

// What is kept goes first. If there is nothing the message is not copied, unless the pipe is full.
void Outbox::put_locked(Lock& lock, std::string_view message) {
    if (closed_) return;
    if (kept_bytes() > 0) {
        kept_ += message;
        if (!stuck_) write_kept(lock);
        return;
    }
    const auto written = output_.write_now(message);
    if (!written) return close(lock);
    if (*written == message.size()) return;
    kept_ += message.substr(*written);
    write_kept(lock);
}

void Outbox::write_kept(Lock& lock) {
    while (kept_bytes() > 0) {
        const auto written = output_.write_now(std::string_view(kept_).substr(written_));
        if (!written) return close(lock);
        written_ += *written;
        if (*written > 0) continue;
        stuck_ = true;
        // Written bytes are cut off now and then, not each time.
        if (written_ > kept_.size() / 2) kept_.erase(0, std::exchange(written_, 0));
        if (!start_thread()) return close(lock);
        changed_.notify_all();
        return;
    }
    kept_.clear();
    written_ = 0;
    if (kept_.capacity() > kBufferBytes) kept_.shrink_to_fit();
}

bool Outbox::start_thread() try {
    if (thread_.joinable()) return true;
    auto wakeup = sys::make_wakeup();
    if (!wakeup) return false;
    thread_wakeup_ = std::move(*wakeup);
    thread_ = std::jthread([this] { write_on(); });
    return true;
} catch (const std::system_error&) {
    return false;
}

void Outbox::write_on() {
    Lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return closed_ || stuck_; });
        if (closed_) return;
        lock.unlock();
        const auto waited = output_.wait(thread_wakeup_.get());
        lock.lock();
        if (closed_) return;
        if (!waited) return close(lock);
        stuck_ = false;
        const bool was_short = kept_bytes() >= bounds_.unread;
        write_kept(lock);
        if (kept_bytes() >= bounds_.unread) continue;
        if (was_short) changed_.notify_all();
        if (was_short || kept_bytes() == 0) sys::wake(wakeup_);
    }
}

bool Outbox::is_closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

bool Outbox::is_empty() const {
    const std::lock_guard lock(mutex_);
    return kept_bytes() == 0;
}

void Outbox::close() {
    Lock lock(mutex_);
    close(lock);
}

void Outbox::close(Lock&) {
    if (std::exchange(closed_, true)) return;
    kept_ = {};
    written_ = 0;
    changed_.notify_all();
    if (thread_wakeup_.valid()) sys::wake(thread_wakeup_.get());
    sys::wake(wakeup_);
}

}  // namespace paddock::mcp
