// The two files of name resolution, as text. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "policy/address_class.h"

namespace paddock::sandbox {

// The addresses that a hosts(5) file gives a name, at most kNameAddressesMax. Upper and lower case
// are the same.
std::vector<policy::IpAddress> addresses_in_hosts(std::string_view file, std::string_view name);

// The name servers of a resolv.conf(5) file, at most kNameServersMax; the loopback if it has none.
// Those with a zone ("fe80::1%eth0") and all options are passed over.
std::vector<policy::IpAddress> name_servers(std::string_view file);

}  // namespace paddock::sandbox
