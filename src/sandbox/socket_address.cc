#include "sandbox/socket_address.h"

#include <netinet/in.h>

#include <cstring>

namespace paddock::sandbox {

sys::SocketAddress socket_address(const policy::IpAddress& address, std::uint16_t port) {
    sys::SocketAddress result;
    if (address.v6) {
        sockaddr_in6 form{};
        form.sin6_family = AF_INET6;
        form.sin6_port = htons(port);
        std::memcpy(&form.sin6_addr, address.bytes.data(), sizeof form.sin6_addr);
        std::memcpy(&result.storage, &form, sizeof form);
        result.size = sizeof form;
    } else {
        sockaddr_in form{};
        form.sin_family = AF_INET;
        form.sin_port = htons(port);
        std::memcpy(&form.sin_addr, address.bytes.data(), sizeof form.sin_addr);
        std::memcpy(&result.storage, &form, sizeof form);
        result.size = sizeof form;
    }
    return result;
}

bool same_address(const sys::SocketAddress& one, const sys::SocketAddress& other) {
    return one.size == other.size && std::memcmp(&one.storage, &other.storage, one.size) == 0;
}

}  // namespace paddock::sandbox
