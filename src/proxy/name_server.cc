#include "proxy/name_server.h"

#include <string>
#include <string_view>

#include <paddock/limits.h>

#include "proxy/name_lookup.h"
#include "sys/io.h"

namespace paddock::proxy {
namespace {

// Programs look these up without need, and do not miss an answer: this machine's own names, names
// of addresses, the root.
bool is_needless(std::string_view name) {
    return name.empty() || name == kInsideHostName || name == "localhost" ||
           name.ends_with(".localhost") || name.ends_with(".arpa");
}

}  // namespace

void NameServer::answer() {
    for (int i = 0; i < kNameQuestionsPerTurn; ++i) {
        char packet[512];
        sys::SocketAddress from;
        const auto size = sys::receive_from(socket_.get(), packet, sizeof packet, from);
        if (!size) {
            if (!sys::would_block(size.error())) socket_.reset();
            return;
        }
        const auto query = read_dns_query({packet, *size});
        if (!query) continue;
        // First, so that it is known when the program goes on.
        log(query->name);
        (void)sys::send_to(socket_.get(), query->refusal, from);
    }
}

void NameServer::log(const std::string& name) {
    constexpr bool kIsLookUp = true;
    if (is_needless(name)) return;
    const auto host = policy::parse_host(name);
    if (!host) {
        log_.add(name, 0, host.error().reason, {}, kIsLookUp);
    } else if (rules_.has(*host)) {
        log_.add(name, 0,
                 "is allowed through the proxy only, but the program ignored HTTPS_PROXY; use "
                 "HTTPS, or --net host",
                 {}, kIsLookUp);
    } else {
        const policy::Destination asked{*host, 0};
        log_.add(name, 0, rules_.refusal(asked).value_or(""), rules_.option_to_allow(asked),
                 kIsLookUp);
    }
}

}  // namespace paddock::proxy
