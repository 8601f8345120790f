// The proxy's process, once it is confined: one thread, one poll over everything.
//
// Control messages, each answered by one: "L" with a listening socket ("ok", from now on clients
// are accepted there) and perhaps one for questions to a name server; "D" (what was denied since
// the last time, as write_denials has it); "I" with a doorway and tables of this machine's sockets,
// as a PublishRequest says; "P" with a port inside and its listening socket outside; "N" (what was
// published since the last time).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/unique_fd.h>

#include "sandbox/name_server.h"
#include "sandbox/proxy_connection.h"
#include "sandbox/publisher.h"
#include "sandbox/refusal_log.h"

namespace paddock::sandbox {

// Follows the letter of "I".
struct PublishRequest {
    unsigned user = 0;
    std::uint16_t proxy_port = 0;
    bool finds_servers = false;
};

class ProxyLoop {
public:
    // `parent` becomes readable when the process that is served has ended.
    ProxyLoop(const ProxySettings& settings, UniqueFd control, UniqueFd parent);

    // Until the other end of `control` is closed or the parent has ended.
    void run();

private:
    std::vector<pollfd> waits(Time now);
    bool answer_control();
    std::string answer_to(std::string_view request, std::span<UniqueFd> passed);
    void proceed(const std::vector<pollfd>& waits, Time now);
    void accept_clients(Time now);

    const ProxySettings& settings_;
    UniqueFd control_;
    UniqueFd parent_;
    UniqueFd listener_;
    Time accept_again_ = {};  // after a failure
    RefusalLog denials_;
    std::optional<NameServer> name_server_;
    std::optional<Publisher> publisher_;
    std::vector<std::unique_ptr<ProxyConnection>> connections_;
    std::vector<std::size_t> first_waits_;  // of each connection, among the last waits
};

}  // namespace paddock::sandbox
