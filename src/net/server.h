// An HTTP/1.1 server: takes in requests within bounds, has them answered, and ends in good order.
//
//   auto server = net::Server::listen(settings);       // binds; no thread yet: confine now
//   server->start({.admit = check, .serve = answer});
//   server->stop(std::chrono::seconds(10));
//
// Slow clients are cut off: a request must have arrived, and 64 kB of an answer must have been
// taken, within the times of the settings. Requests of one connection are answered one after the
// other, in their order. A request that cannot be understood ends its connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <paddock/error.h>
#include <paddock/limits.h>

#include "net/answer.h"

namespace paddock::net {

struct ServerLimits {
    std::size_t connections_max = limits::kHttpConnectionsMax;  // the next ones get a 503
    std::size_t head_bytes_max = limits::kHttpHeadBytesMax;
    std::size_t headers_max = limits::kHttpHeadersMax;
    std::size_t body_bytes_max = limits::kHttpBodyBytesMax;
    std::size_t bodies_bytes_max = limits::kHttpBodiesBytesMax;  // all at once; beyond it: 503
    std::size_t stream_bytes_max = limits::kHttpStreamBytesMax;  // of events that wait
    std::chrono::milliseconds request_time = limits::kHttpRequestTime;
    std::chrono::milliseconds idle_time = limits::kHttpIdleTime;
    std::chrono::milliseconds write_time = limits::kHttpWriteTime;
    std::chrono::milliseconds silence_max = limits::kHttpSilenceMax;  // of a stream
};

struct Settings {
    std::string address = "127.0.0.1";  // numeric
    std::uint16_t port = 0;             // 0: any free one
    // PEM files; both or none. With them every connection is TLS.
    std::string certificate_file{};
    std::string key_file{};
    unsigned threads = 1;  // that move bytes
    ServerLimits limits{};
};

// Both are called in a thread that moves bytes and must be quick; neither may throw.
struct Handlers {
    // Judges a head before its body is taken in; an answer refuses it. Absent: none is refused.
    std::function<std::optional<Response>(const Head& head)> admit{};
    std::function<void(Request request, Responder responder)> serve;
};

class Server {
public:
    // Errors: invalid_argument (no numeric address, unusable certificate), already_exists (the
    // address is in use), permission_denied, not_found (a file).
    static Result<Server> listen(const Settings& settings);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    Server(Server&&) noexcept;
    Server& operator=(Server&&) = delete;
    ~Server();  // stop(0). NOLINT(bugprone-exception-escape)

    const std::string& address() const noexcept;
    std::uint16_t port() const noexcept;

    void start(Handlers handlers);

    // Takes no more connections and no more requests, waits at most `patience` for the answers that
    // are under way, then closes what is left. All callbacks have returned then.
    void stop(std::chrono::milliseconds patience);

    std::size_t connections() const noexcept;

private:
    struct Body;
    explicit Server(std::unique_ptr<Body> body);

    std::unique_ptr<Body> body_;
};

}  // namespace paddock::net
