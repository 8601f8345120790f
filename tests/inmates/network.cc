#include <arpa/inet.h>
#include <linux/netlink.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "inmates/attempt.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

constexpr int kMultipathTcp = 262;

sockaddr_in host_address(const Ground& ground, const char* port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(ground.number(port)));
    return address;
}

// The services of the scene send the secret to whoever connects.
Verdict expect_secret(const Ground& ground, int socket) {
    char text[64] = {};
    return succeeded_if(::recv(socket, text, sizeof text - 1, 0) > 0 &&
                        std::string(text).find(ground["secret"]) != std::string::npos);
}

Verdict connect_tcp(const Ground& ground, int protocol) {
    if (protocol == kMultipathTcp && !ground.has("mptcp")) {
        return cannot_try("no Multipath TCP in this kernel");
    }
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);
    const sockaddr_in address = host_address(ground, "tcp_port");
    if (::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return Verdict::kBlocked;
    }
    return expect_secret(ground, client);
}

Verdict connect_by_fast_open(const Ground& ground) {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = host_address(ground, "tcp_port");
    if (::sendto(client, "x", 1, MSG_FASTOPEN, reinterpret_cast<const sockaddr*>(&address),
                 sizeof address) != 1) {
        return Verdict::kBlocked;
    }
    return expect_secret(ground, client);
}

Verdict send_datagram(const Ground& ground) {
    const int client = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = host_address(ground, "udp_port");
    const std::string& text = ground["secret"];
    ::sendto(client, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&address),
             sizeof address);
    const timeval second{1, 0};
    ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    return expect_secret(ground, client);
}

Verdict connect_local(const Ground& ground, const std::string& name, bool abstract) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t lead = abstract ? 1 : 0;
    std::memcpy(address.sun_path + lead, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + lead + name.size());
    const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(client, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
        return Verdict::kBlocked;
    }
    return expect_secret(ground, client);
}

Verdict open_socket(const Ground& ground, const char* feature, int family, int type, int protocol) {
    if (!ground.has(feature)) return cannot_try("this kernel has no such sockets");
    return succeeded_if(::socket(family, type | SOCK_CLOEXEC, protocol) >= 0);
}

Verdict call_by_int80(const Ground&) {
#if defined(__x86_64__)
    constexpr long kSocket = 359;
    long answer = kSocket;
    const long family = AF_UNIX;
    const long type = SOCK_STREAM;
    __asm__ volatile("int $0x80"
                     : "+a"(answer)
                     : "b"(family), "c"(type), "d"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    return succeeded_if(answer >= 0);
#else
    return cannot_try("this machine has no 32-bit entry of that kind");
#endif
}

Verdict read_shared_memory(const Ground& ground) {
    void* memory = ::shmat(ground.number("shm"), nullptr, SHM_RDONLY);
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    if (memory == reinterpret_cast<void*>(-1)) return Verdict::kBlocked;
    return succeeded_if(std::string(static_cast<const char*>(memory)).find(ground["secret"]) !=
                        std::string::npos);
}

Verdict open_queue(const Ground& ground) {
    if (!ground.has("queue")) return cannot_try("no POSIX message queues in this kernel");
    return succeeded_if(::mq_open(ground["queue"].c_str(), O_RDWR | O_CLOEXEC) >= 0);
}

constexpr Attempt kAttempts[] = {
    {"tcp", "connect to a TCP service on the host's loopback",
     [](const Ground& g) { return connect_tcp(g, 0); }},
    {"tcp-fast-open", "the same by MSG_FASTOPEN", connect_by_fast_open},
    {"tcp-multipath", "the same by Multipath TCP",
     [](const Ground& g) { return connect_tcp(g, kMultipathTcp); }},
    {"udp", "exchange datagrams with a service on the host's loopback", send_datagram},
    {"abstract-socket", "connect to an abstract Unix socket of the host",
     [](const Ground& g) { return connect_local(g, g["abstract"], true); }},
    {"socket-outside", "connect to a Unix socket outside the workspace",
     [](const Ground& g) { return connect_local(g, g.path("outside", "s"), false); }},
    {"socket-inside", "connect to a service of the host by a Unix socket in the workspace",
     [](const Ground& g) { return connect_local(g, g.path("ws", "s"), false); }},
    {"netlink", "open a netlink socket that lists the host's sockets",
     [](const Ground& g) {
         return open_socket(g, "netlink", AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
     }},
    {"vsock", "open a socket to the hypervisor",
     [](const Ground& g) { return open_socket(g, "vsock", AF_VSOCK, SOCK_STREAM, 0); }},
    {"packet", "open a packet socket",
     [](const Ground& g) { return open_socket(g, "packet", AF_PACKET, SOCK_RAW, 0); }, nullptr,
     Needs::kRoot},
    {"int80", "open a socket by the 32-bit system call", call_by_int80},
    {"shared-memory", "read System V shared memory of the host", read_shared_memory},
    {"message-queue", "open a POSIX message queue of the host", open_queue},
};

}  // namespace

std::span<const Attempt> network() { return kAttempts; }

}  // namespace inmates
