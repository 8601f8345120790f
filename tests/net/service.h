// A server on the loopback with a few routes, for the tests of src/net.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "net/server.h"

namespace paddock::testing {

// GET /hello "hello"; POST /echo the body; /length the number of its bytes; GET /hold and
// /stream leave the request with hold() and stream(); /large 8 MB; /none is forgotten. /refused is
// refused by its head.
class Service {
public:
    explicit Service(net::Settings settings = {});

    std::uint16_t port() const { return server_->port(); }
    net::Server& server() { return *server_; }

    // The next request of its kind, which lives as long as this; waits for it.
    std::shared_ptr<net::Responder> held();
    void wait_until_closed(std::size_t times);
    std::size_t closed() const;

private:
    void serve(net::Request request, net::Responder responder);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<net::Responder> held_;
    std::size_t closed_ = 0;
    std::optional<net::Server> server_;
};

}  // namespace paddock::testing
