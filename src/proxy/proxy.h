// The way out of a session whose network is an allow list: a proxy for HTTP (CONNECT and plain
// requests) and SOCKS5 on one port.
//
//   auto proxy = Proxy::start({rules});          // before this process confines itself
//   proxy->serve(listener);                      // a TCP socket that listens inside the session
//   ... commands run with proxy_environment(port) ...
//   auto denied = proxy->take_denials();
//
// The listening socket belongs to the session's own network namespace, the connections that the
// proxy makes belong to the namespace of whoever started it: there is no other way between them.
//
// It is a process of its own, forked from the caller: it may open TCP connections, which the server
// may not, and it reads bytes from hostile clients, which the server must not. It keeps no
// descriptor of the server, is nobody instead of root, has no capabilities, and a Landlock domain
// leaves it the files of name resolution only. What the caller has in memory at the fork it has
// too, so start it early. It ends when this object or the calling process does.
//
// Names are looked up once for each connection (name_lookup.h) and exactly the address that
// HostRules allowed is dialled. What passes through an open connection is not looked at.
//
// The same process lets the user of this machine in to published servers of commands (publisher.h).
//
// Any number of threads may call these methods.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "policy/host_rules.h"
#include "policy/published_ports.h"
#include "proxy/connection.h"
#include "proxy/name_server.h"
#include "proxy/publisher.h"
#include "proxy/refusal_log.h"

namespace paddock::proxy {

// The channel by which sockets come out of a session's network namespace. The warden first sends
// the namespace's tables of TCP sockets (one or two descriptors), and then, for each message of one
// byte that it gets, a TCP socket that is not connected, or no descriptor if there can be none.

inline constexpr char kDoorOfV4 = '4';
inline constexpr char kDoorOfV6 = '6';

inline std::string_view door_of(const policy::IpAddress& address) {
    return address.v6 ? std::string_view(&kDoorOfV6, 1) : std::string_view(&kDoorOfV4, 1);
}

// The proxy's process, once it is confined: one thread, one poll over everything.
//
// Control messages, each answered by one: "L" with a listening socket ("ok", from now on clients
// are accepted there) and perhaps one for questions to a name server; "D" (what was denied since
// the last time, as write_denials has it); "I" with a doorway and tables of this machine's sockets,
// as a PublishRequest says; "P" with a port inside and its listening socket outside; "N" (what was
// published since the last time).
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

class Proxy {
public:
    // Returns while it confines itself; serve() says whether that worked.
    static Outcome<std::unique_ptr<Proxy>> start(const ProxySettings& settings);

    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;
    ~Proxy();  // ends it: every connection is closed when this returns

    // Accepts clients on `listener` from now on, instead of any before. Keep no copy of it. Errors:
    // sandbox_unavailable with the step that failed when the proxy confined itself.
    // `name_socket`, if it is valid: questions that come there are refused (name_server.h).
    Done serve(UniqueFd listener, UniqueFd name_socket = {});

    // From now on this machine's user can reach published servers of the session whose sockets
    // come out of `doorway`. `finds_servers`: all that commands start, but for the proxy's own.
    Done open_doorway(UniqueFd doorway, bool finds_servers, std::uint16_t proxy_port);
    // Before this process confines itself. Errors: invalid_argument (the port is in use).
    Done publish(policy::PublishedPort port);

    // What was published since the last time, and who was refused. Fails as take_denials.
    Outcome<PublishedNews> take_published();

    // What was denied since the last time. Fails if the proxy has ended or does not answer.
    Outcome<Denials> take_denials();

    // Lets the process end, which the destructor waits for. What was denied by then can be taken.
    void begin_end();

private:
    Proxy(UniqueFd control, pid_t process) : control_(std::move(control)), process_(process) {}
    Done await_ready();  // with mutex_ held
    Outcome<std::string> ask(std::string_view request, std::span<const int> passed);
    template <class Body>
    Done order(char letter, const Body& body, std::span<const int> passed);

    std::mutex mutex_;
    UniqueFd control_;
    pid_t process_;
    bool is_ready_ = false;
    std::optional<Denials> last_denials_;  // after begin_end()
};

}  // namespace paddock::proxy
