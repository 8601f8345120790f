// What a hostile client gets: a clear refusal, and no more of the server than its share.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "fault/budget.h"
#include "net/client.h"
#include "net/service.h"
#include "testing/process_status.h"

namespace paddock::testing {
namespace {

using std::chrono::milliseconds;

std::size_t resident_kb() { return status_kb(::getpid(), "VmRSS"); }

// The server still does its work.
void expect_alive(const Service& service) {
    Client client(service.port());
    client.send(get("/hello"));
    EXPECT_EQ(status_of(client.read_response()), 200U);
}

TEST(HttpHostile, garbage_is_refused_and_the_connection_closed) {
    Service service;
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
        std::string bytes(1 + random() % 300, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        Client client(service.port());
        client.send("x" + bytes + "\r\n\r\n");
        EXPECT_EQ(status_of(client.read_all()), 400U) << i;
    }
    expect_alive(service);
}

TEST(HttpHostile, truncated_requests_just_end) {
    Service service;
    const std::string request =
        post("/echo", "0123456789", "X-Long: " + std::string(300, 'x') + "\r\n");
    for (std::size_t length = 0; length < request.size(); length += 7) {
        Client client(service.port());
        client.send(request.substr(0, length));
        client.end_sending();
        EXPECT_EQ(client.read_all(), "");
    }
    expect_alive(service);
}

TEST(HttpHostile, a_huge_head_is_refused) {
    Service service;
    Client client(service.port());
    client.send(get("/hello", "X: " + std::string(100'000, 'x') + "\r\n"));
    EXPECT_EQ(status_of(client.read_all()), 431U);
    expect_alive(service);
}

// 100 MB that are announced, and 100 MB that just come.
TEST(HttpHostile, a_huge_body_is_refused_without_being_held) {
    Service service;
    const std::size_t before = resident_kb();
    {
        Client client(service.port());
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n");
        EXPECT_EQ(status_of(client.read_response()), 413U);
    }
    Client client(service.port());
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string megabyte = "100000\r\n" + std::string(0x100000, 'x') + "\r\n";
    int sent = 0;
    while (sent < 100 && client.send(megabyte)) ++sent;
    EXPECT_LT(sent, 100);
    expect_alive(service);
    EXPECT_LT(resident_kb(), before + 64 * 1024);
}

// Each body is small enough, all together are not.
TEST(HttpHostile, the_bodies_of_all_connections_are_bounded) {
    net::Settings settings;
    settings.limits.bodies_bytes_max = 1'000'000;
    Service service(settings);
    const auto length = [&](std::size_t bytes) {
        Client client(service.port());
        client.send(post("/length", std::string(bytes, 'x')));
        return client.read_response();
    };
    Client first(service.port());
    first.send(post("/hold", std::string(800'000, 'x')));
    auto held = service.held();
    EXPECT_EQ(status_of(length(300'000)), 503U);
    EXPECT_EQ(body_of(length(100'000)), "100000") << "what fits is served";
    held->send({200, {}, "over"});
    EXPECT_EQ(body_of(first.read_response()), "over");
    EXPECT_EQ(status_of(length(300'000)), 503U) << "the body is still there";
    held.reset();
    EXPECT_EQ(body_of(length(900'000)), "900000");
    EXPECT_EQ(status_of(length(1'100'000)), 503U) << "what has not arrived as a whole counts too";
    // A client that goes away makes no room while its call runs.
    Client second(service.port());
    second.send(post("/stream", std::string(800'000, 'x')));
    auto unanswered = service.held();
    second.close();
    service.wait_until_closed(1);
    EXPECT_EQ(status_of(length(300'000)), 503U);
    unanswered.reset();
    EXPECT_EQ(body_of(length(900'000)), "900000");
}

TEST(HttpHostile, a_refused_head_costs_no_body) {
    Service service;
    Client client(service.port());
    client.send("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n");
    EXPECT_EQ(status_of(client.read_all()), 401U);
}

TEST(HttpHostile, the_second_of_two_meanings_is_never_read) {
    Service service;
    Client client(service.port());
    client.send(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
        get("/hello"));
    const std::string answers = client.read_all();
    EXPECT_EQ(status_of(answers), 400U);
    EXPECT_EQ(answers.find("hello"), answers.npos);
}

TEST(HttpHostile, slow_heads_and_bodies_are_cut_off) {
    net::Settings settings;
    settings.limits.request_time = milliseconds(60);
    Service service(settings);
    for (const std::string& start :
         {std::string("GET /hel"),
          std::string("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")}) {
        Client client(service.port());
        client.send(start);
        // A byte now and then does not help.
        while (client.send("a")) {
            if (client.read_until("\r\n\r\n").starts_with("HTTP/1.1 408")) break;
        }
        EXPECT_TRUE(client.is_closed());
    }
    expect_alive(service);
}

TEST(HttpHostile, idle_connections_end) {
    net::Settings settings;
    settings.limits.idle_time = milliseconds(40);
    Service service(settings);
    Client silent(service.port());
    EXPECT_TRUE(silent.is_closed());
    Client done(service.port());
    done.send(get("/hello"));
    EXPECT_EQ(body_of(done.read_response()), "hello");
    EXPECT_TRUE(done.is_closed());
}

TEST(HttpHostile, a_client_that_does_not_read_is_cut_off) {
    net::Settings settings;
    settings.limits.write_time = milliseconds(60);
    Service service(settings);
    Client client(service.port(), 4096);
    client.send(get("/large"));
    while (service.server().connections() != 0) std::this_thread::yield();
    expect_alive(service);
}

TEST(HttpHostile, a_client_that_only_stops_sending_gets_its_answer) {
    Service service;
    Client client(service.port());
    client.send(get("/hold"));
    client.end_sending();
    const auto held = service.held();
    // The end of its input is seen before the answer is given.
    Client other(service.port());
    other.send(get("/hello"));
    other.read_response();
    held->send({200, {}, "late"});
    EXPECT_EQ(body_of(client.read_all()), "late");
    EXPECT_EQ(service.closed(), 0U);
}

TEST(HttpHostile, the_thousandth_connection_is_served_and_one_too_many_told) {
    constexpr std::size_t kMany = 1000;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max < 2 * kMany + 200) GTEST_SKIP() << "needs 2200 descriptors";
    files.rlim_cur = std::max<rlim_t>(files.rlim_cur, 2 * kMany + 200);
    ::setrlimit(RLIMIT_NOFILE, &files);
    net::Settings settings;
    settings.limits.connections_max = kMany;
    Service service(settings);
    const std::size_t before = resident_kb();
    std::vector<Client> clients;
    for (std::size_t i = 0; i < kMany; ++i) {
        clients.emplace_back(service.port());
        clients.back().send(get("/hello"));
        ASSERT_EQ(body_of(clients.back().read_response()), "hello") << i;
    }
    EXPECT_EQ(service.server().connections(), kMany);
    // A sanitizer's own memory counts, too.
    if (!kSanitized) {
        EXPECT_LT(resident_kb(), before + 16 * 1024);
    }
    Client late(service.port());
    EXPECT_EQ(status_of(late.read_all()), 503U);
    for (const std::size_t i : {std::size_t{0}, kMany - 1}) {
        clients[i].send(get("/hello"));
        EXPECT_EQ(body_of(clients[i].read_response()), "hello");
    }
    clients.pop_back();
    while (service.server().connections() == kMany) std::this_thread::yield();
    expect_alive(service);
}

}  // namespace
}  // namespace paddock::testing
