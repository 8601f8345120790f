#include "net/channel.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

namespace paddock::net {
namespace {

using Error = boost::system::error_code;

bool is_not_now(const Error& error) {
    return error == boost::asio::error::would_block || error == boost::asio::error::try_again;
}

}  // namespace

Transfer PlainChannel::read(std::span<char> buffer) {
    Error error;
    const std::size_t bytes =
        socket_.read_some(boost::asio::buffer(buffer.data(), buffer.size()), error);
    if (!error) return {Moved::kSome, bytes};
    if (is_not_now(error)) return {Moved::kNeedsRead, 0};
    return {error == boost::asio::error::eof ? Moved::kEnd : Moved::kBroken, 0};
}

Transfer PlainChannel::write(std::string_view bytes) {
    Error error;
    const std::size_t written =
        socket_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (!error) return {Moved::kSome, written};
    return {is_not_now(error) ? Moved::kNeedsWrite : Moved::kBroken, 0};
}

void PlainChannel::end_writing() {
    Error ignored;
    socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
}

}  // namespace paddock::net
