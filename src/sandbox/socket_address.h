// An IP address and a port as the kernel takes them.
#pragma once

#include <cstdint>

#include "policy/address_class.h"
#include "sys/stream.h"

namespace paddock::sandbox {

sys::SocketAddress socket_address(const policy::IpAddress& address, std::uint16_t port);

bool same_address(const sys::SocketAddress& one, const sys::SocketAddress& other);

}  // namespace paddock::sandbox
