// What a well-behaved client gets.
#include <gtest/gtest.h>

#include <thread>

#include "net/client.h"
#include "net/service.h"

namespace paddock::testing {
namespace {

TEST(HttpServer, answers_and_keeps_the_connection) {
    Service service;
    Client client(service.port());
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(client.send(get("/hello")));
        const std::string response = client.read_response();
        EXPECT_EQ(status_of(response), 200U);
        EXPECT_EQ(body_of(response), "hello");
        EXPECT_NE(response.find("\r\nDate: "), response.npos);
        EXPECT_EQ(response.find("Connection: close"), response.npos);
    }
    EXPECT_EQ(service.server().connections(), 1U);
}

TEST(HttpServer, closes_when_the_client_wants_it) {
    Service service;
    for (const std::string& request :
         {get("/hello", "Connection: close\r\n"), std::string("GET /hello HTTP/1.0\r\n\r\n")}) {
        Client client(service.port());
        client.send(request);
        const std::string response = client.read_all();
        EXPECT_NE(response.find("Connection: close"), response.npos) << request;
        EXPECT_EQ(body_of(response), "hello");
    }
}

TEST(HttpServer, answers_pipelined_requests_in_their_order) {
    Service service;
    Client client(service.port());
    std::string requests;
    std::string expected;
    for (int i = 0; i < 2000; ++i) {
        requests += post("/echo", "<" + std::to_string(i) + ">");
        expected += "<" + std::to_string(i) + ">";
    }
    std::thread sender([&] { client.send(requests); });
    std::string answers;
    for (int i = 0; i < 2000; ++i) answers += body_of(client.read_response());
    sender.join();
    EXPECT_EQ(answers, expected);
}

TEST(HttpServer, a_held_request_holds_back_those_behind_it) {
    Service service;
    Client client(service.port());
    client.send(get("/hold") + get("/hello"));
    service.held()->send({200, {}, "first"});
    EXPECT_EQ(body_of(client.read_response()), "first");
    EXPECT_EQ(body_of(client.read_response()), "hello");
}

TEST(HttpServer, head_has_the_length_and_no_body) {
    Service service;
    Client client(service.port());
    client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n" + get("/hello"));
    const std::string head = client.read_until("\r\n\r\n");
    EXPECT_NE(head.find("Content-Length: 5\r\n"), head.npos);
    EXPECT_EQ(body_of(client.read_response()), "hello");
}

TEST(HttpServer, takes_chunks_and_asks_for_what_waits) {
    Service service;
    Client client(service.port());
    client.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n0\r\n\r\n");
    EXPECT_EQ(body_of(client.read_response()), "abc");
    client.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
        "Expect: 100-continue\r\n\r\n");
    EXPECT_EQ(status_of(client.read_until("\r\n\r\n")), 100U);
    client.send("def");
    EXPECT_EQ(body_of(client.read_response()), "def");
}

TEST(HttpServer, large_bodies_and_answers_arrive_whole) {
    Service service;
    Client client(service.port());
    const std::string body(5'000'000, 'b');
    std::thread sender([&] { client.send(post("/length", body) + get("/large")); });
    EXPECT_EQ(body_of(client.read_response()), "5000000");
    EXPECT_EQ(body_of(client.read_response()).size(), 8'000'000U);
    sender.join();
}

TEST(HttpServer, a_forgotten_request_is_an_internal_error) {
    Service service;
    Client client(service.port());
    client.send(get("/none"));
    EXPECT_EQ(status_of(client.read_response()), 500U);
    client.send(get("/hello"));
    EXPECT_EQ(status_of(client.read_response()), 200U);
}

TEST(HttpServer, several_threads_share_the_connections) {
    net::Settings settings;
    settings.threads = 3;
    Service service(settings);
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([&] {
            Client client(service.port());
            for (int j = 0; j < 50; ++j) {
                client.send(get("/hello"));
                EXPECT_EQ(body_of(client.read_response()), "hello");
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

TEST(HttpServer, says_why_it_cannot_listen) {
    Service service;
    net::Settings taken;
    taken.port = service.port();
    EXPECT_EQ(net::Server::listen(taken).error().code, Code::kAlreadyExists);
    EXPECT_EQ(net::Server::listen({.address = "localhost"}).error().code, Code::kInvalidArgument);
    EXPECT_EQ(net::Server::listen({.address = "203.0.113.7"}).error().code, Code::kInvalidArgument);
}

}  // namespace
}  // namespace paddock::testing
