// The same as Client, behind TLS.
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "net/client.h"

namespace paddock::testing {

// Trusts the server's own certificate and nothing else.
class TlsClient {
public:
    TlsClient(std::uint16_t port, const std::string& certificate, int version = TLS1_3_VERSION)
        : plain_(port), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
        SSL_CTX_load_verify_file(context_.get(), certificate.c_str());
        SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
        SSL_CTX_set_max_proto_version(context_.get(), version);
        ssl_ = {SSL_new(context_.get()), SSL_free};
        SSL_set_fd(ssl_.get(), plain_.fd());
        connected_ = SSL_connect(ssl_.get()) == 1;
    }

    bool is_connected() const { return connected_; }
    bool send(const std::string& text) {
        std::size_t sent = 0;
        return SSL_write_ex(ssl_.get(), text.data(), text.size(), &sent) == 1;
    }
    std::string read_until(const std::string& mark) {
        while (read_.find(mark) == read_.npos) {
            std::array<char, 16'384> buffer{};
            std::size_t got = 0;
            if (SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &got) != 1) break;
            read_.append(buffer.data(), got);
        }
        return std::exchange(read_, {});
    }
    void close() { plain_.close(); }

private:
    Client plain_;
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
    std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{nullptr, SSL_free};
    bool connected_ = false;
    std::string read_;
};

}  // namespace paddock::testing
