#include "sys/stream.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <utility>

#include "sys/call.h"

namespace paddock::sys {

bool would_block(const Failure& failure) noexcept {
    return failure.os_error == EAGAIN || failure.os_error == EINPROGRESS ||
           failure.os_error == EALREADY;
}

Outcome<UniqueFd> socket(int family, int type) {
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kSocket, [&] {
                       return ::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
                   }));
    return UniqueFd(static_cast<int>(fd));
}

Outcome<UniqueFd> datagrams_on_loopback(std::uint16_t port) {
    PADDOCK_ASSIGN(made, socket(AF_INET, SOCK_DGRAM));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    PADDOCK_TRY(call(Call::kSocket, [&] {
        return ::bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    }));
    return UniqueFd(std::move(made));
}

Done connect(int socket, const SocketAddress& address) {
    auto done = call(Call::kConnect, [&] {
        return ::connect(socket, reinterpret_cast<const sockaddr*>(&address.storage), address.size);
    });
    if (!done && done.error().os_error == EISCONN) return {};
    return done;
}

Outcome<UniqueFd> accept(int listener) {
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kAccept, [&] {
                       return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
                   }));
    return UniqueFd(static_cast<int>(fd));
}

Outcome<SocketAddress> peer_address(int socket) {
    SocketAddress peer;
    peer.size = sizeof peer.storage;
    PADDOCK_TRY(call(Call::kSocket, [&] {
        return ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer.storage), &peer.size);
    }));
    return peer;
}

Outcome<std::size_t> send(int socket, std::string_view bytes) {
    PADDOCK_ASSIGN(sent, ask_kernel(Call::kSend, [&] {
                       return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
                   }));
    return static_cast<std::size_t>(sent);
}

Outcome<std::size_t> receive(int socket, char* buffer, std::size_t size) {
    PADDOCK_ASSIGN(received,
                   ask_kernel(Call::kReceive, [&] { return ::recv(socket, buffer, size, 0); }));
    return static_cast<std::size_t>(received);
}

Outcome<std::size_t> receive_from(int socket, char* buffer, std::size_t size, SocketAddress& from) {
    auto* const address = reinterpret_cast<sockaddr*>(&from.storage);
    from.size = sizeof from.storage;
    PADDOCK_ASSIGN(received, ask_kernel(Call::kReceive, [&] {
                       return ::recvfrom(socket, buffer, size, 0, address, &from.size);
                   }));
    return static_cast<std::size_t>(received);
}

Done send_to(int socket, std::string_view bytes, const SocketAddress& to) {
    const auto* const address = reinterpret_cast<const sockaddr*>(&to.storage);
    return call(Call::kSend, [&] {
        return ::sendto(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL, address, to.size);
    });
}

Done end_sending(int socket) {
    if (::shutdown(socket, SHUT_WR) != 0) return Failure::from_errno(errno);
    return {};
}

Done set_nonblocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

void send_small_parts_at_once(int socket) noexcept {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace paddock::sys
