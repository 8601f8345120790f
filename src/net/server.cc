#include "net/server.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "base/outcome.h"
#include "net/loop.h"

namespace paddock::net {
namespace {

namespace asio = boost::asio;
using Acceptor = asio::ip::tcp::acceptor;
using Error = boost::system::error_code;

// After an accept that failed: descriptors may be free again then.
constexpr std::chrono::milliseconds kAcceptPause{50};
constexpr int kBacklog = 1024;

Failure failure_of(const Error& error) {
    if (error == asio::error::address_in_use) {
        return refuse(Code::kAlreadyExists, "the address is in use", error.value());
    }
    if (error == boost::system::errc::address_not_available) {
        return refuse(Code::kInvalidArgument, "this machine has no such address", error.value());
    }
    return Failure::from_errno(error.value());
}

Done bind(Acceptor& acceptor, const asio::ip::tcp::endpoint& endpoint) {
    Error error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(kBacklog, error);
    if (error) return failure_of(error);
    return {};
}

}  // namespace

struct Server::Body {
    std::shared_ptr<Shared> shared = std::make_shared<Shared>();
    std::vector<std::shared_ptr<Loop>> loops;
    std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards;
    std::vector<std::thread> threads;
    std::optional<Acceptor> acceptor;
    std::optional<asio::steady_timer> pause;
    std::size_t next = 0;
    std::string address;
    std::uint16_t port = 0;

    Done open(const Settings& settings);
    void accept();
    void accepted(const std::shared_ptr<Loop>& loop, asio::ip::tcp::socket socket);
    void drain();
    void wait_for_end(std::chrono::milliseconds patience) const;
};

Done Server::Body::open(const Settings& settings) {
    Error error;
    const auto numeric = asio::ip::make_address(settings.address, error);
    if (error)
        return refuse(Code::kInvalidArgument, "the address must be numeric, such as 127.0.0.1");
    shared->limits = settings.limits;
    for (unsigned i = 0; i < std::max(1U, settings.threads); ++i) {
        loops.push_back(std::make_shared<Loop>(shared));
    }
    acceptor.emplace(loops.front()->io());
    pause.emplace(loops.front()->io());
    PADDOCK_TRY(bind(*acceptor, {numeric, settings.port}));
    address = settings.address;
    port = acceptor->local_endpoint(error).port();
    return {};
}

void Server::Body::accept() {
    const auto loop = loops[next++ % loops.size()];
    acceptor->async_accept(loop->io(),
                           [this, loop](const Error& error, asio::ip::tcp::socket socket) {
                               if (error == asio::error::operation_aborted || !acceptor->is_open())
                                   return;
                               if (!error) {
                                   accepted(loop, std::move(socket));
                                   return accept();
                               }
                               pause->expires_after(kAcceptPause);
                               pause->async_wait([this](const Error& ended) {
                                   if (!ended) accept();
                               });
                           });
}

void Server::Body::accepted(const std::shared_ptr<Loop>& loop, asio::ip::tcp::socket socket) {
    if (loop == loops.front()) return loop->add(std::move(socket));
    asio::post(loop->io(),
               [loop, taken = std::move(socket)]() mutable { loop->add(std::move(taken)); });
}

void Server::Body::drain() {
    shared->draining = true;
    asio::post(loops.front()->io(), [this] {
        Error ignored;
        acceptor->close(ignored);
        pause->cancel();
    });
    for (const auto& loop : loops) asio::post(loop->io(), [loop] { loop->drain(); });
}

void Server::Body::wait_for_end(std::chrono::milliseconds patience) const {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLook{5};
    const auto end = Clock::now() + patience;
    while (shared->connections != 0 && Clock::now() < end) std::this_thread::sleep_for(kLook);
}

Server::Server(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Server::Server(Server&&) noexcept = default;
// What it calls throws only where memory or threads are beyond help.
Server::~Server() {  // NOLINT(bugprone-exception-escape)
    if (body_ != nullptr) stop(std::chrono::milliseconds(0));
}

Result<Server> Server::listen(const Settings& settings) {
    const std::string place = settings.address + ":" + std::to_string(settings.port);
    // Asio reports a missing epoll or a full descriptor table by an exception only.
    try {
        auto body = std::make_unique<Body>();
        if (!settings.certificate_file.empty() || !settings.key_file.empty()) {
            auto tls = TlsContext::load({settings.certificate_file, settings.key_file});
            if (!tls) return tls.error();
            body->shared->tls = std::move(*tls);
        }
        if (const Done done = body->open(settings); !done) {
            return as_error(done.error(), "listen", place);
        }
        return Server(std::move(body));
    } catch (const std::exception&) {
        return as_error(refuse(Code::kIoError), "listen", place);
    }
}

const std::string& Server::address() const noexcept { return body_->address; }
std::uint16_t Server::port() const noexcept { return body_->port; }
std::size_t Server::connections() const noexcept { return body_->shared->connections; }

void Server::start(Handlers handlers) {
    body_->shared->handlers = std::move(handlers);
    body_->accept();
    for (const auto& loop : body_->loops) {
        body_->guards.emplace_back(loop->io().get_executor());
        body_->threads.emplace_back([loop] { loop->io().run(); });
    }
}

void Server::stop(std::chrono::milliseconds patience) {
    if (body_->threads.empty()) return;
    body_->drain();
    body_->wait_for_end(patience);
    body_->guards.clear();
    for (const auto& loop : body_->loops) {
        asio::post(loop->io(), [loop] {
            loop->close_all();
            loop->io().stop();
        });
    }
    for (std::thread& thread : body_->threads) thread.join();
    body_->threads.clear();
    // What was cancelled last has not heard of it: it waits in a loop and holds that or another.
    for (const auto& loop : body_->loops) {
        loop->io().restart();
        loop->io().poll();
    }
}

}  // namespace paddock::net
