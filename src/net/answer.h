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

#include "net/body_share.h"

namespace paddock::net {

// HTTP messages as plain data: what the rest of paddock sees of HTTP.

struct Header {
    std::string name;
    std::string value;
};

using Headers = std::vector<Header>;

// The value of the first header of that name, whatever its case; nullptr if there is none.
const std::string* find(const Headers& headers, std::string_view name) noexcept;

// How many headers of that name there are, whatever its case.
std::size_t count(const Headers& headers, std::string_view name) noexcept;

// ASCII only, as names of headers are.
bool equal_but_case(std::string_view a, std::string_view b) noexcept;

// What comes before the body. A head that was accepted has exactly one Host (in HTTP/1.1) and one
// way of telling how long the body is.
struct Head {
    std::string method;
    std::string target;  // as sent
    Headers headers;
    bool has_body = false;  // one was announced, an empty one perhaps
    bool is_http_1_0 = false;
    bool keeps_alive = true;
    bool expects_continue = false;

    const std::string* header(std::string_view name) const noexcept { return find(headers, name); }
    // The target without what follows a question mark.
    std::string_view path() const noexcept {
        return std::string_view(target).substr(0, target.find('?'));
    }
};

struct Request {
    Head head;
    std::string body;
    std::uint64_t connection = 0;  // that it came on: its number
    BodyShare share{};             // of the body: whoever keeps what it was made into keeps it too
};

// Content-Length, Connection and Date are added by whoever sends it.
struct Response {
    unsigned status = 200;
    Headers headers{};
    std::string body{};
};

// How a request is answered: by one whole response, or by a stream of server-sent events.
//
// Threads: all methods may be called from any thread, and none of them waits. Answers to a client
// that is gone go nowhere.
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

// Responses as bytes.
struct Framing {
    bool closes = false;     // the connection ends with this response
    bool is_stream = false;  // server-sent events follow instead of a body
    bool is_chunked = true;  // of a stream: in chunks, not up to the end of the connection
    std::string_view date;   // as HTTP writes it
};

// Status line and headers, up to and including the empty line. The length is that of
// `response.body`, which the caller sends or, for HEAD, does not.
std::string head_text(const Response& response, const Framing& framing);

// One event that carries `data`, and one that carries nothing and only shows that somebody is
// there.
std::string event_text(std::string_view data);
inline constexpr std::string_view kSilentEvent = ":\n\n";

std::string chunk_text(std::string_view data);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// A whole response that tells what the status means; `text` replaces the usual words.
Response plain_response(unsigned status, std::string_view text = {});

// "Tue, 17 Nov 2026 06:36:10 GMT".
std::string http_date(long long seconds_since_epoch);

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
