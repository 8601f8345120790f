// Clients that want to harm the proxy or to get past it. Each test ends with a good client that is
// served as if nothing had happened.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>

#include "sandbox/proxy_fixture.h"
#include "sys/fault.h"

namespace paddock::testing {
namespace {

using namespace std::chrono_literals;

class ProxyHostile : public ProxyTest {
protected:
    void start_and_list_origin() { start({origin_.place()}); }

    void expect_still_served() {
        EXPECT_EQ(read_exactly(tunnel(origin_.place()).get(), 4), "good");
    }

    Origin origin_{echo("good")};
};

TEST_F(ProxyHostile, a_client_that_says_nothing_is_cut_off) {
    settings_.times.request = 50ms;
    start_and_list_origin();
    const UniqueFd silent = client();
    EXPECT_EQ(read_to_end(silent.get()), "");
    settings_.times.request = 1h;
    start_and_list_origin();
    expect_still_served();
}

// One byte now and then does not help: the time is for the whole request.
TEST_F(ProxyHostile, a_client_that_dribbles_is_cut_off) {
    settings_.times.request = 200ms;
    start_and_list_origin();
    const UniqueFd slow = client();
    const std::string request = "GET http://" + origin_.place() + "/";
    int sent = 0;
    while (::send(slow.get(), &request[static_cast<std::size_t>(sent) % request.size()], 1,
                  MSG_NOSIGNAL) == 1) {
        ++sent;
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_GT(sent, 1);
    EXPECT_EQ(origin_.connections(), 0);
}

TEST_F(ProxyHostile, others_do_not_wait_for_a_slow_client) {
    settings_.times.request = 1h;
    start_and_list_origin();
    std::vector<UniqueFd> slow;
    for (int i = 0; i < 50; ++i) {
        slow.push_back(client());
        send_all(slow.back().get(), "CONNECT ");
    }
    expect_still_served();
}

TEST_F(ProxyHostile, others_do_not_wait_for_a_name_server) {
    const FakeDns silent([](const proxy::DnsQuestion&, int, bool) { return std::string(); });
    settings_.names.port = silent.port();
    settings_.times.dial = 1h;
    start({origin_.place(), "silent.test"});
    std::vector<UniqueFd> waiting;
    for (int i = 0; i < 20; ++i) {
        waiting.push_back(client());
        send_all(waiting.back().get(), "CONNECT silent.test:443 HTTP/1.1\r\n\r\n");
    }
    while (silent.questions() < 40) std::this_thread::yield();
    expect_still_served();
}

TEST_F(ProxyHostile, a_connection_that_carries_nothing_is_ended) {
    settings_.times.idle = 50ms;
    start_and_list_origin();
    const UniqueFd idle = tunnel(origin_.place());
    EXPECT_EQ(read_to_end(idle.get()), "good");
}

TEST_F(ProxyHostile, a_client_that_does_not_read_is_ended) {
    std::atomic<bool> ended = false;
    const Origin flood([&](int socket) {
        const std::string block(65536, 'x');
        while (::send(socket, block.data(), block.size(), MSG_NOSIGNAL) > 0) {
        }
        ended = true;
    });
    settings_.times.idle = 300ms;
    start({flood.place()});
    const UniqueFd stuck = tunnel(flood.place());
    while (!ended) std::this_thread::yield();
}

TEST_F(ProxyHostile, an_endless_head_is_refused_early) {
    settings_.times.linger = 1h;
    start_and_list_origin();
    const UniqueFd socket = client();
    send_all(socket.get(), "GET http://" + origin_.place() + "/ HTTP/1.1\r\nA: ");
    const std::string block(1'000'000, 'x');
    std::size_t sent = 0;
    while (sent < 100'000'000) {
        const ssize_t count = ::send(socket.get(), block.data(), block.size(), MSG_NOSIGNAL);
        if (count < 0) break;
        sent += static_cast<std::size_t>(count);
    }
    EXPECT_LT(sent, 100'000'000U);
    expect_still_served();
    EXPECT_EQ(origin_.connections(), 1);
}

TEST_F(ProxyHostile, a_long_head_is_refused_in_words) {
    start_and_list_origin();
    const std::string reply = ask("GET http://" + origin_.place() + "/ HTTP/1.1\r\nA: " +
                                  std::string(limits::kProxyHeadBytesMax, 'x'));
    EXPECT_TRUE(is_status(reply, "431")) << reply;
}

TEST_F(ProxyHostile, a_refusal_is_seen_behind_a_body_that_is_not_read) {
    start({});
    const std::string reply = ask("POST http://a.test/ HTTP/1.1\r\nContent-Length: 500000\r\n\r\n" +
                                  std::string(500'000, 'x'));
    EXPECT_TRUE(is_status(reply, "403"));
}

TEST_F(ProxyHostile, a_name_with_strange_bytes_is_refused_and_reported) {
    hosts("127.0.0.1 allowed.test\n");
    const std::string port = std::to_string(origin_.port());
    start({"allowed.test", "127.0.0.1:" + port});
    EXPECT_EQ(
        socks_code(ask_socks_name(std::string("allowed.test\0.evil.test", 23), origin_.port())), 1);
    EXPECT_EQ(socks_code(ask_socks_name("evil.test\n.allowed.test", origin_.port())), 1);
    EXPECT_EQ(socks_code(ask_socks_name("fe80::1%lo", origin_.port())), 1);
    EXPECT_TRUE(is_status(ask_connect("[::1%lo]:" + port), "400"));
    EXPECT_TRUE(is_status(ask_connect("2130706433:" + port), "400"));
    EXPECT_TRUE(is_status(ask_connect("0x7f.1:" + port), "400"));
    EXPECT_TRUE(is_status(ask_connect("127.0.0.1:0"), "400"));
    EXPECT_TRUE(is_status(ask_connect("127.0.0.1:65536"), "400"));
    EXPECT_TRUE(is_status(ask_connect("allowed.test@127.0.0.1:" + port), "400"));
    EXPECT_EQ(origin_.connections(), 0);
    const auto lines = denied();
    EXPECT_EQ(lines.size(), 9U);
    EXPECT_EQ(
        lines.at(0),
        "allowed.test\\x00.evil.test:0 the host has a byte that is not allowed in host names (1)");
    // The same place by its right name.
    EXPECT_EQ(read_exactly(tunnel("Allowed.TEST.:" + port).get(), 4), "good");
}

TEST_F(ProxyHostile, noise_is_no_reason_to_fall_over) {
    start_and_list_origin();
    std::uint32_t state = 1;
    for (int i = 0; i < 200; ++i) {
        std::string noise = i % 3 == 0 ? "\x05" : i % 3 == 1 ? "CONNECT " : "";
        for (int j = 0; j < 100; ++j) {
            state = state * 1664525 + 1013904223;
            noise += static_cast<char>(state >> 24);
        }
        const UniqueFd socket = client();
        send_all(socket.get(), noise);
        ::shutdown(socket.get(), SHUT_WR);
        read_to_end(socket.get());
    }
    expect_still_served();
}

TEST_F(ProxyHostile, malformed_chunks_end_the_connection) {
    start_and_list_origin();
    EXPECT_EQ(ask("POST http://" + origin_.place() +
                  "/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n")
                  .substr(0, 12),
              "HTTP/1.1 400");
    expect_still_served();
}

// More than are served at once wait; those that do nothing with their turn lose it.
TEST_F(ProxyHostile, thousands_of_connections_are_met_one_after_the_other) {
    rlimit descriptors{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &descriptors), 0);
    const rlimit usual = descriptors;
    descriptors.rlim_cur = std::min<rlim_t>(descriptors.rlim_max, 8192);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &descriptors), 0);
    settings_.times.request = 100ms;
    start_and_list_origin();
    const std::size_t many = std::min<std::size_t>(3000, descriptors.rlim_cur - 100);
    std::vector<UniqueFd> crowd;
    for (std::size_t i = 0; i < many; ++i) crowd.push_back(client());
    const UniqueFd last = client();
    send_all(last.get(), "CONNECT " + origin_.place() + " HTTP/1.1\r\n\r\n");
    EXPECT_EQ(read_until(last.get(), "good").substr(0, 12), "HTTP/1.1 200");
    for (const UniqueFd& one : crowd) EXPECT_EQ(read_to_end(one.get()), "");
    crowd.clear();
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    expect_still_served();
}

// The hook is inherited by the proxy.
std::atomic<int> failures = 0;

TEST_F(ProxyHostile, being_out_of_descriptors_is_waited_for) {
    failures = 3;
    sys::fault_hook.store([](sys::Call call) noexcept {
        const bool fails = call == sys::Call::kAccept && failures-- > 0;
        return sys::Fault{fails ? EMFILE : 0, 0};
    });
    start_and_list_origin();
    sys::fault_hook.store(nullptr);
    expect_still_served();
}

TEST_F(ProxyHostile, interruptions_are_not_seen) {
    sys::fault_hook.store([](sys::Call) noexcept {
        return sys::Fault{failures++ % 2 == 0 ? EINTR : 0, 0};
    });
    start_and_list_origin();
    sys::fault_hook.store(nullptr);
    expect_still_served();
}

}  // namespace
}  // namespace paddock::testing
