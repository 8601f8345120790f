// Sockets of the network: close-on-exec, non-blocking. EINTR is retried, SIGPIPE never raised,
// transfers may be short. What cannot be done now is a failure for which would_block holds.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

bool would_block(const Failure& failure) noexcept;

// An address as the kernel takes it.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

Outcome<UniqueFd> socket(int family, int type);

// A socket for datagrams to 127.0.0.1:`port`; 0: a port that the kernel chooses.
Outcome<UniqueFd> datagrams_on_loopback(std::uint16_t port);

// Asked again after "not now", it says how it went, as often as it is asked.
Done connect(int socket, const SocketAddress& address);

Outcome<UniqueFd> accept(int listener);
Outcome<SocketAddress> peer_address(int socket);
Outcome<std::size_t> send(int socket, std::string_view bytes);
Outcome<std::size_t> receive(int socket, char* buffer, std::size_t size);  // 0: the end
// Of a datagram what fits in the buffer. 0: it is empty.
Outcome<std::size_t> receive_from(int socket, char* buffer, std::size_t size, SocketAddress& from);
Done send_to(int socket, std::string_view bytes, const SocketAddress& to);
Done end_sending(int socket);
Done set_nonblocking(int fd);
void send_small_parts_at_once(int socket) noexcept;  // TCP_NODELAY

}  // namespace paddock::sys
