// The answer to one request, on its way from whatever thread makes it to the thread of the
// connection.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "net/message.h"

namespace paddock::net {

class Answer {
public:
    enum class PartKind : std::uint8_t { kWhole, kStream, kEvent, kEnd, kDrop };
    struct Part {
        PartKind kind = PartKind::kEnd;
        Response response{};  // of kWhole; its headers also of kStream
        std::string event{};  // of kEvent, as server-sent events are written
    };

    // `wake` is called, from any thread, when there are parts to take. At most `bytes_max` bytes of
    // events wait to be sent.
    Answer(std::function<void()> wake, std::size_t bytes_max);

    // For whoever answers: see Responder.
    void send(Response response);
    void begin_stream(Headers headers);
    bool push(std::string_view data);
    void finish(std::string_view data);
    void drop();
    void abandon();
    void on_closed(std::function<void()> callback);

    // For the connection: what is new, what was sent, and that nobody is there any more.
    std::vector<Part> take();
    void sent(std::size_t event_bytes) noexcept { waiting_ -= event_bytes; }
    void close();

private:
    enum class Phase : std::uint8_t { kOpen, kStreaming, kEnded };

    void add(Part part, std::unique_lock<std::mutex> lock);

    const std::function<void()> wake_;
    const std::size_t bytes_max_;
    std::atomic<std::size_t> waiting_ = 0;  // bytes of events

    std::mutex mutex_;
    Phase phase_ = Phase::kOpen;
    bool closed_ = false;
    bool woken_ = false;  // and not taken since
    std::vector<Part> parts_;
    std::function<void()> callback_;
};

}  // namespace paddock::net
