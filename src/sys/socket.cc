#include "sys/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <string>

#include "sys/call.h"
#include "sys/signal.h"

namespace paddock::sys {
namespace {

constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(int) * kDescriptorsPerMessage);

Outcome<UniqueFd> new_socket(int family, int type) {
    PADDOCK_ASSIGN(
        fd, ask_kernel(Call::kSocket, [&] { return ::socket(family, type | SOCK_CLOEXEC, 0); }));
    return UniqueFd(static_cast<int>(fd));
}

// Takes the descriptors of a message, all of them, so that none stays open by accident; says
// whether they fitted.
bool take_descriptors(msghdr& message, std::span<UniqueFd> out, std::size_t& taken) {
    bool fitted = true;
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            UniqueFd owned(fd);
            if (taken < out.size()) {
                out[taken++] = std::move(owned);
            } else {
                fitted = false;
            }
        }
    }
    return fitted;
}

}  // namespace

Outcome<SocketPair> message_pair(std::size_t bytes) {
    int ends[2];
    PADDOCK_TRY(call(Call::kSocket, [&] {
        return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
    }));
    SocketPair pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
    const int size = static_cast<int>(bytes);
    for (const int end : ends) {
        PADDOCK_TRY(call(Call::kSocket, [&] {
            return ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
        }));
    }
    return pair;
}

namespace {

Done send_with(int socket, std::string_view bytes, std::span<const int> descriptors, int flags) {
    if (descriptors.size() > kDescriptorsPerMessage) return Failure::from_errno(EMSGSIZE);
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<char, kControlBytes> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    return call(Call::kSocket, [&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL | flags); });
}

}  // namespace

Done send_message(int socket, std::string_view bytes, std::span<const int> descriptors) {
    return send_with(socket, bytes, descriptors, 0);
}

Done send_message_now(int socket, std::string_view bytes, std::span<const int> descriptors) {
    return send_with(socket, bytes, descriptors, MSG_DONTWAIT);
}

Outcome<Received> receive_message(int socket, std::span<char> buffer,
                                  std::span<UniqueFd> descriptors) {
    iovec part{buffer.data(), buffer.size()};
    alignas(cmsghdr) std::array<char, kControlBytes> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    PADDOCK_ASSIGN(size, ask_kernel(Call::kSocket,
                                    [&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC); }));
    Received received{static_cast<std::size_t>(size), 0};
    const bool fitted = take_descriptors(message, descriptors, received.descriptors);
    if (!fitted || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        for (UniqueFd& taken : descriptors.first(received.descriptors)) taken.reset();
        return Failure::from_errno(EMSGSIZE);
    }
    return received;
}

Outcome<int> wait_ready(std::span<pollfd> polled, int timeout_ms) {
    PADDOCK_ASSIGN(ready, ask_kernel(Call::kSocket, [&] {
                       return ::poll(polled.data(), polled.size(), timeout_ms);
                   }));
    return static_cast<int>(ready);
}

Done start_loopback() {
    PADDOCK_ASSIGN(socket, new_socket(AF_INET, SOCK_DGRAM));
    ifreq interface {};
    std::memcpy(interface.ifr_name, "lo", sizeof "lo");
    interface.ifr_flags = IFF_UP | IFF_RUNNING;
    return call(Call::kSocket, [&] { return ::ioctl(socket.get(), SIOCSIFFLAGS, &interface); });
}

Outcome<Listener> listen_on_loopback(std::uint16_t port) {
    PADDOCK_ASSIGN(socket, new_socket(AF_INET, SOCK_STREAM));
    // Connections of an earlier listener that are ending do not matter.
    const int on = 1;
    PADDOCK_TRY(call(Call::kSocket, [&] {
        return ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    PADDOCK_TRY(call(Call::kSocket, [&] { return ::bind(socket.get(), any, size); }));
    PADDOCK_TRY(call(Call::kSocket, [&] { return ::listen(socket.get(), SOMAXCONN); }));
    PADDOCK_TRY(call(Call::kSocket, [&] { return ::getsockname(socket.get(), any, &size); }));
    return Listener{std::move(socket), ntohs(address.sin_port)};
}

Outcome<UniqueFd> borrow_descriptor(int process, int descriptor) {
    constexpr long kNrPidfdGetfd = 438;
    PADDOCK_ASSIGN(held, hold_process(process));
    const long copy = ::syscall(kNrPidfdGetfd, held.get(), descriptor, 0);
    if (copy < 0) return Failure::from_errno(errno);
    return UniqueFd(static_cast<int>(copy));
}

Done bind_in(int socket, int directory, const char* name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t size = std::strlen(name);
    if (size > sizeof address.sun_path) return Failure::from_errno(ENAMETOOLONG);
    std::memcpy(address.sun_path, name, size);
    if (::fchdir(directory) != 0) return Failure::from_errno(errno);
    // A name that fills it is not ended.
    const std::size_t length = std::min(offsetof(sockaddr_un, sun_path) + size + 1, sizeof address);
    const int bound =
        ::bind(socket, reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(length));
    const int error = errno;
    if (::chdir("/") != 0) return Failure::from_errno(errno);
    if (bound != 0) return Failure::from_errno(error);
    return {};
}

}  // namespace paddock::sys
