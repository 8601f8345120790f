#include "sandbox/dns_exchange.h"

#include <paddock/limits.h>

#include <algorithm>
#include <utility>

#include "sys/io.h"

namespace paddock::sandbox {
namespace {

using Kind = DnsAnswer::Kind;

Failure server_failed() { return refuse(Code::kIoError); }

}  // namespace

DnsExchange::DnsExchange(std::string name, DnsType type, const sys::SocketAddress& server)
    : server_(server) {
    question_.name = std::move(name);
    question_.type = type;
    failed_ = !ask().has_value();
}

Done DnsExchange::ask() {
    PADDOCK_ASSIGN(number, sys::random_u64());
    question_.id = static_cast<std::uint16_t>(number);
    PADDOCK_ASSIGN(socket, sys::socket(server_.storage.ss_family, SOCK_DGRAM));
    // Connected: the kernel lets nobody else answer.
    PADDOCK_TRY(sys::connect(socket.get(), server_));
    PADDOCK_TRY(sys::send(socket.get(), write_dns_question(question_)));
    socket_ = std::move(socket);
    return {};
}

DnsAnswer DnsExchange::proceed() {
    if (failed_) return {Kind::kFailed};
    auto answer = tcp_ ? proceed_tcp() : proceed_udp();
    if (!answer && sys::would_block(answer.error())) return {Kind::kStray};
    failed_ = !answer || answer->kind == Kind::kFailed;
    if (!failed_) return std::move(*answer);
    socket_.reset();
    return {Kind::kFailed};
}

Outcome<DnsAnswer> DnsExchange::proceed_udp() {
    char packet[4096];
    for (; strays_ < limits::kNameStrayPacketsMax; ++strays_) {
        PADDOCK_ASSIGN(size, sys::receive(socket_.get(), packet, sizeof packet));
        DnsAnswer answer = read_dns_answer({packet, size}, question_);
        if (answer.kind == Kind::kTruncated) {
            PADDOCK_TRY(begin_tcp());
            return proceed_tcp();
        }
        if (answer.kind != Kind::kStray) return answer;
    }
    return server_failed();
}

Done DnsExchange::begin_tcp() {
    tcp_ = true;
    const std::string message = write_dns_question(question_);
    to_send_ = {static_cast<char>(message.size() >> 8), static_cast<char>(message.size() & 0xff)};
    to_send_ += message;
    PADDOCK_ASSIGN(socket, sys::socket(server_.storage.ss_family, SOCK_STREAM));
    socket_ = std::move(socket);
    return {};
}

Outcome<DnsAnswer> DnsExchange::proceed_tcp() {
    while (!to_send_.empty()) {
        PADDOCK_TRY(sys::connect(socket_.get(), server_));
        PADDOCK_ASSIGN(sent, sys::send(socket_.get(), to_send_));
        to_send_.erase(0, sent);
    }
    for (;;) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(received_[i]); };
        const std::size_t size =
            received_.size() < 2 ? 0 : static_cast<std::size_t>(byte(0) << 8 | byte(1));
        const std::size_t wanted = 2 + size;
        if (received_.size() >= 2 && received_.size() == wanted) break;
        char part[4096];
        const std::size_t room = std::min(sizeof part, wanted - received_.size());
        PADDOCK_ASSIGN(count, sys::receive(socket_.get(), part, room));
        if (count == 0) return server_failed();
        received_.append(part, count);
    }
    DnsAnswer answer = read_dns_answer(std::string_view(received_).substr(2), question_);
    const bool useless = answer.kind == Kind::kStray || answer.kind == Kind::kTruncated;
    return useless ? DnsAnswer{Kind::kFailed} : answer;
}

pollfd DnsExchange::wait() const {
    const bool sending = tcp_ && !to_send_.empty();
    return {socket_.get(), static_cast<short>(sending ? POLLOUT : POLLIN), 0};
}

}  // namespace paddock::sandbox
