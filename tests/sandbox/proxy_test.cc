// What passes through the proxy and what does not. All on the loopback: it is refused unless
// listed, like everything else that is not public.
#include <sys/socket.h>

#include "sandbox/dns_reply.h"
#include "sandbox/environment.h"
#include "sandbox/proxy_fixture.h"

namespace paddock::testing {
namespace {

using proxy::DnsQuestion;
using proxy::DnsType;

TEST_F(ProxyTest, connect_reaches_a_listed_origin) {
    const Origin origin(echo("hello "));
    start({origin.place()});
    const UniqueFd socket = tunnel(origin.place());
    EXPECT_EQ(read_exactly(socket.get(), 6), "hello ");
    send_all(socket.get(), "ping");
    EXPECT_EQ(read_exactly(socket.get(), 4), "ping");
    EXPECT_TRUE(denied().empty());
}

TEST_F(ProxyTest, bytes_sent_with_the_request_arrive) {
    const Origin origin(echo());
    start({origin.place()});
    const UniqueFd socket = client();
    send_all(socket.get(), "CONNECT " + origin.place() + " HTTP/1.1\r\n\r\nearly");
    read_until(socket.get(), "\r\n\r\n");
    EXPECT_EQ(read_exactly(socket.get(), 5), "early");
}

TEST_F(ProxyTest, socks_reaches_a_listed_origin) {
    const Origin origin(echo("hello "));
    start({origin.place()});
    const UniqueFd socket = client();
    const std::string port = {static_cast<char>(origin.port() >> 8),
                              static_cast<char>(origin.port() & 0xff)};
    send_all(socket.get(), std::string("\x05\x01\x00", 3));
    EXPECT_EQ(read_exactly(socket.get(), 2), std::string("\x05\x00", 2));
    send_all(socket.get(), std::string("\x05\x01\x00\x01\x7f\x00\x00\x01", 8) + port);
    EXPECT_EQ(read_exactly(socket.get(), 10),
              std::string("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10));
    EXPECT_EQ(read_exactly(socket.get(), 6), "hello ");
}

TEST_F(ProxyTest, ipv6_is_reached_too) {
    const Origin origin(echo("six "), "::1");
    start({"localhost:" + std::to_string(origin.port())});
    // Nobody listens at 127.0.0.1, which is tried first.
    const UniqueFd socket = tunnel("localhost:" + std::to_string(origin.port()));
    EXPECT_EQ(read_exactly(socket.get(), 4), "six ");
    EXPECT_TRUE(is_status(ask_connect("[::1]:" + std::to_string(origin.port())), "403"));
}

TEST_F(ProxyTest, a_plain_request_reaches_its_origin_in_origin_form) {
    HttpLog log;
    const Origin origin(http("content", &log));
    start({origin.place()});
    const std::string reply = ask("GET http://" + origin.place() +
                                  "/path?q HTTP/1.1\r\nHost: other.example\r\nAccept: */*\r\n"
                                  "Proxy-Connection: keep-alive\r\n\r\n");
    EXPECT_TRUE(reply.ends_with("\r\n\r\ncontent")) << reply;
    EXPECT_EQ(log.taken(),
              std::vector<std::string>{"GET /path?q HTTP/1.1\r\nHost: " + origin.place() +
                                       "\r\nAccept: */*\r\nConnection: close\r\n\r\n"});
}

TEST_F(ProxyTest, a_plain_request_carries_its_body_in_both_framings) {
    HttpLog log;
    const Origin origin(http("done", &log));
    start({origin.place()});
    const std::string start_line = "POST http://" + origin.place() + "/ HTTP/1.1\r\n";
    const std::string big(300'000, 'x');
    EXPECT_TRUE(ask(start_line + "Content-Length: 300000\r\n\r\n" + big).ends_with("done"));
    EXPECT_TRUE(
        ask(start_line + "Transfer-Encoding: chunked\r\n\r\n493e0\r\n" + big + "\r\n0\r\n\r\n")
            .ends_with("done"));
    const auto requests = log.taken();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_TRUE(requests[0].ends_with(big));
    EXPECT_TRUE(requests[1].ends_with(big + "\r\n0\r\n\r\n"));
}

// The check is of the first request; a second one behind it must not ride along.
TEST_F(ProxyTest, a_second_request_on_the_connection_goes_nowhere) {
    std::string came;
    std::atomic<bool> done = false;
    const Origin origin([&](int socket) {
        came = read_until(socket, "\r\n\r\n");
        send_all(socket, "HTTP/1.1 200 OK\r\n\r\nfirst");
        ::shutdown(socket, SHUT_WR);
        came += read_to_end(socket);
        done = true;
    });
    const Origin other(http("second"));
    start({origin.place()});
    const std::string reply =
        ask("GET http://" + origin.place() + "/1 HTTP/1.1\r\n\r\nGET http://" + origin.place() +
            "/2 HTTP/1.1\r\n\r\nGET http://" + other.place() + "/3 HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(reply.ends_with("first"));
    EXPECT_EQ(other.connections(), 0);
    while (!done) std::this_thread::yield();
    EXPECT_TRUE(came.starts_with("GET /1 ") && came.ends_with("close\r\n\r\n")) << came;
}

TEST_F(ProxyTest, what_is_not_listed_is_denied_and_reported) {
    const Origin origin(echo());
    start({"127.0.0.1:1", "listed.test", "*.below.test:443"});
    // The attack is real: without the guard the same place can be reached.
    EXPECT_TRUE(connect_to("127.0.0.1", origin.port()).valid());
    while (origin.connections() < 1) std::this_thread::yield();

    EXPECT_TRUE(is_status(ask_connect(origin.place()), "403"));
    EXPECT_TRUE(is_status(ask("GET http://" + origin.place() + "/ HTTP/1.1\r\n\r\n"), "403"));
    EXPECT_EQ(socks_code(ask_socks_name("127.0.0.1", origin.port())), 2);
    EXPECT_TRUE(is_status(ask_connect("other.test:443"), "403"));
    EXPECT_TRUE(is_status(ask_connect("a.below.test:80"), "403"));
    EXPECT_TRUE(is_status(ask_connect("below.test:443"), "403"));
    EXPECT_EQ(origin.connections(), 1);
    EXPECT_EQ(denied(), (std::vector<std::string>{
                            "127.0.0.1:" + std::to_string(origin.port()) +
                                " is on the allow list with another port only (3)",
                            "other.test:443 is not on the allow list (1)",
                            "a.below.test:80 is on the allow list with another port only (1)",
                            "below.test:443 is not on the allow list (1)"}));
    EXPECT_TRUE(denied().empty());
}

TEST_F(ProxyTest, the_client_is_told_why) {
    start({});
    const std::string reply = ask_connect("a.test:443");
    EXPECT_TRUE(reply.ends_with(
        "\r\n\r\npaddock: a.test:443 is out of reach: commands have no network; allow it "
        "with --allow-host a.test\n"))
        << reply;
}

TEST_F(ProxyTest, names_that_are_not_listed_are_not_even_looked_up) {
    const FakeDns dns(always({"127.0.0.1"}));
    settings_.names.port = dns.port();
    start({"listed.test"});
    EXPECT_TRUE(is_status(ask_connect("secret-in-a-name.evil.test:443"), "403"));
    EXPECT_EQ(dns.questions(), 0);
    EXPECT_TRUE(is_status(ask_connect("listed.test:443"), "403"));
    EXPECT_EQ(dns.questions(), 2);
}

TEST_F(ProxyTest, a_listed_name_may_not_lead_to_this_machine) {
    const Origin origin(echo("inside "));
    const FakeDns dns(always({"127.0.0.1", "::1"}));
    settings_.names.port = dns.port();
    const std::string port = std::to_string(origin.port());
    start({"listed.test", "*.below.test"});
    EXPECT_TRUE(is_status(ask_connect("listed.test:" + port), "403"));
    EXPECT_TRUE(is_status(ask_connect("a.below.test:" + port), "403"));
    EXPECT_EQ(socks_code(ask_socks_name("listed.test", origin.port())), 2);
    EXPECT_EQ(origin.connections(), 0);
    EXPECT_EQ(denied(),
              (std::vector<std::string>{
                  "listed.test:" + port + " leads to a loopback address that is not listed (2)",
                  "a.below.test:" + port + " leads to a loopback address that is not listed (1)"}));

    // The same, with the address listed too.
    start({"listed.test", "*.below.test", "127.0.0.1:" + port});
    for (const char* name : {"listed.test:", "a.below.test:"}) {
        EXPECT_EQ(read_exactly(tunnel(name + port).get(), 7), "inside ");
    }
}

TEST_F(ProxyTest, other_addresses_that_are_not_public_are_refused_as_well) {
    std::string answer = "169.254.169.254";
    const FakeDns dns([&](const DnsQuestion& question, int nth, bool tcp) {
        return always({answer})(question, nth, tcp);
    });
    settings_.names.port = dns.port();
    start({"listed.test", "*.below.test"});
    for (const char* address :
         {"169.254.169.254", "169.254.1.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1",
          "168.63.129.16", "fe80::1", "::", "ff02::1", "::ffff:127.0.0.1", "::127.0.0.1",
          "64:ff9b::7f00:1", "2002:7f00:1::1", "fd00:ec2::254", "10.0.0.1", "192.168.0.1",
          "100.64.0.1", "fd00::1"}) {
        answer = address;
        EXPECT_TRUE(is_status(ask_connect("listed.test:80"), "403")) << address;
        EXPECT_TRUE(is_status(ask_connect("a.below.test:80"), "403")) << address;
    }
}

// Of several addresses only those that are allowed are dialled.
TEST_F(ProxyTest, the_good_address_among_bad_ones_is_dialled) {
    const Origin good(echo("good "), "127.0.0.3");
    const Origin bad(echo("bad "), "127.0.0.2", good.port());
    const FakeDns dns(always({"127.0.0.2", "169.254.169.254", "127.0.0.3"}));
    settings_.names.port = dns.port();
    start({"listed.test", good.place()});
    const UniqueFd socket = tunnel("listed.test:" + std::to_string(good.port()));
    EXPECT_EQ(read_exactly(socket.get(), 5), "good ");
    EXPECT_EQ(bad.connections(), 0);
}

// A name server that answers differently the second time. Who checks one answer and dials by
// another one ends up where the attacker wants.
ATTACK_F(ProxyTest, WD_07, the_address_that_was_checked_is_the_one_that_is_dialled) {
    const Origin listed(echo("listed "), "127.0.0.3");
    const Origin decoy(echo("decoy "), "127.0.0.2", listed.port());
    std::atomic<int> rounds = 0;
    const FakeDns dns([&](const DnsQuestion& question, int, bool) {
        DnsReply reply(question);
        if (question.type == DnsType::kAaaa) return reply.bytes();
        return reply.address(question.name, rounds++ == 0 ? "127.0.0.3" : "127.0.0.2").bytes();
    });
    settings_.names.port = dns.port();
    start({"rebind.test", listed.place()});
    const policy::Destination destination{{"rebind.test"}, listed.port()};

    // The careless way: check, then connect by name.
    const auto resolve = [&] {
        const proxy::Time now = std::chrono::steady_clock::now();
        proxy::NameLookup lookup("rebind.test", settings_.names, now);
        for (;;) {
            if (const auto found = lookup.proceed(now)) return found->value().front();
        }
    };
    EXPECT_FALSE(settings_.rules.refusal(destination, resolve()).has_value());
    const UniqueFd careless = connect_to(policy::address_text(resolve()), listed.port());
    EXPECT_EQ(read_exactly(careless.get(), 6), "decoy ");

    rounds = 0;
    const int before = dns.questions();
    const UniqueFd socket = tunnel("rebind.test:" + std::to_string(listed.port()));
    EXPECT_EQ(read_exactly(socket.get(), 7), "listed ");
    EXPECT_EQ(dns.questions() - before, 2) << "IPv4 and IPv6, once each";
    EXPECT_TRUE(is_status(ask_connect("rebind.test:" + std::to_string(listed.port())), "403"));
    EXPECT_EQ(decoy.connections(), 1) << "the careless one";
}

TEST_F(ProxyTest, failures_of_the_network_are_no_denials) {
    const FakeDns dns([](const DnsQuestion& question, int, bool) {
        return question.name == "none.test" ? DnsReply(question).code(3).bytes() : std::string();
    });
    settings_.names.port = dns.port();
    settings_.names.server_time = std::chrono::milliseconds(10);
    const std::uint16_t unused = port_of(listen_at("127.0.0.1").get());
    const std::string closed = "127.0.0.1:" + std::to_string(unused);
    start({"none.test", "silent.test", closed});
    EXPECT_TRUE(is_status(ask_connect("none.test:80"), "502"));
    EXPECT_TRUE(is_status(ask_connect("silent.test:80"), "504"));
    EXPECT_TRUE(is_status(ask_connect(closed), "502"));
    EXPECT_EQ(socks_code(ask_socks_name("none.test", 80)), 4);
    EXPECT_EQ(socks_code(ask_socks_name("silent.test", 80)), 6);
    EXPECT_EQ(socks_code(ask_socks_name("127.0.0.1", unused)), 5);
    EXPECT_TRUE(denied().empty());
}

// An end of one way leaves the other open, in both directions.
TEST_F(ProxyTest, a_half_closed_connection_carries_the_rest) {
    const Origin origin([](int socket) {
        const std::string all = read_to_end(socket);
        send_all(socket, "got " + std::to_string(all.size()));
    });
    start({origin.place()});
    const UniqueFd socket = tunnel(origin.place());
    send_all(socket.get(), std::string(1'000'000, 'x'));
    ASSERT_EQ(::shutdown(socket.get(), SHUT_WR), 0);
    EXPECT_EQ(read_to_end(socket.get()), "got 1000000");
}

TEST_F(ProxyTest, an_origin_that_has_ended_still_listens) {
    std::string came;
    std::atomic<bool> done = false;
    const Origin origin([&](int socket) {
        send_all(socket, "bye");
        ::shutdown(socket, SHUT_WR);
        came = read_to_end(socket);
        done = true;
    });
    start({origin.place()});
    UniqueFd socket = tunnel(origin.place());
    EXPECT_EQ(read_to_end(socket.get()), "bye");
    send_all(socket.get(), "still here");
    socket.reset();
    while (!done) std::this_thread::yield();
    EXPECT_EQ(came, "still here");
}

TEST_F(ProxyTest, large_transfers_arrive_whole_both_ways_at_once) {
    const Origin origin(echo());
    start({origin.place()});
    const UniqueFd socket = tunnel(origin.place());
    std::string sent(20'000'000, '\0');
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 2654435761U >> 7);
    std::thread sender([&] {
        send_all(socket.get(), sent);
        ::shutdown(socket.get(), SHUT_WR);
    });
    const std::string back = read_to_end(socket.get());
    sender.join();
    EXPECT_TRUE(back == sent);
}

TEST_F(ProxyTest, a_replaced_listener_is_served_and_the_old_one_is_not) {
    const Origin origin(echo("hi"));
    start({origin.place()});
    const std::uint16_t old = port_;
    UniqueFd listener = listen_at("127.0.0.1");
    port_ = port_of(listener.get());
    ASSERT_TRUE(proxy_->serve(std::move(listener)).has_value());
    EXPECT_EQ(read_exactly(tunnel(origin.place()).get(), 2), "hi");
    EXPECT_EQ(connect_error("127.0.0.1", old), ECONNREFUSED);
    EXPECT_EQ(proxy_->serve(UniqueFd()).error().code, Code::kInvalidArgument);
}

// Whoever owns a listed name, or the answer to a look-up, leads nowhere else by it.
ATTACK_F(ProxyTest, WD_08, a_private_name_opens_neither_loopback_nor_metadata) {
    const Origin victim(echo("secret"));
    const std::string port = ":" + std::to_string(victim.port());
    const FakeDns dns([](const proxy::DnsQuestion& question, int nth, bool tcp) {
        const bool is_metadata = question.name == "metadata.corp";
        const bool is_public = question.name == "public.test";
        const char* address = is_metadata ? "169.254.169.254"
                              : is_public ? "10.0.0.1"
                                          : "127.0.0.1";
        return always({address})(question, nth, tcp);
    });
    settings_.names.port = dns.port();
    // The attack is real: the name leads there, and whoever lists the address reaches it.
    start({"private:loopback.corp", victim.place()});
    EXPECT_EQ(read_exactly(tunnel("loopback.corp" + port).get(), 6), "secret");
    const int before = victim.connections();

    start({"private:loopback.corp", "private:metadata.corp", "public.test"});
    for (const char* name : {"loopback.corp", "metadata.corp", "public.test"}) {
        EXPECT_TRUE(is_status(ask_connect(name + port), "403")) << name;
    }
    EXPECT_EQ(victim.connections(), before);
    EXPECT_EQ(denied(),
              (std::vector<std::string>{
                  "loopback.corp" + port + " leads to a loopback address that is not listed (1)",
                  "metadata.corp" + port + " leads to a metadata service that is not listed (1)",
                  "public.test" + port + " leads to a private address that is not listed (1)"}));
}

TEST(ProxyEnvironment, names_the_proxy_in_both_spellings) {
    EXPECT_EQ(sandbox::proxy_environment(3128),
              (std::vector<std::string>{
                  "HTTP_PROXY=http://127.0.0.1:3128", "http_proxy=http://127.0.0.1:3128",
                  "HTTPS_PROXY=http://127.0.0.1:3128", "https_proxy=http://127.0.0.1:3128",
                  "ALL_PROXY=socks5h://127.0.0.1:3128", "all_proxy=socks5h://127.0.0.1:3128",
                  "NO_PROXY=localhost,127.0.0.1,::1,paddock",
                  "no_proxy=localhost,127.0.0.1,::1,paddock"}));
}

}  // namespace
}  // namespace paddock::testing
