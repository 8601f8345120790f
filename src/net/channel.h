// Bytes over a connected, non-blocking socket: plain, or by way of TLS. An operation does what can
// be done at once, and else says what to wait for before it is tried again.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

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

}  // namespace paddock::net
