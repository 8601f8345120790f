#include "sandbox/proxy_peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "proxy/name_lookup.h"
#include "sandbox/dns_reply.h"
#include "sys/socket.h"

namespace paddock::testing {
namespace {

sys::SocketAddress address_of(const std::string& text, std::uint16_t port) {
    return proxy::socket_address(policy::parse_address(text).value_or(policy::IpAddress{}), port);
}

const sockaddr* raw(const sys::SocketAddress& address) {
    return reinterpret_cast<const sockaddr*>(&address.storage);
}

UniqueFd bound(const std::string& address, std::uint16_t port, int type) {
    const sys::SocketAddress place = address_of(address, port);
    UniqueFd fd(::socket(place.storage.ss_family, type | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(fd.get(), raw(place), place.size) != 0) fd.reset();
    return fd;
}

}  // namespace

UniqueFd listen_at(const std::string& address, std::uint16_t port) {
    UniqueFd fd = bound(address, port, SOCK_STREAM);
    EXPECT_TRUE(fd.valid()) << address << ":" << port << ": " << std::strerror(errno);
    EXPECT_EQ(::listen(fd.get(), 4096), 0);
    return fd;
}

std::uint16_t free_port() {
    static std::uint16_t next = static_cast<std::uint16_t>(10'000 + ::getpid() % 20'000);
    for (;; ++next) {
        if (sys::listen_on_loopback(next)) return next++;
    }
}

std::uint16_t port_of(int socket) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    EXPECT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size), 0);
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&storage);
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&storage);
    return ntohs(storage.ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
}

UniqueFd connect_to(const std::string& address, std::uint16_t port) {
    const sys::SocketAddress place = address_of(address, port);
    UniqueFd fd(::socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(fd.get(), raw(place), place.size), 0) << std::strerror(errno);
    return fd;
}

int connect_error(const std::string& address, std::uint16_t port) {
    const sys::SocketAddress place = address_of(address, port);
    const UniqueFd fd(::socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(fd.get(), raw(place), place.size) == 0 ? 0 : errno;
}

void send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        // Whoever was told enough may have hung up already; what it answered is what counts.
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return;
        ASSERT_GT(sent, 0) << std::strerror(errno);
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

std::string read_exactly(int socket, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
        const ssize_t count = ::recv(socket, bytes.data() + have, size - have, 0);
        if (count <= 0) break;
        have += static_cast<std::size_t>(count);
    }
    bytes.resize(have);
    return bytes;
}

std::string read_until(int socket, std::string_view mark) {
    std::string bytes;
    while (!bytes.ends_with(mark)) {
        const std::string next = read_exactly(socket, 1);
        if (next.empty()) break;
        bytes += next;
    }
    return bytes;
}

std::string read_to_end(int socket) {
    std::string bytes;
    for (;;) {
        const std::string next = read_exactly(socket, 4096);
        bytes += next;
        if (next.size() < 4096) return bytes;
    }
}

Origin::Origin(Handler handler, const std::string& address, std::uint16_t port)
    : handler_(std::move(handler)),
      address_(address),
      listener_(listen_at(address, port)),
      port_(port_of(listener_.get())),
      acceptor_([this] { accept_all(); }) {}

Origin::~Origin() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    {
        const std::lock_guard lock(mutex_);
        for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
}

void Origin::accept_all() {
    for (;;) {
        const int socket = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) return;
        ++connections_;
        const std::lock_guard lock(mutex_);
        open_.push_back(socket);
        threads_.emplace_back([this, socket] {
            handler_(socket);
            const std::lock_guard closing(mutex_);
            std::erase(open_, socket);
            ::close(socket);
        });
    }
}

Origin::Handler echo(std::string greeting) {
    return [greeting = std::move(greeting)](int socket) {
        send_all(socket, greeting);
        char block[4096];
        for (;;) {
            const ssize_t size = ::recv(socket, block, sizeof block, 0);
            if (size <= 0) return;
            if (::send(socket, block, static_cast<std::size_t>(size), MSG_NOSIGNAL) < 0) return;
        }
    };
}

Origin::Handler http(std::string text, HttpLog* log) {
    return [text = std::move(text), log](int socket) {
        std::string request = read_until(socket, "\r\n\r\n");
        if (request.empty()) return;
        const std::string key = "Content-Length: ";
        if (const std::size_t at = request.find(key); at != request.npos) {
            request += read_exactly(socket, std::stoul(request.substr(at + key.size())));
        }
        if (request.find("chunked") != request.npos) request += read_until(socket, "0\r\n\r\n");
        if (log != nullptr) {
            const std::lock_guard lock(log->mutex);
            log->requests.push_back(request);
        }
        send_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(text.size()) +
                             "\r\nConnection: close\r\n\r\n" + text);
    };
}

FakeDns::FakeDns(Answer answer, const std::string& address, std::uint16_t port)
    : answer_(std::move(answer)) {
    // UDP takes any port, and TCP has to get the same one.
    for (int tries = 0; tries < 100 && !tcp_; ++tries) {
        udp_ = bound(address, port, SOCK_DGRAM);
        if (!udp_.valid()) continue;
        port_ = port_of(udp_.get());
        if (!bound(address, port_, SOCK_STREAM).valid()) continue;
        tcp_ = std::make_unique<Origin>(
            [this](int socket) {
                const std::string size = read_exactly(socket, 2);
                if (size.size() < 2) return;
                const auto byte = [&](int i) {
                    return static_cast<unsigned char>(size[static_cast<std::size_t>(i)]);
                };
                const auto length = static_cast<std::size_t>(byte(0) << 8 | byte(1));
                const std::string reply = this->answer(read_exactly(socket, length), true);
                const char front[] = {static_cast<char>(reply.size() >> 8),
                                      static_cast<char>(reply.size() & 0xff)};
                if (!reply.empty()) send_all(socket, std::string(front, 2) + reply);
            },
            address, port_);
    }
    EXPECT_TRUE(tcp_ != nullptr);
    thread_ = std::thread([this] { serve_udp(); });
}

FakeDns::~FakeDns() {
    ending_ = true;
    ::shutdown(udp_.get(), SHUT_RDWR);
    thread_.join();
}

int FakeDns::questions_of(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::count(names_.begin(), names_.end(), name));
}

void FakeDns::serve_udp() {
    while (!ending_) {
        char packet[512];
        sockaddr_storage from{};
        socklen_t from_size = sizeof from;
        auto* const sender = reinterpret_cast<sockaddr*>(&from);
        const ssize_t size = ::recvfrom(udp_.get(), packet, sizeof packet, 0, sender, &from_size);
        if (size <= 0) continue;
        const std::string reply = answer({packet, static_cast<std::size_t>(size)}, false);
        if (!reply.empty()) {
            ::sendto(udp_.get(), reply.data(), reply.size(), 0, sender, from_size);
        }
    }
}

std::string FakeDns::answer(std::string_view message, bool tcp) {
    // Written by write_dns_question: one question behind twelve bytes.
    proxy::DnsQuestion question;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(message.at(i)); };
    question.id = static_cast<std::uint16_t>(byte(0) << 8 | byte(1));
    std::size_t at = 12;
    while (byte(at) != 0) {
        if (!question.name.empty()) question.name += '.';
        question.name += message.substr(at + 1, byte(at));
        at += byte(at) + 1U;
    }
    question.type = byte(at + 2) == 28 ? proxy::DnsType::kAaaa : proxy::DnsType::kA;
    {
        const std::lock_guard lock(mutex_);
        names_.push_back(question.name);
    }
    return answer_(question, questions_++, tcp);
}

FakeDns::Answer always(std::vector<std::string> addresses) {
    return [addresses = std::move(addresses)](const proxy::DnsQuestion& question, int, bool) {
        DnsReply reply(question);
        for (const std::string& address : addresses) {
            const bool v6 = address.find(':') != address.npos;
            if (v6 == (question.type == proxy::DnsType::kAaaa)) {
                reply.address(question.name, address);
            }
        }
        return reply.bytes();
    };
}

}  // namespace paddock::testing
