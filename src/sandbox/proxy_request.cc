#include "sandbox/proxy_request.h"

#include <paddock/limits.h>

#include <algorithm>

#include "base/display.h"
#include "sandbox/http_head.h"

namespace paddock::sandbox {
namespace {

constexpr char kSocksVersion = 5;
constexpr std::string_view kNoAuthentication{"\x05\x00", 2};
constexpr std::string_view kNoMethod{"\x05\xff", 2};

unsigned byte_at(std::string_view bytes, std::size_t index) {
    return static_cast<unsigned char>(bytes[index]);
}

ProxyStep refused_socks(ProxyAnswer answer, std::string_view why, std::string_view host = {}) {
    return refused(ProxyProtocol::kSocks, answer, why, host);
}

// Version, number of methods, methods.
ProxyStep read_greeting(std::string_view bytes) {
    if (bytes.size() < 2 || bytes.size() < 2 + byte_at(bytes, 1)) return {};
    const std::string_view methods = bytes.substr(2, byte_at(bytes, 1));
    ProxyStep step;
    step.consumed = 2 + methods.size();
    if (methods.find('\0') != methods.npos) {
        step.reply = kNoAuthentication;
        return step;
    }
    // Told in the way of the greeting; the client has nothing else to expect.
    step = refused(ProxyProtocol::kUnknown, ProxyAnswer::kBadRequest, "needs no authentication");
    step.reply = kNoMethod;
    return step;
}

Outcome<policy::Host> read_socks_host(unsigned kind, std::string_view bytes) {
    if (kind == 3) return policy::parse_host(bytes);
    policy::IpAddress address;
    address.v6 = kind == 4;
    std::copy(bytes.begin(), bytes.end(), address.bytes.begin());
    return policy::Host{policy::address_text(address), address};
}

// Version, command, zero, kind of address, address, port.
ProxyStep read_socks_request(std::string_view bytes) {
    constexpr std::size_t kFixed = 4;
    if (bytes.size() <= kFixed) return {};
    const unsigned kind = byte_at(bytes, 3);
    if (bytes[0] != kSocksVersion || bytes[2] != 0) {
        return refused_socks(ProxyAnswer::kBadRequest, "malformed request");
    }
    if (bytes[1] != 1) return refused_socks(ProxyAnswer::kUnsupported, "only CONNECT is served");
    if (kind != 1 && kind != 3 && kind != 4) {
        return refused_socks(ProxyAnswer::kUnsupported, "no such kind of address");
    }
    const std::size_t begin = kind == 3 ? kFixed + 1 : kFixed;
    const std::size_t size = kind == 3 ? byte_at(bytes, kFixed) : kind == 1 ? 4 : 16;
    if (bytes.size() < begin + size + 2) return {};

    const std::string_view written = bytes.substr(begin, size);
    const unsigned port = byte_at(bytes, begin + size) << 8 | byte_at(bytes, begin + size + 1);
    auto host = read_socks_host(kind, written);
    if (!host) return refused_socks(ProxyAnswer::kBadRequest, host.error().reason, written);
    if (port == 0) {
        return refused_socks(ProxyAnswer::kBadRequest, "the port is 0", host->text);
    }
    ProxyStep step;
    step.consumed = begin + size + 2;
    step.request = ProxyRequest{
        ProxyProtocol::kSocks, {std::move(*host), static_cast<std::uint16_t>(port)}, {}, {}};
    return step;
}

char socks_code(ProxyAnswer answer) {
    switch (answer) {
        case ProxyAnswer::kConnected: return 0;
        case ProxyAnswer::kDenied: return 2;
        case ProxyAnswer::kNoSuchHost: return 4;
        case ProxyAnswer::kUnreachable: return 5;
        case ProxyAnswer::kTimeout: return 6;
        case ProxyAnswer::kUnsupported: return 7;
        default: return 1;
    }
}

std::string_view http_status(ProxyAnswer answer) {
    switch (answer) {
        case ProxyAnswer::kConnected: return "200 Connection established";
        case ProxyAnswer::kTooLarge: return "431 Request Header Fields Too Large";
        case ProxyAnswer::kUnsupported: return "501 Not Implemented";
        case ProxyAnswer::kDenied: return "403 Forbidden";
        case ProxyAnswer::kNoSuchHost:
        case ProxyAnswer::kUnreachable: return "502 Bad Gateway";
        case ProxyAnswer::kTimeout: return "504 Gateway Timeout";
        default: return "400 Bad Request";
    }
}

std::string http_reply(ProxyAnswer answer, std::string_view why) {
    std::string reply = "HTTP/1.1 ";
    reply.append(http_status(answer)).append("\r\n");
    if (answer == ProxyAnswer::kConnected) return reply + "\r\n";
    const std::string text = "paddock: " + displayable(why) + "\n";
    reply += "Content-Type: text/plain\r\nContent-Length: " + std::to_string(text.size());
    return reply + "\r\nConnection: close\r\n\r\n" + text;
}

}  // namespace

ProxyStep refused(ProxyProtocol protocol, ProxyAnswer answer, std::string_view why,
                  std::string_view host) {
    ProxyStep step;
    step.refusal = ProxyRefusal{protocol, answer, why, std::string(host)};
    return step;
}

ProxyStep ProxyRequestReader::read(std::string_view bytes) {
    if (bytes.empty()) return {};
    if (greeted_) return read_socks_request(bytes);
    if (bytes.front() == kSocksVersion) {
        ProxyStep step = read_greeting(bytes);
        greeted_ = !step.reply.empty();
        return step;
    }
    if (bytes.front() < 'A' || bytes.front() > 'Z') {
        return refused(ProxyProtocol::kUnknown, ProxyAnswer::kBadRequest,
                       "neither HTTP nor SOCKS5");
    }
    const std::size_t end = bytes.find("\r\n\r\n");
    if (end != bytes.npos) return read_http_head(bytes.substr(0, end + 4));
    if (bytes.size() < limits::kProxyHeadBytesMax) return {};
    return refused(ProxyProtocol::kPlainHttp, ProxyAnswer::kTooLarge, "the headers are too long");
}

std::string reply_text(ProxyProtocol protocol, ProxyAnswer answer, std::string_view why) {
    switch (protocol) {
        case ProxyProtocol::kUnknown: return {};
        case ProxyProtocol::kSocks:
            return {kSocksVersion, socks_code(answer), 0, 1, 0, 0, 0, 0, 0, 0};
        case ProxyProtocol::kPlainHttp:
            if (answer == ProxyAnswer::kConnected) return {};
            break;
        case ProxyProtocol::kConnect: break;
    }
    return http_reply(answer, why);
}

}  // namespace paddock::sandbox
