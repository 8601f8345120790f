// The host and the port that somebody names, checked byte by byte before anything is made of them.
//
// One name has one form from here on: lower case, no final dot. Punycode stays as it is; other
// bytes than letters, digits, "-", "_" and "." are refused, and so is whatever an old C library
// would take for an IPv4 address ("127.1", "0x7f000001", "0177.0.0.1", "2130706433").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/outcome.h"
#include "policy/address_class.h"

namespace paddock::policy {

struct Host {
    std::string text;                       // the name, or the address without brackets
    std::optional<IpAddress> address = {};  // it is no name
};

struct Destination {
    Host host;
    std::uint16_t port = 0;
};

// A name, an IPv4 address, or an IPv6 address in brackets. Errors: invalid_argument with the
// reason.
Outcome<Host> parse_host(std::string_view text);

// 1 to 65535, decimal digits only, no leading zero.
Outcome<std::uint16_t> parse_port(std::string_view text);

// "host:port"; without a port `usual` is taken, and without that one it is an error.
Outcome<Destination> parse_destination(std::string_view text,
                                       std::optional<std::uint16_t> usual = {});

// "[::1]:80"
std::string destination_text(const Destination& destination);

}  // namespace paddock::policy
