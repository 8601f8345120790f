// The proxy as a session uses it: its listening socket lies in a network namespace that has nothing
// but its own loopback, and was passed out of it.
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "sandbox/proxy_fixture.h"
#include "sys/socket.h"

namespace paddock::testing {
namespace {

// In a new network namespace, whose loopback is up; errno if there can be none.
int enter_network_namespace(int extra) {
    if (::unshare(CLONE_NEWNET | extra) != 0) return errno;
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    return ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0 ? 0 : errno;
}

class ProxyNamespace : public ProxyTest, public ::testing::WithParamInterface<int> {};

TEST_P(ProxyNamespace, is_the_only_way_out) {
    const Origin listed(echo("listed "));
    const Origin other(echo("other "));
    auto ends = sys::message_pair(4096);
    ASSERT_TRUE(ends.has_value());
    std::fflush(nullptr);
    const pid_t session = ::fork();
    if (session == 0) {
        ends->first.reset();
        const int error = enter_network_namespace(GetParam());
        if (error != 0) {
            (void)sys::send_message(ends->second.get(), std::strerror(error), {});
            ::_exit(0);
        }
        UniqueFd listener = listen_at("127.0.0.1");
        port_ = port_of(listener.get());
        const int passed = listener.get();
        (void)sys::send_message(ends->second.get(), "listening", {&passed, 1});
        listener.reset();
        char go = 0;
        (void)sys::receive_message(ends->second.get(), {&go, 1}, {});

        // Outside these are reached directly; the loopback in here is another one.
        EXPECT_EQ(connect_error("127.0.0.1", listed.port()), ECONNREFUSED);
        EXPECT_EQ(connect_error("127.0.0.1", other.port()), ECONNREFUSED);
        EXPECT_EQ(connect_error("192.0.2.1", 80), ENETUNREACH);
        EXPECT_EQ(read_exactly(tunnel(listed.place()).get(), 7), "listed ");
        EXPECT_TRUE(is_status(ask_connect(other.place()), "403"));
        // What a command serves itself is its own business.
        const Origin own(echo("own "));
        EXPECT_EQ(read_exactly(connect_to("127.0.0.1", own.port()).get(), 4), "own ");
        EXPECT_TRUE(is_status(ask_connect(own.place()), "403"));
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    ends->second.reset();
    char bytes[128];
    UniqueFd listener;
    const auto message = sys::receive_message(ends->first.get(), bytes, {&listener, 1});
    ASSERT_TRUE(message.has_value());
    const std::string said(bytes, message->bytes);
    if (said != "listening") {
        ASSERT_EQ(::waitpid(session, nullptr, 0), session);
        GTEST_SKIP() << "no network namespace here: " << said;
    }
    EXPECT_EQ(connect_error("127.0.0.1", listed.port()), 0);
    start({listed.place()});
    ASSERT_TRUE(proxy_->serve(std::move(listener)).has_value());
    ASSERT_TRUE(sys::send_message(ends->first.get(), "g", {}).has_value());
    int status = 0;
    ASSERT_EQ(::waitpid(session, &status, 0), session);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(denied().size(), 2U);
    EXPECT_EQ(other.connections(), 0);
}

INSTANTIATE_TEST_SUITE_P(AsItIs, ProxyNamespace, ::testing::Values(0));
INSTANTIATE_TEST_SUITE_P(InAUserNamespace, ProxyNamespace, ::testing::Values(CLONE_NEWUSER));

}  // namespace
}  // namespace paddock::testing
