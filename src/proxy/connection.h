// One client of the proxy: what it asks for is read, judged, looked up, judged again, dialled, and
// then its bytes are relayed. Every step is bounded in time and bytes and never blocks.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "policy/host_rules.h"
#include "proxy/name_lookup.h"
#include "proxy/refusal_log.h"
#include "proxy/request.h"

namespace paddock::proxy {

// What the proxy holds of a connection, each way.
inline constexpr std::size_t kProxyBufferBytes = std::size_t{32} << 10;

// After a refusal the proxy still reads that long and that much, so that the client gets to see it.
inline constexpr std::chrono::seconds kProxyLingerTime{2};
inline constexpr std::size_t kProxyLingerBytesMax = std::size_t{1} << 20;

// A TCP connection to the first of several addresses that answers, tried one after the other.
// Never blocks.

class Dialer {
public:
    using Time = std::chrono::steady_clock::time_point;

    // At least one address, each of them checked; `patience` is for one of them.
    Dialer(std::vector<policy::IpAddress> addresses, std::uint16_t port,
           std::chrono::milliseconds patience, Time now);

    // Nothing while it goes on; then the connection, or why the last address failed (timeout, or
    // what the kernel said).
    std::optional<Outcome<UniqueFd>> proceed(Time now);

    // What to wait for, at most until `deadline`, before the next proceed.
    pollfd wait() const { return {socket_.get(), POLLOUT, 0}; }
    Time deadline() const { return deadline_; }

private:
    Done try_address(Time now);

    std::vector<policy::IpAddress> addresses_;
    std::size_t next_ = 0;
    std::uint16_t port_;
    std::chrono::milliseconds patience_;
    UniqueFd socket_;  // trying addresses_[next_]
    Time deadline_;
};

// Bytes between a client and its origin, both ways, until both have ended or one breaks off. The
// end of one way is passed on and leaves the other open. Never blocks; holds at most
// kProxyBufferBytes each way, and nothing while both sides keep up.
// One way.
class Flow {
public:
    // `first` is sent before what comes. With a body, reading ends where it does, and that end is
    // not passed on: an origin may take it for giving up.
    Flow(std::string first, std::optional<HttpBody> body);

    // True if something moved. Failure: broken, or a malformed body.
    Outcome<bool> move(int from, int to);

    bool finished() const { return ended_ && unsent_.empty(); }
    bool reads() const { return !ended_ && unsent_.empty(); }
    bool sends() const { return !unsent_.empty(); }

private:
    Outcome<bool> read_some(int from);
    Outcome<bool> send_some(int to);

    std::string unsent_;
    std::optional<HttpBody> body_;
    bool ended_ = false;
    bool passed_on_ = false;  // the end
};

class Relay {
public:
    Relay(UniqueFd client, UniqueFd origin, Flow to_origin, Flow to_client, bool one_request);

    enum class State : std::uint8_t { kQuiet, kMoved, kOver };
    State proceed();
    void add_waits(std::vector<pollfd>& waits) const;

private:
    UniqueFd client_;
    UniqueFd origin_;
    Flow to_origin_;
    Flow to_client_;
    bool one_request_;  // over as soon as the origin has ended
};

struct ProxyTimes {
    std::chrono::milliseconds request = limits::kProxyRequestTime;
    std::chrono::milliseconds dial = limits::kProxyDialTime;
    std::chrono::milliseconds dial_one = limits::kProxyDialOneTime;
    std::chrono::milliseconds idle = limits::kProxyIdleTime;
    std::chrono::milliseconds linger = kProxyLingerTime;
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

}  // namespace paddock::proxy
