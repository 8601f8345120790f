// One question to one name server: over UDP, from a new port with a new number each time, and over
// TCP if the answer does not fit. Never blocks.
#pragma once

#include <poll.h>

#include <string>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sandbox/dns_message.h"
#include "sys/stream.h"

namespace paddock::sandbox {

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

}  // namespace paddock::sandbox
