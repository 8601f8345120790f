#include "policy/destination.h"

#include <paddock/limits.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "text/fold.h"

namespace paddock::policy {
namespace {

Failure wrong(std::string_view why) { return refuse(Code::kInvalidArgument, why); }

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

bool is_name_byte(char c) { return is_digit(c) || is_lower(c) || c == '-' || c == '_' || c == '.'; }

// Would inet_aton take a name that ends so for a number?
bool is_number(std::string_view label) {
    if (label.starts_with("0x")) {
        label.remove_prefix(2);
        return std::all_of(label.begin(), label.end(), is_hex_digit);
    }
    return std::all_of(label.begin(), label.end(), is_digit);
}

Done check_labels(std::string_view name) {
    for (;;) {
        const std::string_view label = name.substr(0, name.find('.'));
        if (label.empty() || label.size() > limits::kHostLabelBytesMax) {
            return wrong("a part of the host name is empty or longer than 63 bytes");
        }
        if (label.starts_with('-') || label.ends_with('-')) {
            return wrong("a part of the host name begins or ends with a hyphen");
        }
        if (label.size() == name.size()) return {};
        name.remove_prefix(label.size() + 1);
    }
}

Outcome<Host> parse_bracketed(std::string_view text) {
    if (text.size() > 2 && text.ends_with(']')) {
        const auto address = parse_address(text.substr(1, text.size() - 2));
        if (address && address->v6) return Host{address_text(*address), address};
    }
    return wrong("what is in brackets is no IPv6 address; zones are not taken");
}

}  // namespace

Outcome<Host> parse_host(std::string_view text) {
    if (text.starts_with('[')) return parse_bracketed(text);
    if (text.ends_with('.')) text.remove_suffix(1);
    if (text.empty()) return wrong("the host is empty");
    if (text.size() > limits::kHostNameBytesMax) {
        return wrong("the host name is longer than 253 bytes");
    }
    std::string name = text::fold_case(text);
    if (!std::all_of(name.begin(), name.end(), is_name_byte)) {
        return wrong("the host has a byte that host names do not have");
    }
    PADDOCK_TRY(check_labels(name));
    if (is_number(std::string_view(name).substr(name.rfind('.') + 1))) {
        const auto address = parse_address(name);
        if (!address) return wrong("an IPv4 address is written as four decimal numbers");
        return Host{std::move(name), address};
    }
    return Host{std::move(name)};
}

Outcome<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc{} || stopped != end || port == 0 || text.front() == '0') {
        return wrong("the port is no number from 1 to 65535");
    }
    return port;
}

Outcome<Destination> parse_destination(std::string_view text, std::optional<std::uint16_t> usual) {
    if (text.find('@') != text.npos) return wrong("user names and passwords are not taken");
    // Of an address in brackets, behind them.
    const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
    const std::size_t colon = text.find(':', std::min(bracket, text.size()));
    PADDOCK_ASSIGN(host, parse_host(text.substr(0, colon)));
    if (colon != text.npos) {
        PADDOCK_ASSIGN(port, parse_port(text.substr(colon + 1)));
        return Destination{std::move(host), port};
    }
    if (!usual) return wrong("the port is missing");
    return Destination{std::move(host), *usual};
}

std::string destination_text(const Destination& destination) {
    const Host& host = destination.host;
    const bool brackets = host.address && host.address->v6;
    return (brackets ? "[" + host.text + "]" : host.text) + ":" + std::to_string(destination.port);
}

}  // namespace paddock::policy
