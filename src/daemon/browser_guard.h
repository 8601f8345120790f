// Keeps web pages out. A page in the browser of whoever runs the server can reach the loopback, and
// by DNS rebinding even as if it were of the same origin; but it cannot choose its Origin, nor the
// Host under which it believes to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/message.h"

namespace paddock::daemon {

class BrowserGuard {
public:
    // `address` is the one that the server is bound to. Names of the loopback are always allowed;
    // hosts are compared without a port, origins as a whole.
    BrowserGuard(std::string address, std::vector<std::string> hosts,
                 std::vector<std::string> origins);

    bool allows_host(const net::Head& head) const;    // also true if there is none, in HTTP/1.0
    bool allows_origin(const net::Head& head) const;  // also true if there is none

private:
    bool is_known_host(std::string_view host) const;

    std::vector<std::string> hosts_;
    std::vector<std::string> origins_;
};

}  // namespace paddock::daemon
