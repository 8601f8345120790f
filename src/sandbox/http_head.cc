#include "sandbox/http_head.h"

#include <algorithm>
#include <optional>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include <paddock/limits.h>

#include "base/ascii.h"

namespace paddock::sandbox {
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
        return "only the transfer encoding \"chunked\" is taken";
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
    if (target.find('#') != target.npos) return wrong("a URL in a request has no \"#\"");
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

}  // namespace paddock::sandbox
