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
    Lock lock(mutex_);
    keep(std::move(message));
    if (!stuck_) write_kept(lock);
}

void Outbox::put_later(std::string message) {
    Lock lock(mutex_);
    keep(std::move(message));
    if (!stuck_ && kept_bytes() >= kGatheredBytes) write_kept(lock);
}

void Outbox::put_if_room(std::string message) {
    Lock lock(mutex_);
    if (kept_bytes() >= bounds_.unread) return;
    keep(std::move(message));
    if (!stuck_) write_kept(lock);
}

void Outbox::put_when_room(std::string message) {
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || kept_bytes() < bounds_.unread; });
    keep(std::move(message));
    if (!stuck_) write_kept(lock);
}

void Outbox::flush() {
    Lock lock(mutex_);
    if (!stuck_) write_kept(lock);
}

// A large message is not copied if it is the first.
void Outbox::keep(std::string message) {
    if (closed_) return;
    message += '\n';
    if (kept_.empty() && message.size() >= kGatheredBytes) {
        kept_ = std::move(message);
    } else {
        kept_ += message;
    }
}

// One thread writes, without the lock: what others put meanwhile it takes along.
void Outbox::write_kept(Lock& lock) {
    if (std::exchange(writing_, true)) return;
    while (kept_bytes() > 0 && !stuck_) {
        if (written_ == taken_.size()) take_kept();
        lock.unlock();
        const auto written = output_.write_now(std::string_view(taken_).substr(written_));
        lock.lock();
        if (!written) {
            close(lock);
            break;
        }
        const bool was_short = kept_bytes() >= bounds_.unread;
        written_ += *written;
        if (was_short && kept_bytes() < bounds_.unread) {
            changed_.notify_all();
            sys::wake(wakeup_);
        }
        if (*written > 0) continue;
        stuck_ = true;
        if (!start_thread()) close(lock);
        changed_.notify_all();
    }
    writing_ = false;
}

void Outbox::take_kept() {
    taken_.clear();
    if (taken_.capacity() > kBufferBytes) taken_.shrink_to_fit();
    taken_.swap(kept_);
    written_ = 0;
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
        write_kept(lock);
        if (kept_bytes() == 0) sys::wake(wakeup_);
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
    changed_.notify_all();
    if (thread_wakeup_.valid()) sys::wake(thread_wakeup_.get());
    sys::wake(wakeup_);
}

}  // namespace paddock::mcp
