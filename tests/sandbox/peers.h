// Things outside the domain that a confined process may want to reach: a TCP port on the loopback
// and an abstract Unix socket, both of the test itself.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>

#include <paddock/unique_fd.h>

#include "sandbox/child.h"

namespace paddock::testing {

inline sockaddr_in loopback(in_port_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = port;
    return address;
}

inline int bind_error(int socket, const sockaddr_in& address) {
    return error_of(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address));
}

// Listens on a port that the kernel chose; `port` is 0 where there is no loopback.
struct TcpPeer {
    TcpPeer() : listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        if (bind_error(listener.get(), address) == 0 && ::listen(listener.get(), 8) == 0 &&
            ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0) {
            port = address.sin_port;
        }
    }

    int connect_error() const {
        const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_in address = loopback(port);
        return error_of(
            ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
    }

    static int bind_any_error() {
        const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        return bind_error(server.get(), loopback(0));
    }

    UniqueFd listener;
    in_port_t port = 0;
};

// Listens on an abstract name that the kernel chose.
struct AbstractPeer {
    AbstractPeer() : listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        address.sun_family = AF_UNIX;
        size = sizeof address;
        const auto* any = reinterpret_cast<const sockaddr*>(&address);
        EXPECT_EQ(error_of(::bind(listener.get(), any, sizeof(sa_family_t))), 0);
        EXPECT_EQ(
            error_of(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size)),
            0);
        EXPECT_EQ(error_of(::listen(listener.get(), 8)), 0);
    }

    int connect_error() const {
        const UniqueFd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        return error_of(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), size));
    }

    UniqueFd listener;
    sockaddr_un address{};
    socklen_t size = 0;
};

}  // namespace paddock::testing
