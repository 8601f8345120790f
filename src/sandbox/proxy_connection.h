// One client of the proxy: what it asks for is read, judged, looked up, judged again, dialled, and
// then its bytes are relayed. Every step is bounded in time and bytes and never blocks.
#pragma once

#include <poll.h>

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "policy/host_rules.h"
#include "sandbox/dialer.h"
#include "sandbox/name_lookup.h"
#include "sandbox/proxy_request.h"
#include "sandbox/refusal_log.h"
#include "sandbox/relay.h"

namespace paddock::sandbox {

struct ProxyTimes {
    std::chrono::milliseconds request = limits::kProxyRequestTime;
    std::chrono::milliseconds dial = limits::kProxyDialTime;
    std::chrono::milliseconds dial_one = limits::kProxyDialOneTime;
    std::chrono::milliseconds idle = limits::kProxyIdleTime;
    std::chrono::milliseconds linger = limits::kProxyLingerTime;
};

struct ProxySettings {
    policy::HostRules rules;
    ProxyTimes times = {};
    NameSources names = {};
};

class ProxyConnection {
public:
    // Both must outlive it.
    ProxyConnection(UniqueFd client, const ProxySettings& settings, RefusalLog& denials, Time now);

    // Does what can be done now; false: it is over.
    bool proceed(Time now);

    // What to wait for, at most until `deadline`, before the next proceed.
    void add_waits(std::vector<pollfd>& waits) const;
    Time deadline() const;

private:
    // The stages. Each ends at deadline_ at the latest.
    struct Asking {
        std::string bytes;  // not yet understood
        ProxyRequestReader reader;
    };
    struct Parting {
        std::string reply;  // what is left of it
        bool told = false;
        std::size_t discarded = 0;
    };
    using Stage = std::variant<Asking, NameLookup, Dialer, Relay, Parting>;

    enum class Next : std::uint8_t { kWait, kGoOn, kOver };  // kGoOn: the stage is another one
    Next proceed(Asking& asking, Time now);
    Next proceed(NameLookup& lookup, Time now);
    Next proceed(Dialer& dialer, Time now);
    Next proceed(Relay& relay, Time now);
    Next proceed(Parting& parting, Time now);

    Next begin(Time now);  // request_ is known
    Next dial(const std::vector<policy::IpAddress>& addresses, Time now);
    Next relay(UniqueFd origin, Time now);
    // `refused`: the name is allowed, and led there.
    Next deny(std::string_view why, Time now, const std::optional<policy::IpAddress>& refused = {});
    Next answer(ProxyAnswer answer, std::string_view why, Time now);
    Next part(std::string reply, Time now);

    UniqueFd client_;
    const ProxySettings& settings_;
    RefusalLog& denials_;
    ProxyRequest request_;
    std::string ahead_;  // what the client sent behind its request
    Stage stage_;
    Time deadline_;
};

}  // namespace paddock::sandbox
