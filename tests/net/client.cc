#include "net/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>

namespace paddock::testing {
namespace {

// Only for a server that hangs: nothing is measured by it.
constexpr int kPatienceMs = 60'000;

}  // namespace

Client::Client(std::uint16_t port, int receive_buffer)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) {
        ::setsockopt(fd(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        socket_.reset();
    }
}

bool Client::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void Client::end_sending() const { ::shutdown(fd(), SHUT_WR); }

bool Client::fill() {
    if (!is_connected()) return false;
    pollfd watched{fd(), POLLIN, 0};
    if (::poll(&watched, 1, kPatienceMs) <= 0) return false;
    std::array<char, 65536> buffer{};
    const ssize_t got = ::recv(fd(), buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    read_.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
}

std::string Client::read_until(std::string_view mark) {
    for (;;) {
        const std::size_t at = read_.find(mark);
        if (at != read_.npos || !fill()) {
            const std::size_t end = at == read_.npos ? read_.size() : at + mark.size();
            std::string text = read_.substr(0, end);
            read_.erase(0, end);
            return text;
        }
    }
}

std::string Client::read_response() {
    std::string text = read_until("\r\n\r\n");
    if (text.find("Transfer-Encoding: chunked") != text.npos) return text + read_until("0\r\n\r\n");
    const std::size_t at = text.find("Content-Length: ");
    if (at == text.npos) return text;
    const std::size_t length = std::strtoul(text.c_str() + at + 16, nullptr, 10);
    while (read_.size() < length && fill()) {
    }
    text += read_.substr(0, length);
    read_.erase(0, length);
    return text;
}

std::string Client::read_all() {
    while (fill()) {
    }
    return std::exchange(read_, {});
}

bool Client::is_closed() {
    pollfd watched{fd(), POLLIN, 0};
    while (::poll(&watched, 1, kPatienceMs) > 0) {
        std::array<char, 65536> buffer{};
        if (::recv(fd(), buffer.data(), buffer.size(), 0) <= 0) return true;
    }
    return false;
}

std::string get(std::string_view path, std::string_view headers) {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) +
           "\r\n";
}

std::string post(std::string_view path, std::string_view body, std::string_view headers) {
    return "POST " + std::string(path) +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

unsigned status_of(const std::string& response) {
    return response.starts_with("HTTP/1.1 ")
               ? static_cast<unsigned>(std::strtoul(response.c_str() + 9, nullptr, 10))
               : 0;
}

std::string body_of(const std::string& response) {
    const std::size_t at = response.find("\r\n\r\n");
    return at == response.npos ? std::string() : response.substr(at + 4);
}

}  // namespace paddock::testing
