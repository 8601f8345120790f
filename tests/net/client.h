// A client that sends exactly the bytes it is told to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <paddock/unique_fd.h>

namespace paddock::testing {

class Client {
public:
    explicit Client(std::uint16_t port, int receive_buffer = 0);

    bool is_connected() const { return socket_.valid(); }
    bool send(std::string_view bytes) const;  // false: nobody takes them any more
    void end_sending() const;
    void close() { socket_.reset(); }
    int fd() const { return socket_.get(); }

    // Everything up to and including `mark`, or up to the end.
    std::string read_until(std::string_view mark);
    // One response: with a Content-Length, in chunks, or without a body.
    std::string read_response();
    std::string read_all();
    // Has the server closed it, also by a reset?
    bool is_closed();

private:
    bool fill();  // false: the end

    UniqueFd socket_;
    std::string read_;
};

std::string get(std::string_view path, std::string_view headers = {});
std::string post(std::string_view path, std::string_view body, std::string_view headers = {});
unsigned status_of(const std::string& response);
std::string body_of(const std::string& response);

}  // namespace paddock::testing
