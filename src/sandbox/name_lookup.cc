#include "sandbox/name_lookup.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "sandbox/kernel_text.h"
#include "sandbox/name_files.h"
#include "sandbox/socket_address.h"

namespace paddock::sandbox {
namespace {

using Kind = DnsAnswer::Kind;

NameLookup::Addresses loopback() {
    policy::IpAddress v6;
    v6.v6 = true;
    v6.bytes[15] = 1;
    return {policy::ipv4(0x7f000001), v6};
}

// A missing file is an empty one.
std::string text_of(const std::string& path) {
    return read_text(AT_FDCWD, path.c_str()).value_or("");
}

}  // namespace

NameLookup::NameLookup(std::string name, const NameSources& sources, Time now)
    : name_(std::move(name)), server_time_(sources.server_time), deadline_(now) {
    const bool is_localhost = name_ == "localhost" || name_.ends_with(".localhost");
    local_ = is_localhost ? loopback() : addresses_in_hosts(text_of(sources.hosts), name_);
    if (!local_.empty()) return;
    for (const policy::IpAddress& server : name_servers(text_of(sources.resolv_conf))) {
        servers_.push_back(socket_address(server, sources.port));
    }
    ask_next_server(now);
}

void NameLookup::ask_next_server(Time now) {
    const sys::SocketAddress& server = servers_[asked_ % servers_.size()];
    ++asked_;
    deadline_ = now + server_time_;
    for (Part& part : parts_) {
        if (!part.answered) part.exchange.emplace(name_, part.type, server);
    }
}

std::optional<Outcome<NameLookup::Addresses>> NameLookup::proceed(Time now) {
    if (!local_.empty()) return local_;
    for (;;) {
        bool waiting = false;
        for (Part& part : parts_) {
            if (part.answered) continue;
            DnsAnswer answer = part.exchange->proceed();
            waiting |= answer.kind == Kind::kStray;
            if (answer.kind != Kind::kAddresses) continue;
            part.answered = true;
            part.addresses = std::move(answer.addresses);
            part.exchange.reset();
        }
        if (waiting && now < deadline_) return std::nullopt;
        const bool all = parts_[0].answered && parts_[1].answered;
        const bool some = !parts_[0].addresses.empty() || !parts_[1].addresses.empty();
        if (all || some || asked_ == limits::kNameRoundsMax * servers_.size()) return result();
        ask_next_server(now);
    }
}

Outcome<NameLookup::Addresses> NameLookup::result() const {
    Addresses addresses;
    for (const Part& part : parts_) {
        addresses.insert(addresses.end(), part.addresses.begin(), part.addresses.end());
    }
    if (!addresses.empty()) return addresses;
    if (parts_[0].answered && parts_[1].answered) return refuse(Code::kNotFound);
    return refuse(Code::kTimeout);
}

void NameLookup::add_waits(std::vector<pollfd>& waits) const {
    for (const Part& part : parts_) {
        if (!part.exchange) continue;
        const pollfd wait = part.exchange->wait();
        if (wait.fd >= 0) waits.push_back(wait);
    }
}

}  // namespace paddock::sandbox
