// How a request is answered: by one whole response, or by a stream of server-sent events.
//
// Threads: all methods may be called from any thread, and none of them waits. Answers to a client
// that is gone go nowhere.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "net/message.h"

namespace paddock::net {

class Answer;

class Responder {
public:
    explicit Responder(std::shared_ptr<Answer> answer);
    ~Responder();  // a request without an answer gets a 500, a stream without an end ends
    Responder(Responder&&) noexcept = default;
    Responder& operator=(Responder&&) = delete;
    Responder(const Responder&) = delete;
    Responder& operator=(const Responder&) = delete;

    // The whole answer. The first one counts.
    void send(Response response);

    // Begins a stream, or is nothing if there is one. Content-Type and the like are added.
    void begin_stream(Headers headers);
    // One event. False: it was dropped, because the client is gone, reads too slowly, or there is
    // no stream.
    bool push(std::string_view data);
    // The last event, which is never dropped, and the end; without data only the end.
    void finish(std::string_view data);

    // Ends without an answer: the connection is closed.
    void drop();

    // Called once, in a thread of the server or, if it has happened already, in this one, when the
    // client goes away before the answer is complete. Over plain TCP a client that only stops
    // sending has not gone away. Must be quick.
    void on_closed(std::function<void()> callback);

private:
    std::shared_ptr<Answer> answer_;
};

}  // namespace paddock::net
