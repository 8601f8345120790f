#include "daemon/http_endpoint.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "net/client.h"

namespace paddock::daemon {
namespace {

TEST(Sessions, belong_to_their_caller) {
    Sessions sessions(8);
    const auto begun = sessions.begin("alice");
    ASSERT_TRUE(begun);
    EXPECT_EQ(sessions.find(begun->id, "alice"), begun->conversation);
    EXPECT_EQ(sessions.find(begun->id, "bob"), nullptr);
    EXPECT_EQ(sessions.find("other", "alice"), nullptr);
    EXPECT_FALSE(sessions.end(begun->id, "bob"));
    EXPECT_TRUE(sessions.end(begun->id, "alice"));
    EXPECT_EQ(sessions.find(begun->id, "alice"), nullptr);
}

TEST(Sessions, the_one_silent_for_longest_makes_room) {
    Sessions sessions(3);
    const std::string first = sessions.begin("a")->id;
    const std::string second = sessions.begin("a")->id;
    const std::string third = sessions.begin("a")->id;
    EXPECT_NE(sessions.find(first, "a"), nullptr);
    sessions.begin("a").value();
    EXPECT_EQ(sessions.size(), 3U);
    EXPECT_NE(sessions.find(first, "a"), nullptr);
    EXPECT_EQ(sessions.find(second, "a"), nullptr);
    EXPECT_NE(sessions.find(third, "a"), nullptr);
}

}  // namespace

namespace {

using testing::Client;
using testing::get;
using testing::post;
using testing::status_of;

constexpr std::string_view kHeaders =
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

// A client that is gone makes no room: what it asked for still holds what it sent.
TEST(HttpEndpoint, a_body_counts_until_its_call_is_over) {
    std::latch begun(1);
    std::latch released(1);
    mcp::Methods methods;
    methods.add("wait", {.run =
                             [&](const auto&) {
                                 begun.count_down();
                                 released.wait();
                                 return mcp::Handled();
                             },
                         .pace = [](const auto&) { return tools::Pace::kWorking; }});
    const mcp::Protocol protocol({.name = "t", .title = "t", .version = "1", .instructions = {}},
                                 std::move(methods));
    HttpEndpoint endpoint(protocol, {});
    net::Settings settings;
    settings.limits.bodies_bytes_max = 1000;
    auto server = net::Server::listen(settings);
    ASSERT_TRUE(server) << server.error().message();
    server->start(endpoint.handlers());

    const auto message = [](const char* method, std::size_t bytes) {
        const std::string name(method);
        return R"({"jsonrpc":"2.0","id":")" + name + R"(","method":")" + name +
               R"(","params":{"protocolVersion":"2025-06-18","x":")" + std::string(bytes, 'x') +
               R"("}})";
    };
    const auto ask = [&](const std::string& request) {
        Client client(server->port());
        client.send(request);
        return client.read_response();
    };
    const std::string begins = ask(post("/mcp", message("initialize", 0), kHeaders));
    const std::string mark = "Mcp-Session-Id: ";
    const std::size_t id = begins.find(mark);
    ASSERT_NE(id, begins.npos) << begins;
    const std::string headers =
        std::string(kHeaders) + begins.substr(id, begins.find('\n', id) + 1 - id);
    {
        Client client(server->port());
        client.send(post("/mcp", message("wait", 600), headers));
        begun.wait();
    }
    while (server->connections() != 0) std::this_thread::yield();
    EXPECT_EQ(status_of(ask(post("/mcp", message("ping", 400), headers))), 503U);
    EXPECT_EQ(status_of(ask(post("/mcp", message("ping", 0), headers))), 200U);
    released.count_down();
    server->stop(std::chrono::milliseconds(0));
    EXPECT_TRUE(endpoint.end(std::chrono::hours(1)));
}

// In the legacy era a closed stream cancels nothing that changes something.
TEST(HttpEndpoint, issue_17_10_what_only_reads_is_cancelled_when_its_client_goes) {
    std::latch begun(1);
    std::latch cancelled(1);
    mcp::Methods methods;
    methods.add("look", {.run =
                             [&](const auto& context) {
                                 begun.count_down();
                                 const auto stop = context->cancelled();
                                 while (!stop.stop_requested()) std::this_thread::yield();
                                 cancelled.count_down();
                                 return mcp::Handled();
                             },
                         .pace = [](const auto&) { return tools::Pace::kWorking; },
                         .only_reads = [](const auto&) { return true; }});
    const mcp::Protocol protocol({.name = "t", .title = "t", .version = "1", .instructions = {}},
                                 std::move(methods));
    HttpEndpoint endpoint(protocol, {});
    auto server = net::Server::listen({});
    ASSERT_TRUE(server) << server.error().message();
    server->start(endpoint.handlers());
    const auto message = [](const std::string& name) {
        return R"({"jsonrpc":"2.0","id":1,"method":")" + name +
               R"(","params":{"protocolVersion":"2025-06-18"}})";
    };
    std::string session;
    {
        Client client(server->port());
        client.send(post("/mcp", message("initialize"), kHeaders));
        const std::string begins = client.read_response();
        const std::size_t id = begins.find("Mcp-Session-Id: ");
        ASSERT_NE(id, begins.npos) << begins;
        session = begins.substr(id, begins.find('\n', id) + 1 - id);
    }
    {
        Client client(server->port());
        client.send(post("/mcp", message("look"), std::string(kHeaders) + session));
        begun.wait();
    }
    cancelled.wait();
    server->stop(std::chrono::milliseconds(0));
    EXPECT_TRUE(endpoint.end(std::chrono::seconds(30)));
}

}  // namespace
}  // namespace paddock::daemon
