#include "proxy/request.h"

#include <algorithm>
#include <optional>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/text.h"

namespace paddock::proxy {
namespace {

// A size of so many digits cannot overflow.
constexpr int kSizeDigitsMax = 15;

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_text(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 127); }

}  // namespace

HttpBody HttpBody::of_length(std::uint64_t bytes) {
    return bytes == 0 ? HttpBody{} : HttpBody(State::kData, bytes);
}

Outcome<std::size_t> HttpBody::take(std::string_view bytes) {
    std::size_t taken = 0;
    while (taken < bytes.size() && state_ != State::kDone) {
        if (state_ != State::kData && state_ != State::kChunk) {
            if (!step(bytes[taken])) return refuse(Code::kInvalidArgument, "malformed chunks");
            ++taken;
            continue;
        }
        const std::uint64_t part = std::min<std::uint64_t>(left_, bytes.size() - taken);
        left_ -= part;
        taken += static_cast<std::size_t>(part);
        if (left_ == 0) state_ = state_ == State::kData ? State::kDone : State::kChunkReturn;
    }
    return taken;
}

bool HttpBody::go(bool allowed, State next) {
    state_ = next;
    return allowed;
}

bool HttpBody::add_digit(char c) {
    const int value = hex_value(c);
    if (value < 0 || digits_ == kSizeDigitsMax) return false;
    ++digits_;
    left_ = left_ * 16 + static_cast<unsigned>(value);
    return true;
}

bool HttpBody::step(char c) {
    switch (state_) {
        case State::kSize:
            if (digits_ == 0 || hex_value(c) >= 0) return add_digit(c);
            if (c == '\r') return go(true, State::kSizeFeed);
            return go(c == ';' || c == ' ' || c == '\t', State::kExtension);
        case State::kExtension: return c == '\r' ? go(true, State::kSizeFeed) : is_text(c);
        case State::kSizeFeed:
            digits_ = 0;
            return go(c == '\n', left_ == 0 ? State::kTrailer : State::kChunk);
        case State::kChunkReturn: return go(c == '\r', State::kChunkFeed);
        case State::kChunkFeed: return go(c == '\n', State::kSize);
        case State::kTrailer:
            return c == '\r' ? go(true, State::kLastFeed) : go(is_text(c), State::kField);
        case State::kField: return c == '\r' ? go(true, State::kFieldFeed) : is_text(c);
        case State::kFieldFeed: return go(c == '\n', State::kTrailer);
        case State::kLastFeed: return go(c == '\n', State::kDone);
        default: return false;
    }
}

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
        return refused_socks(ProxyAnswer::kUnsupported, "unknown type of address");
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

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using Fields = http::request_header<>;
using Refused = std::optional<std::string_view>;  // why

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::uint16_t kHttpPort = 80;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// Between the client and the proxy, or set by us.
bool stays_here(http::field name) {
    switch (name) {
        case http::field::host:
        case http::field::connection:
        case http::field::keep_alive:
        case http::field::proxy_connection:
        case http::field::upgrade:
        case http::field::proxy_authorization: return true;
        default: return false;
    }
}

Refused why_malformed(const boost::system::error_code& error) {
    const bool is_first_line = error == http::error::bad_method ||
                               error == http::error::bad_target ||
                               error == http::error::bad_version;
    return is_first_line ? "malformed request line" : "malformed header";
}

// Beast lets pass what two servers could read in two ways.
Refused why_ambiguous(const Fields& fields) {
    if (fields.version() != 10 && fields.version() != 11) return "malformed request line";
    const std::size_t lengths = fields.count(http::field::content_length);
    const std::size_t codings = fields.count(http::field::transfer_encoding);
    const std::string_view length = view(fields[http::field::content_length]);
    const beast::string_view coding = fields[http::field::transfer_encoding];
    if (lengths > 0 && (lengths > 1 || !std::all_of(length.begin(), length.end(), is_digit))) {
        return "wrong Content-Length";
    }
    if (codings > 0 && (codings > 1 || !beast::iequals(coding, "chunked"))) {
        return "only the transfer encoding \"chunked\" is accepted";
    }
    if (lengths + codings > 1) return "both a length and chunks";
    return std::nullopt;
}

// A line that goes on in the next one.
bool is_folded(std::string_view head) {
    return head.find("\n ") != head.npos || head.find("\n\t") != head.npos;
}

ProxyStep connect_step(std::string_view target) {
    auto destination = policy::parse_destination(target);
    if (!destination) {
        return refused(ProxyProtocol::kConnect, ProxyAnswer::kBadRequest,
                       destination.error().reason, target);
    }
    ProxyStep step;
    step.request = ProxyRequest{ProxyProtocol::kConnect, std::move(*destination), {}, {}};
    return step;
}

ProxyStep plain_step(const Fields& fields, const HttpBody& body) {
    constexpr std::string_view kScheme = "http://";
    const auto wrong = [](std::string_view why, std::string_view host = {}) {
        return refused(ProxyProtocol::kPlainHttp, ProxyAnswer::kBadRequest, why, host);
    };
    const std::string_view target = view(fields.target());
    if (!beast::iequals(fields.target().substr(0, kScheme.size()), "http://")) {
        return wrong("this is a proxy; ask for http://HOST/, or CONNECT HOST:PORT");
    }
    if (target.find('#') != target.npos) return wrong("a URL in a request must not contain \"#\"");
    const std::string_view rest = target.substr(kScheme.size());
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
    auto destination = policy::parse_destination(authority, kHttpPort);
    if (!destination) return wrong(destination.error().reason, authority);

    const std::string_view path = rest.substr(authority.size());
    const std::string full = policy::destination_text(*destination);
    const std::string_view host =
        destination->port == kHttpPort ? std::string_view(full).substr(0, full.rfind(':')) : full;
    std::string head(view(fields.method_string()));
    head.append(path.starts_with('/') ? " " : " /").append(path);
    head.append(fields.version() == 10 ? " HTTP/1.0" : " HTTP/1.1").append(kLineEnd);
    head.append("Host: ").append(host).append(kLineEnd);
    for (const auto& field : fields) {
        if (stays_here(field.name())) continue;
        head.append(view(field.name_string())).append(": ").append(view(field.value()));
        head.append(kLineEnd);
    }
    head.append("Connection: close\r\n\r\n");
    ProxyStep step;
    step.request =
        ProxyRequest{ProxyProtocol::kPlainHttp, std::move(*destination), std::move(head), body};
    return step;
}

}  // namespace

ProxyStep read_http_head(std::string_view head) {
    http::request_parser<http::empty_body> parser;
    parser.header_limit(limits::kProxyHeadBytesMax);
    parser.body_limit(boost::none);
    boost::system::error_code error;
    const std::size_t taken = parser.put(boost::asio::buffer(head.data(), head.size()), error);
    const Fields& fields = parser.get();
    Refused why;
    if (error) {
        why = why_malformed(error);
    } else if (is_folded(head) || !parser.is_header_done() || taken != head.size()) {
        why = "malformed header";
    } else {
        why = why_ambiguous(fields);
    }
    if (why) return refused(ProxyProtocol::kPlainHttp, ProxyAnswer::kBadRequest, *why);
    const HttpBody body = parser.chunked()
                              ? HttpBody::chunked()
                              : HttpBody::of_length(parser.content_length().value_or(0));
    ProxyStep step = fields.method() == http::verb::connect ? connect_step(view(fields.target()))
                                                            : plain_step(fields, body);
    step.consumed = head.size();
    return step;
}

}  // namespace paddock::proxy
