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
#include <vector>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "policy/published_ports.h"
#include "sandbox/proxy_loop.h"
#include "sandbox/refusal_log.h"

namespace paddock::sandbox {

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

}  // namespace paddock::sandbox
