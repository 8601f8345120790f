// HTTP messages as plain data: what the rest of paddock sees of HTTP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "net/body_share.h"

namespace paddock::net {

struct Header {
    std::string name;
    std::string value;
};

using Headers = std::vector<Header>;

// The value of the first header of that name, whatever its case; nullptr if there is none.
const std::string* find(const Headers& headers, std::string_view name) noexcept;

// How many headers of that name there are, whatever its case.
std::size_t count(const Headers& headers, std::string_view name) noexcept;

// ASCII only, as names of headers are.
bool equal_but_case(std::string_view a, std::string_view b) noexcept;

// What comes before the body. A head that was accepted has exactly one Host (in HTTP/1.1) and one
// way of telling how long the body is.
struct Head {
    std::string method;
    std::string target;  // as sent
    Headers headers;
    bool has_body = false;  // one was announced, an empty one perhaps
    bool is_http_1_0 = false;
    bool keeps_alive = true;
    bool expects_continue = false;

    const std::string* header(std::string_view name) const noexcept { return find(headers, name); }
    // The target without what follows a question mark.
    std::string_view path() const noexcept {
        return std::string_view(target).substr(0, target.find('?'));
    }
};

struct Request {
    Head head;
    std::string body;
    std::uint64_t connection = 0;  // that it came on: its number
    BodyShare share{};             // of the body: whoever keeps what it was made into keeps it too
};

// Content-Length, Connection and Date are added by whoever sends it.
struct Response {
    unsigned status = 200;
    Headers headers{};
    std::string body{};
};

}  // namespace paddock::net
