// A proxy on the loopback with files of its own for name resolution.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "proxy/proxy.h"
#include "sandbox/child.h"
#include "sandbox/proxy_peers.h"
#include "testing/jail.h"

namespace paddock::testing {

class ProxyTest : public ::testing::Test {
protected:
    void SetUp() override {
        NEEDS_LANDLOCK(1);
        // As root the proxy is nobody.
        ASSERT_EQ(::chmod(scratch_.path().c_str(), 0755), 0);
        ASSERT_EQ(::mkdir(names().c_str(), 0755), 0);
        settings_.names.hosts = names() + "/hosts";
        settings_.names.resolv_conf = names() + "/resolv.conf";
        settings_.names.server_time = std::chrono::hours(1);
        hosts("");
        std::ofstream(settings_.names.resolv_conf) << "nameserver 127.0.0.1\n";
    }

    std::string names() const { return scratch_.path() + "/names"; }

    void hosts(const std::string& text) { std::ofstream(settings_.names.hosts) << text; }

    // With `settings_`, and an allow list of these entries.
    void start(const std::vector<std::string>& allow) {
        auto rules = policy::HostRules::parse(allow);
        ASSERT_TRUE(rules.has_value()) << rules.error().message();
        settings_.rules = std::move(*rules);
        auto started = proxy::Proxy::start(settings_);
        ASSERT_TRUE(started.has_value())
            << started.error().reason << " " << started.error().os_error;
        proxy_ = std::move(*started);
        UniqueFd listener = listen_at("127.0.0.1");
        port_ = port_of(listener.get());
        ASSERT_TRUE(proxy_->serve(std::move(listener)).has_value());
    }

    UniqueFd client() const { return connect_to("127.0.0.1", port_); }

    // Everything that comes back for these bytes; the client's side stays open.
    std::string ask(std::string_view bytes) const {
        const UniqueFd socket = client();
        send_all(socket.get(), bytes);
        return read_to_end(socket.get());
    }

    std::string ask_connect(const std::string& target) const {
        return ask("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
    }

    // A connection through the proxy, with the answer to CONNECT read.
    UniqueFd tunnel(const std::string& target) const {
        UniqueFd socket = client();
        send_all(socket.get(), "CONNECT " + target + " HTTP/1.1\r\n\r\n");
        EXPECT_EQ(read_until(socket.get(), "\r\n\r\n"),
                  "HTTP/1.1 200 Connection established\r\n\r\n");
        return socket;
    }

    std::string ask_socks_name(const std::string& name, std::uint16_t port) const {
        return ask(std::string("\x05\x01\x00\x05\x01\x00\x03", 7) + static_cast<char>(name.size()) +
                   name + static_cast<char>(port >> 8) + static_cast<char>(port & 0xff));
    }

    // "host:port why (times)" of each denial since the last time.
    std::vector<std::string> denied() const {
        const auto denials = proxy_->take_denials();
        EXPECT_TRUE(denials.has_value());
        std::vector<std::string> lines;
        if (!denials) return lines;
        for (const proxy::NetworkDenial& denial : denials->list) {
            lines.push_back(denial.host + ":" + std::to_string(denial.port) + " " + denial.why +
                            " (" + std::to_string(denial.times) + ")");
        }
        return lines;
    }

    ScratchDir scratch_;
    proxy::ProxySettings settings_;
    std::unique_ptr<proxy::Proxy> proxy_;
    std::uint16_t port_ = 0;
};

inline bool is_status(const std::string& reply, const std::string& status) {
    return reply.starts_with("HTTP/1.1 " + status + " ");
}

// The answer of a SOCKS5 request, behind the answer to the greeting.
inline int socks_code(const std::string& reply) {
    return reply.size() < 4 ? -1 : static_cast<unsigned char>(reply[3]);
}

}  // namespace paddock::testing
