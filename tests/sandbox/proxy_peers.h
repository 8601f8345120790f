// The surroundings of the proxy in a test, all on the loopback: origin servers, a name server that
// answers as it is told, clients.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <paddock/unique_fd.h>

#include "proxy/name_lookup.h"

namespace paddock::testing {

// A TCP socket that listens at `address`; port 0: any.
UniqueFd listen_at(const std::string& address, std::uint16_t port = 0);
std::uint16_t port_of(int socket);
std::uint16_t free_port();  // another one each time, also in copies of a test that run at once

// A blocking TCP connection.
UniqueFd connect_to(const std::string& address, std::uint16_t port);
int connect_error(const std::string& address, std::uint16_t port);  // errno, 0: it can be made

// All bytes or a test failure.
void send_all(int socket, std::string_view bytes);
std::string read_exactly(int socket, std::size_t size);
std::string read_until(int socket, std::string_view mark);  // and the mark; less at the end
std::string read_to_end(int socket);                        // a reset is an end too

// Accepts connections and hands each to `handler`, in a thread of its own.
class Origin {
public:
    using Handler = std::function<void(int socket)>;

    explicit Origin(Handler handler, const std::string& address = "127.0.0.1",
                    std::uint16_t port = 0);
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;
    ~Origin();

    std::uint16_t port() const { return port_; }
    std::string place() const { return address_ + ":" + std::to_string(port_); }
    int connections() const { return connections_; }

private:
    void accept_all();

    Handler handler_;
    std::string address_;
    UniqueFd listener_;
    std::uint16_t port_;
    std::atomic<int> connections_ = 0;
    std::mutex mutex_;
    std::vector<int> open_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

// Sends `greeting` and then back whatever comes, to the end.
Origin::Handler echo(std::string greeting = {});

// Answers one HTTP request with `text`. The heads that came are added to `heads`.
struct HttpLog {
    std::mutex mutex;
    std::vector<std::string> requests;  // heads and what came with them
    std::vector<std::string> taken() {
        const std::lock_guard lock(mutex);
        return requests;
    }
};
Origin::Handler http(std::string text, HttpLog* log = nullptr);

// Answers on UDP and TCP, on the same port of `address`.
class FakeDns {
public:
    // The answer to the nth question (from 0), or nothing. Over TCP `tcp` is true.
    using Answer =
        std::function<std::string(const proxy::DnsQuestion& question, int nth, bool tcp)>;

    explicit FakeDns(Answer answer, const std::string& address = "127.0.0.1",
                     std::uint16_t port = 0);
    FakeDns(const FakeDns&) = delete;
    FakeDns& operator=(const FakeDns&) = delete;
    ~FakeDns();

    std::uint16_t port() const { return port_; }
    int questions() const { return questions_; }
    int questions_of(const std::string& name) const;

private:
    void serve_udp();
    std::string answer(std::string_view message, bool tcp);

    Answer answer_;
    UniqueFd udp_;
    std::uint16_t port_ = 0;
    std::atomic<int> questions_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> names_;
    std::atomic<bool> ending_ = false;
    std::unique_ptr<Origin> tcp_;
    std::thread thread_;
};

// Every name has these addresses.
FakeDns::Answer always(std::vector<std::string> addresses);

}  // namespace paddock::testing
