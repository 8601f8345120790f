// Bytes over a connected, non-blocking socket: plain, or by way of TLS. An operation does what can
// be done at once, and else says what to wait for before it is tried again.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

#include "base/outcome.h"

namespace paddock::net {

enum class Moved : std::uint8_t {
    kSome,
    kNeedsRead,   // try again when the socket is readable
    kNeedsWrite,  // when it is writable
    kEnd,         // the peer sends no more
    kBroken,
};

struct Transfer {
    Moved moved = Moved::kBroken;
    std::size_t bytes = 0;
};

class Channel {
public:
    Channel() = default;
    virtual ~Channel() = default;
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // kSome: it is done.
    virtual Moved shake_hands() = 0;
    virtual Transfer read(std::span<char> buffer) = 0;
    virtual Transfer write(std::string_view bytes) = 0;
    // Nothing more will be written.
    virtual void end_writing() = 0;

    // Does a peer that has stopped sending still read? TLS does not tell, TCP does.
    virtual bool can_be_half_closed() const noexcept = 0;
};

class PlainChannel final : public Channel {
public:
    explicit PlainChannel(boost::asio::ip::tcp::socket& socket) : socket_(socket) {}

    Moved shake_hands() override { return Moved::kSome; }
    Transfer read(std::span<char> buffer) override;
    Transfer write(std::string_view bytes) override;
    void end_writing() override;
    bool can_be_half_closed() const noexcept override { return true; }

private:
    boost::asio::ip::tcp::socket& socket_;
};

// The certificate of a server, and its side of a TLS connection. OpenSSL is used here and nowhere
// else; its configuration files are not read.
struct TlsFiles {
    std::string certificate;  // chain, PEM
    std::string key;          // PEM, without a passphrase
};

// TLS 1.2 and 1.3, no renegotiation, no compression.
class TlsContext {
public:
    // Reads both files now. Errors: not_found, permission_denied, invalid_argument; with the name
    // of the file, never with any of what it holds.
    static Result<std::shared_ptr<TlsContext>> load(const TlsFiles& files);
    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    // `socket` is borrowed. nullptr where memory is short.
    std::unique_ptr<Channel> channel(boost::asio::ip::tcp::socket& socket);

private:
    struct Native;
    explicit TlsContext(std::unique_ptr<Native> native);

    std::unique_ptr<Native> native_;
};

}  // namespace paddock::net
