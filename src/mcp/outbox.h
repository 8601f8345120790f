// What is on its way to a client that may not read. Whatever the pipe takes at once is written by
// whoever has it, in one system call; the rest is kept, up to a bound, and written by a thread of
// its own as the client reads.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sys/output.h"

namespace paddock::mcp {

class Outbox {
public:
    struct Bounds {
        std::size_t unread = limits::kMcpUnreadBytes;
        std::size_t unread_max = limits::kMcpUnreadBytesMax;
    };

    // `wakeup` becomes readable when there is room again, when all is written that was kept, and
    // when the client is gone. Borrowed.
    Outbox(sys::Output output, int wakeup) : Outbox(std::move(output), wakeup, Bounds{}) {}
    Outbox(sys::Output output, int wakeup, Bounds bounds);
    ~Outbox();  // what is still kept is lost
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;

    enum class Room : std::uint8_t { kPlenty, kLittle, kNone };
    Room room() const;

    // The line end is added.
    void put(std::string message);            // whatever is kept already
    void put_later(std::string message);      // the same, but little is written before flush()
    void put_if_room(std::string message);    // dropped unless there is plenty
    void put_when_room(std::string message);  // waits for it
    void flush();

    bool is_closed() const;  // the client is gone
    bool is_empty() const;
    int end_shows_on() const noexcept { return output_.end_shows_on(); }
    // Nothing waits any more, and nothing is taken.
    void close();

private:
    using Lock = std::unique_lock<std::mutex>;

    void keep(std::string message);
    void write_kept(Lock& lock);
    void take_kept();
    void close(Lock& lock);
    bool start_thread();
    void write_on();
    std::size_t kept_bytes() const { return closed_ ? 0 : taken_.size() - written_ + kept_.size(); }

    const sys::Output output_;
    const int wakeup_;
    const Bounds bounds_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::string kept_;
    std::string taken_;        // of what was kept: what is being written
    std::size_t written_ = 0;  // of that
    bool writing_ = false;     // some thread does
    bool stuck_ = false;       // the pipe is full; the thread writes on
    bool closed_ = false;
    UniqueFd thread_wakeup_;
    std::jthread thread_;
};

}  // namespace paddock::mcp
