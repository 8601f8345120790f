// The network of commands: their own loopback, and the host's only with a permit or a proxy.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "sandbox/peers.h"
#include "sandbox/session.h"

namespace paddock::testing {
namespace {

std::string port_of(const TcpPeer& peer) { return std::to_string(ntohs(peer.port)); }

std::string name_of(const AbstractPeer& peer) {
    return {peer.address.sun_path + 1, peer.size - offsetof(sockaddr_un, sun_path) - 1};
}

class Network : public Session {};

TEST_F(Network, the_hosts_network_is_not_there) {
    const TcpPeer tcp;
    const AbstractPeer abstract;
    ASSERT_EQ(tcp.connect_error(), 0) << "the attack does not work outside either";
    ASSERT_EQ(abstract.connect_error(), 0);
    START(warden, spec());
    EXPECT_EQ(run(warden, inmate() + "connect_to_port " + port_of(tcp)).exit_code, ECONNREFUSED);
    EXPECT_EQ(run(warden, inmate() + "connect_to_abstract " + name_of(abstract)).exit_code,
              ECONNREFUSED);
    EXPECT_EQ(run(warden, "tail -n +3 /proc/net/dev | cut -d: -f1").output, "    lo\n");
}

TEST_F(Network, the_own_loopback_works_across_commands) {
    START(warden, spec());
    EXPECT_EQ(run(warden, inmate() + "use_own_loopback").exit_code, 0);
    EXPECT_NE(warden.report().enforced.end(),
              std::find(warden.report().enforced.begin(), warden.report().enforced.end(),
                        Layer::kNetworkNamespace));
}

TEST_F(Network, a_permit_opens_the_hosts) {
    const TcpPeer tcp;
    const AbstractPeer abstract;
    sandbox::WardenSpec wanted = spec();
    wanted.options.host_network = permit::HostNetwork{"a test"};
    START(warden, wanted);
    EXPECT_EQ(run(warden, inmate() + "connect_to_port " + port_of(tcp)).exit_code, 0);
    EXPECT_EQ(warden.report().permits, std::vector<std::string>{"host_network: a test"});
    if (kernel_abi() >= 6) {
        EXPECT_EQ(run(warden, inmate() + "connect_to_abstract " + name_of(abstract)).exit_code,
                  EPERM);
    }
}

TEST_F(Network, a_proxy_outside_hears_what_is_inside) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.network_allow = {"example.org"};
    START(warden, wanted);
    ASSERT_NE(warden.proxy_port(), 0);
    const UniqueFd listener = warden.take_proxy_listener();
    ASSERT_TRUE(listener.valid());
    EXPECT_FALSE(warden.take_proxy_listener().valid());
    const auto process =
        leave_running(warden, inmate() + "connect_to_port " + std::to_string(warden.proxy_port()));
    const UniqueFd client(::accept(listener.get(), nullptr, nullptr));
    EXPECT_TRUE(client.valid());
    const auto record = sandbox::read_exit(process.status.get());
    ASSERT_TRUE(record.has_value() && record->has_value());
    EXPECT_EQ((*record)->exit_code, 0);
}

TEST_F(Network, without_namespaces_listed_destinations_are_refused) {
    sandbox::WardenSpec wanted = spec(SandboxLevel::kLow);
    if (const std::string why = no_level(wanted); !why.empty()) GTEST_SKIP() << why;
    wanted.options.network_allow = {"example.org"};
    const auto directories = private_directories();
    const auto warden = start(wanted);
    ASSERT_FALSE(warden.has_value());
    EXPECT_EQ(warden.error().code, Code::kSandboxUnavailable);
    EXPECT_NE(warden.error().message().find("need a network namespace"), std::string::npos);
    EXPECT_EQ(private_directories(), directories);
}

TEST_F(Network, without_namespaces_there_are_no_sockets) {
    const TcpPeer tcp;
    const AbstractPeer abstract;
    START(warden, spec(SandboxLevel::kLow));
    EXPECT_EQ(run(warden, inmate() + "connect_to_port " + port_of(tcp)).exit_code, EAFNOSUPPORT);
    EXPECT_EQ(run(warden, inmate() + "connect_to_abstract " + name_of(abstract)).exit_code,
              kernel_abi() < 9 ? EAFNOSUPPORT : EPERM);
}

}  // namespace
}  // namespace paddock::testing
