#include "net/service.h"

#include <gtest/gtest.h>

#include <utility>

#include "net/answer.h"

namespace paddock::testing {

Service::Service(net::Settings settings) {
    auto server = net::Server::listen(settings);
    if (!server) {
        ADD_FAILURE() << server.error().message();
        std::abort();
    }
    server_.emplace(std::move(*server));
    net::Handlers handlers;
    handlers.admit = [](const net::Head& head) -> std::optional<net::Response> {
        if (head.path() != "/refused") return std::nullopt;
        return net::plain_response(401);
    };
    handlers.serve = [this](net::Request request, net::Responder responder) {
        serve(std::move(request), std::move(responder));
    };
    server_->start(std::move(handlers));
}

void Service::serve(net::Request request, net::Responder responder) {
    const std::string path(request.head.path());
    if (path == "/hello") return responder.send({200, {{"X-Test", "1"}}, "hello"});
    if (path == "/echo") return responder.send({200, {}, request.body});
    if (path == "/length") return responder.send({200, {}, std::to_string(request.body.size())});
    if (path == "/large") return responder.send({200, {}, std::string(8'000'000, 'x')});
    if (path == "/none") return;
    if (path != "/hold" && path != "/stream") return responder.send(net::plain_response(404));
    struct Whole {
        net::Request request;
        net::Responder responder;
    };
    const auto whole = std::make_shared<Whole>(Whole{std::move(request), std::move(responder)});
    std::shared_ptr<net::Responder> held(whole, &whole->responder);
    held->on_closed([this] {
        const std::lock_guard lock(mutex_);
        ++closed_;
        changed_.notify_all();
    });
    if (path == "/stream") held->begin_stream({});
    const std::lock_guard lock(mutex_);
    held_ = std::move(held);
    changed_.notify_all();
}

std::shared_ptr<net::Responder> Service::held() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return held_ != nullptr; });
    return std::exchange(held_, nullptr);
}

void Service::wait_until_closed(std::size_t times) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ >= times; });
}

std::size_t Service::closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

}  // namespace paddock::testing
