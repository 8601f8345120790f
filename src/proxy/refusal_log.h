// What the proxy denied, each destination once, bounded; and its form on the wire between the proxy
// and the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"

namespace paddock::proxy {

// Different denials that are remembered until they are asked for, and bytes of a host in them.
inline constexpr std::size_t kProxyDenialsMax = 64;
inline constexpr std::size_t kProxyDenialHostBytesMax = 256;

struct NetworkDenial {
    std::string host;        // as asked for, cut if it is very long, displayable
    std::uint16_t port = 0;  // 0: none was given, or none that could be
    std::string why;         // "is not on the allow list", after the host
    std::uint32_t times = 1;
    std::string option = {};  // "--net npm" would allow it; empty: none would
    bool is_look_up = false;  // of the host alone, not through the proxy

    friend bool operator==(const NetworkDenial&, const NetworkDenial&) = default;
};

struct Denials {
    std::vector<NetworkDenial> list;  // at most kProxyDenialsMax, in the order of the first time
    std::uint64_t more = 0;           // others, for which there was no room
};

class RefusalLog {
public:
    void add(std::string_view host, std::uint16_t port, std::string_view why,
             std::string_view option = {}, bool is_look_up = false);
    Denials take();

private:
    Denials denials_;
};

// Bytes that parse_denials takes back. It trusts nothing: what is not in the form is a failure.
std::string write_denials(const Denials& denials);
Outcome<Denials> parse_denials(std::string_view bytes);

}  // namespace paddock::proxy
