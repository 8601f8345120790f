// Server-sent events, and what happens when the client goes away.
#include <gtest/gtest.h>

#include <thread>

#include "net/client.h"
#include "net/service.h"

namespace paddock::testing {
namespace {

TEST(HttpStream, events_arrive_as_they_are_pushed) {
    Service service;
    Client client(service.port());
    client.send(get("/stream"));
    const auto held = service.held();
    const std::string head = client.read_until("\r\n\r\n");
    EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), head.npos);
    EXPECT_NE(head.find("X-Accel-Buffering: no\r\n"), head.npos);
    EXPECT_NE(head.find("Transfer-Encoding: chunked\r\n"), head.npos);
    std::thread other([&] { EXPECT_TRUE(held->push("{\"a\":1}")); });
    EXPECT_EQ(client.read_until("\n\n\r\n"), "f\r\ndata: {\"a\":1}\n\n\r\n");
    other.join();
    held->push("two\nlines");
    EXPECT_EQ(client.read_until("\n\n\r\n"), "17\r\ndata: two\ndata: lines\n\n\r\n");
    held->finish("last");
    EXPECT_EQ(client.read_until("0\r\n\r\n"), "c\r\ndata: last\n\n\r\n0\r\n\r\n");
    EXPECT_FALSE(held->push("more"));
    client.send(get("/hello"));
    EXPECT_EQ(body_of(client.read_response()), "hello");
}

TEST(HttpStream, a_client_of_http_1_0_gets_it_without_chunks) {
    Service service;
    Client client(service.port());
    client.send("GET /stream HTTP/1.0\r\n\r\n");
    const auto held = service.held();
    held->push("x");
    held->finish({});
    EXPECT_EQ(body_of(client.read_all()), "data: x\n\n");
}

TEST(HttpStream, silence_is_broken_by_comments) {
    net::Settings settings;
    settings.limits.silence_max = std::chrono::milliseconds(20);
    Service service(settings);
    Client client(service.port());
    client.send(get("/stream"));
    const auto held = service.held();
    client.read_until("\r\n\r\n");
    EXPECT_EQ(client.read_until("\n\n\r\n"), "3\r\n:\n\n\r\n");
    EXPECT_EQ(client.read_until("\n\n\r\n"), "3\r\n:\n\n\r\n");
    held->finish("x");
}

TEST(HttpStream, the_queue_for_a_slow_client_is_bounded_and_the_result_still_comes) {
    net::Settings settings;
    settings.limits.stream_bytes_max = 100'000;
    Service service(settings);
    Client client(service.port(), 4096);
    client.send(get("/stream"));
    const auto held = service.held();
    const std::string data(10'000, 'x');
    std::size_t taken = 0;
    while (held->push(data)) ++taken;
    EXPECT_GT(taken, 5U);
    held->finish("the result");
    const std::string all = client.read_until("the result\n\n\r\n0\r\n\r\n");
    EXPECT_TRUE(all.ends_with("data: the result\n\n\r\n0\r\n\r\n"));
}

TEST(HttpStream, a_client_that_closes_is_noticed_without_an_event) {
    Service service;
    Client client(service.port());
    client.send(get("/stream"));
    const auto held = service.held();
    client.read_until("\r\n\r\n");
    client.close();
    service.wait_until_closed(1);
    EXPECT_FALSE(held->push("nobody"));
}

TEST(HttpStream, a_client_that_only_stops_sending_keeps_its_stream) {
    Service service;
    Client client(service.port());
    client.send(get("/stream"));
    const auto held = service.held();
    client.read_until("\r\n\r\n");
    client.end_sending();
    EXPECT_EQ(client.read_until("\n\n\r\n"), "3\r\n:\n\n\r\n");  // is anybody there?
    held->push("x");
    held->finish({});
    EXPECT_NE(client.read_all().find("data: x\n\n"), std::string::npos);
    EXPECT_EQ(service.closed(), 0U);
}

TEST(HttpStream, a_dropped_request_closes_the_connection) {
    Service service;
    Client client(service.port());
    client.send(get("/hold"));
    service.held()->drop();
    EXPECT_EQ(client.read_all(), "");
}

TEST(HttpStop, waits_for_answers_under_way_and_takes_nothing_new) {
    auto service = std::make_unique<Service>();
    const std::uint16_t port = service->port();
    Client idle(port);
    idle.send(get("/hello"));
    idle.read_response();
    Client busy(port);
    busy.send(get("/hold"));
    const auto held = service->held();
    std::thread stopper([&] { service->server().stop(std::chrono::minutes(1)); });
    EXPECT_TRUE(idle.is_closed());
    while (Client(port).is_connected()) std::this_thread::yield();
    held->send({200, {}, "done"});
    const std::string response = busy.read_all();
    EXPECT_EQ(body_of(response), "done");
    EXPECT_NE(response.find("Connection: close"), response.npos);
    busy.close();
    stopper.join();
    EXPECT_EQ(service->closed(), 0U);
}

TEST(HttpStop, closes_what_is_left_after_its_patience) {
    Service service;
    Client client(service.port());
    client.send(get("/stream"));
    const auto held = service.held();
    service.server().stop(std::chrono::milliseconds(10));
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(service.closed(), 1U);
    EXPECT_FALSE(held->push("x"));
    held->finish("y");
}

TEST(HttpStop, a_responder_may_outlive_its_server) {
    std::shared_ptr<net::Responder> held;
    {
        Service service;
        Client client(service.port());
        client.send(get("/hold"));
        held = service.held();
    }
    held->send({200, {}, "nobody"});
}

}  // namespace
}  // namespace paddock::testing
