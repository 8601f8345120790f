// The protocol on the standard streams of a process: one message a line.
//
// What is quick is answered by the thread that reads, everything else by a few threads; the reader
// never waits for any of them, nor for a client that does not read, so that a cancellation is
// always seen. Memory is bounded: see limits.h.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "mcp/message.h"
#include "mcp/protocol.h"
#include "sys/io.h"

namespace paddock::mcp {

// Answers that a client has not read yet. Beyond the first, results wait and progress is dropped;
// beyond the second, nothing more is read from the client.
inline constexpr std::size_t kMcpUnreadBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMcpUnreadBytesMax = std::size_t{16} << 20;

// Messages out of a stream of bytes, one for each line. A line that is too long is dropped while it
// arrives, so that it costs no memory; only its id is kept. The next one is read as usual.

class LineBuffer {
public:
    explicit LineBuffer(std::size_t line_bytes_max);

    // Where to put the next bytes, never empty; filled() tells how many came.
    std::span<char> room();
    void filled(std::size_t bytes) noexcept { end_ += bytes; }

    struct Line {
        std::string_view text;  // valid until room() is called
        bool is_too_long = false;
        std::string id{};  // of a request that is too long: see message.h
    };
    // The next whole line. Nothing: more bytes are needed.
    std::optional<Line> next();
    std::size_t capacity() const noexcept { return capacity_; }

    // What came after the last line end.
    std::optional<Line> rest();

private:
    Line line_of(std::string_view text);

    std::size_t line_bytes_max_;
    std::size_t capacity_;
    std::unique_ptr<char[]> bytes_;
    std::size_t begin_ = 0;    // of the line that is next
    std::size_t scanned_ = 0;  // no line end before it
    std::size_t end_ = 0;
    std::optional<RequestId> dropped_{};  // of the line that is being dropped
};

// What is on its way to a client that may not read. Whatever the pipe takes at once is written by
// whoever has it, in one system call; the rest is kept, up to a bound, and written by a thread of
// its own as the client reads.
//
// Threads: all methods may be called from any thread.
class Outbox {
public:
    struct Bounds {
        std::size_t unread = kMcpUnreadBytes;
        std::size_t unread_max = kMcpUnreadBytesMax;
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

enum class StdioEnd : std::uint8_t {
    kInput,   // there is no more; what was asked before is answered
    kReader,  // nobody reads the answers
    kParent,  // whoever started the server is gone
    kSignal,  // that would have ended the process
};

struct StdioServed {
    StdioEnd end = StdioEnd::kInput;
    // A call that cannot be cancelled is still running, in a thread that uses the protocol: the
    // process must leave without cleaning up.
    bool is_clean = true;
};

struct StdioStreams {
    int input = 0;
    int output = 1;
};

// What has to be prepared while the process may still open files and has one thread: the signals
// that end it are blocked from then on and SIGPIPE is ignored.
class StdioServer {
public:
    // Fails where descriptors cannot be had.
    static Outcome<StdioServer> prepare(const StdioStreams& streams = {});

    StdioServer(const StdioServer&) = delete;
    StdioServer& operator=(const StdioServer&) = delete;
    StdioServer(StdioServer&&) noexcept;
    StdioServer& operator=(StdioServer&&) noexcept;
    ~StdioServer();

    // Once. Returns when one of the ends has come, with nothing under way any more.
    StdioServed serve(const Protocol& protocol);

    struct State;  // inside stdio.cc

private:
    explicit StdioServer(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace paddock::mcp
