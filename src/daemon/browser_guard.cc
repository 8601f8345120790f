#include "daemon/browser_guard.h"

#include <algorithm>
#include <array>
#include <utility>

namespace paddock::daemon {
namespace {

// ":80", or nothing.
bool is_port(std::string_view text) {
    return text.empty() ||
           (text.front() == ':' && text.find_first_not_of("0123456789", 1) == text.npos);
}

// "host:80" and "[::1]:80" without the port, "::1" as it is in brackets. Empty: it is neither.
std::string_view host_of(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        const bool is_whole = end != text.npos && is_port(text.substr(end + 1));
        return is_whole ? text.substr(1, end - 1) : std::string_view();
    }
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (text.find(':', colon + 1) != text.npos) return text;  // a bare address of IPv6
    return is_port(text.substr(colon)) ? text.substr(0, colon) : std::string_view();
}

bool is_loopback(std::string_view host) {
    constexpr std::array<std::string_view, 3> kNames{"localhost", "127.0.0.1", "::1"};
    return std::any_of(kNames.begin(), kNames.end(),
                       [host](std::string_view name) { return net::equal_but_case(host, name); });
}

}  // namespace

BrowserGuard::BrowserGuard(std::string address, std::vector<std::string> hosts,
                           std::vector<std::string> origins)
    : hosts_(std::move(hosts)), origins_(std::move(origins)) {
    hosts_.push_back(std::move(address));
}

bool BrowserGuard::is_known_host(std::string_view host) const {
    return is_loopback(host) ||
           std::any_of(hosts_.begin(), hosts_.end(), [host](const std::string& known) {
               return net::equal_but_case(host, host_of(known));
           });
}

bool BrowserGuard::allows_host(const net::Head& head) const {
    const std::string* host = head.header("Host");
    return host == nullptr || is_known_host(host_of(*host));
}

bool BrowserGuard::allows_origin(const net::Head& head) const {
    const std::string* origin = head.header("Origin");
    if (origin == nullptr) return true;
    if (std::find(origins_.begin(), origins_.end(), *origin) != origins_.end()) return true;
    const std::size_t scheme = origin->find("://");
    if (scheme == origin->npos) return false;
    const std::string_view name = std::string_view(*origin).substr(0, scheme);
    return (name == "http" || name == "https") &&
           is_loopback(host_of(std::string_view(*origin).substr(scheme + 3)));
}

}  // namespace paddock::daemon
