// The channel by which sockets come out of a session's network namespace. The warden first sends
// the namespace's tables of TCP sockets (one or two descriptors), and then, for each message of one
// byte that it gets, a TCP socket that is not connected, or no descriptor if there can be none.
#pragma once

#include <string_view>

#include "policy/address_class.h"

namespace paddock::sandbox {

inline constexpr char kDoorOfV4 = '4';
inline constexpr char kDoorOfV6 = '6';

inline std::string_view door_of(const policy::IpAddress& address) {
    return address.v6 ? std::string_view(&kDoorOfV6, 1) : std::string_view(&kDoorOfV4, 1);
}

}  // namespace paddock::sandbox
