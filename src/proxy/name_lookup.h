// The addresses of one name, without blocking and without the C library: its resolver blocks, and
// in a static binary loads parts of whatever C library the host has.
//
// "localhost" and names below it are the loopback. Then hosts(5), then the name servers of
// resolv.conf(5), in turn, both files (at most a megabyte of each) read anew for each lookup. The
// name is taken as it is: no search domains, so what was checked is what is asked. IPv4 comes
// before IPv6.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "policy/host_rules.h"
#include "sys/io.h"

namespace paddock::proxy {

// Name servers that are asked, rounds over them, and how long one may take: as the C library has
// it, less patient.
inline constexpr std::size_t kNameServersMax = 3;
inline constexpr std::size_t kNameRoundsMax = 2;
inline constexpr std::chrono::seconds kNameServerTime{3};

// Of an answer of a name server: addresses, aliases followed, and packets that are no answer before
// the server is given up.
inline constexpr std::size_t kNameAddressesMax = 16;
inline constexpr int kNameAliasesMax = 8;
inline constexpr int kNameStrayPacketsMax = 64;

// An IP address and a port as the kernel takes them.

sys::SocketAddress socket_address(const policy::IpAddress& address, std::uint16_t port);

bool same_address(const sys::SocketAddress& one, const sys::SocketAddress& other);

// The two files of name resolution, as text. Pure.
// The addresses that a hosts(5) file gives a name, at most kNameAddressesMax. Upper and lower case
// are the same.
std::vector<policy::IpAddress> addresses_in_hosts(std::string_view file, std::string_view name);

// The name servers of a resolv.conf(5) file, at most kNameServersMax; the loopback if it has none.
// Those with a zone ("fe80::1%eth0") and all options are passed over.
std::vector<policy::IpAddress> name_servers(std::string_view file);

// The messages of DNS that are needed: a question for the addresses of one name and its answer, and
// the refusal of somebody else's question. Pure; what came in is hostile until it is understood.
enum class DnsType : std::uint16_t { kA = 1, kAaaa = 28 };

struct DnsQuestion {
    std::uint16_t id = 0;  // random
    std::string name;      // as policy::Host has it
    DnsType type = DnsType::kA;
};

// Recursion desired, no extensions: at most 512 bytes come back over UDP.
std::string write_dns_question(const DnsQuestion& question);

struct DnsAnswer {
    enum class Kind : std::uint8_t {
        kStray,      // no answer to this question: go on waiting
        kAddresses,  // perhaps none
        kTruncated,  // ask again over TCP
        kFailed,     // ask another server
    };
    Kind kind = Kind::kStray;
    std::vector<policy::IpAddress> addresses = {};  // at most kNameAddressesMax
};

// Addresses count only if the name, or the chain of aliases that the answer gives for it, leads to
// them.
DnsAnswer read_dns_answer(std::string_view message, const DnsQuestion& question);

// Somebody else's question, of any type.
struct DnsQuery {
    std::string name;     // labels of any bytes, in lower case, with dots between; empty: the root
    std::string refusal;  // the answer REFUSED
};
// Nothing: it is not one whole standard question, and gets no answer.
std::optional<DnsQuery> read_dns_query(std::string_view message);

// One question to one name server: over UDP, from a new port with a new number each time, and over
// TCP if the answer does not fit. Never blocks.
class DnsExchange {
public:
    DnsExchange(std::string name, DnsType type, const sys::SocketAddress& server);

    // kStray while there is no answer, never kTruncated; kFailed if this server will give none.
    DnsAnswer proceed();

    // What to wait for before the next proceed.
    pollfd wait() const;

private:
    Done ask();
    Outcome<DnsAnswer> proceed_udp();
    Outcome<DnsAnswer> proceed_tcp();
    Done begin_tcp();

    sys::SocketAddress server_;
    DnsQuestion question_;
    UniqueFd socket_;
    bool failed_ = false;
    bool tcp_ = false;
    std::string to_send_;   // over TCP
    std::string received_;  // over TCP, behind two bytes of length
    int strays_ = 0;
};

using Time = std::chrono::steady_clock::time_point;

struct NameSources {
    std::string hosts = "/etc/hosts";
    std::string resolv_conf = "/etc/resolv.conf";
    std::uint16_t port = 53;  // of the name servers
    std::chrono::milliseconds server_time = kNameServerTime;
};

class NameLookup {
public:
    using Addresses = std::vector<policy::IpAddress>;

    NameLookup(std::string name, const NameSources& sources, Time now);

    // Nothing while it goes on. not_found: the name has no address; timeout: no server could tell.
    std::optional<Outcome<Addresses>> proceed(Time now);

    // What to wait for, at most until `deadline`, before the next proceed.
    void add_waits(std::vector<pollfd>& waits) const;
    Time deadline() const { return deadline_; }

private:
    struct Part {
        DnsType type = DnsType::kA;
        std::optional<DnsExchange> exchange = {};
        bool answered = false;
        Addresses addresses = {};
    };

    void ask_next_server(Time now);
    Outcome<Addresses> result() const;

    std::string name_;
    std::chrono::milliseconds server_time_;
    Addresses local_;  // known without asking
    std::vector<sys::SocketAddress> servers_;
    std::size_t asked_ = 0;  // servers, over all rounds
    Part parts_[2] = {{DnsType::kA}, {DnsType::kAaaa}};
    Time deadline_;
};

}  // namespace paddock::proxy
