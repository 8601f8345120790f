// The name server of commands, at 127.0.0.1:53 in the session's network namespace. It refuses every
// question at once, and logs the host: a program that asks goes around the proxy, which is the only
// way out. Lives in the proxy's process, and never blocks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <paddock/unique_fd.h>

#include "policy/host_rules.h"
#include "proxy/refusal_log.h"

namespace paddock::proxy {

// Questions of commands that are refused before connections of the proxy get their turn again.
inline constexpr int kNameQuestionsPerTurn = 64;

// What commands find as the name of their host.
inline constexpr const char* kInsideHostName = "paddock";

inline constexpr std::uint16_t kNameServerPort = 53;

class NameServer {
public:
    // `socket` receives datagrams and does not block. The others must outlive it.
    NameServer(UniqueFd socket, const policy::HostRules& rules, RefusalLog& log)
        : socket_(std::move(socket)), rules_(rules), log_(log) {}

    int socket() const { return socket_.get(); }  // to be polled: POLLIN

    // Of what has come, at most kNameQuestionsPerTurn.
    void answer();

private:
    void log(const std::string& name);

    UniqueFd socket_;
    const policy::HostRules& rules_;
    RefusalLog& log_;
};

}  // namespace paddock::proxy
