#include "sandbox/http_head.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace paddock::sandbox {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::uint16_t kHttpPort = 80;

bool is_token_byte(char c) {
    const bool alphanumeric = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
    return alphanumeric || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_byte);
}

// No control bytes, NUL and line ends included.
bool is_field_text(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 127);
    });
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 32) : a) == b;
    });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

struct RequestLine {
    std::string_view method;
    std::string_view target;
    std::string_view version;
};

std::optional<RequestLine> split_request_line(std::string_view line) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == line.npos || first == last) return std::nullopt;
    const RequestLine parts{line.substr(0, first), line.substr(first + 1, last - first - 1),
                            line.substr(last + 1)};
    const bool target_is_one_word = !parts.target.empty() && is_field_text(parts.target) &&
                                    parts.target.find_first_of(" \t") == std::string_view::npos;
    const bool version_known = parts.version == "HTTP/1.1" || parts.version == "HTTP/1.0";
    if (!is_token(parts.method) || !target_is_one_word || !version_known) return std::nullopt;
    return parts;
}

// Between the client and the proxy, or set by us.
bool stays_here(std::string_view name) {
    static constexpr std::string_view kNames[] = {
        "host", "connection", "keep-alive", "proxy-connection", "upgrade", "proxy-authorization"};
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](std::string_view known) { return equals_ignoring_case(name, known); });
}

// The headers of a request, as far as they matter here.
struct Fields {
    std::string kept;  // for the origin
    std::optional<std::uint64_t> length;
    bool chunked = false;
};

// Takes in one header; why it cannot be taken.
std::optional<std::string_view> add_field(Fields& fields, std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    if (colon == line.npos || !is_token(name) || !is_field_text(line)) return "malformed header";
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equals_ignoring_case(name, "content-length")) {
        std::uint64_t length = 0;
        const char* const end = value.data() + value.size();
        const auto [stopped, error] = std::from_chars(value.data(), end, length);
        if (error != std::errc{} || stopped != end || fields.length) return "wrong Content-Length";
        fields.length = length;
    } else if (equals_ignoring_case(name, "transfer-encoding")) {
        if (!equals_ignoring_case(value, "chunked") || fields.chunked) {
            return "only the transfer encoding \"chunked\" is taken";
        }
        fields.chunked = true;
    }
    if (!stays_here(name)) fields.kept.append(line).append(kLineEnd);
    return std::nullopt;
}

ProxyStep connect_step(const RequestLine& line) {
    auto destination = policy::parse_destination(line.target);
    if (!destination) {
        return refused(ProxyProtocol::kConnect, ProxyAnswer::kBadRequest,
                       destination.error().reason, line.target);
    }
    ProxyStep step;
    step.request = ProxyRequest{ProxyProtocol::kConnect, std::move(*destination), {}, {}};
    return step;
}

ProxyStep plain_step(const RequestLine& line, const Fields& fields) {
    constexpr std::string_view kScheme = "http://";
    const auto wrong = [](std::string_view why, std::string_view host = {}) {
        return refused(ProxyProtocol::kPlainHttp, ProxyAnswer::kBadRequest, why, host);
    };
    const std::string_view scheme = line.target.substr(0, kScheme.size());
    if (!equals_ignoring_case(scheme, kScheme)) {
        return wrong("this is a proxy; ask for http://HOST/, or CONNECT HOST:PORT");
    }
    if (line.target.find('#') != line.target.npos) return wrong("a URL in a request has no \"#\"");
    const std::string_view rest = line.target.substr(kScheme.size());
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
    auto destination = policy::parse_destination(authority, kHttpPort);
    if (!destination) return wrong(destination.error().reason, authority);
    if (fields.length && fields.chunked) return wrong("both a length and chunks");

    const std::string_view path = rest.substr(authority.size());
    const std::string full = policy::destination_text(*destination);
    const std::string_view host =
        destination->port == kHttpPort ? std::string_view(full).substr(0, full.rfind(':')) : full;
    std::string head;
    head.append(line.method).append(path.starts_with('/') ? " " : " /").append(path);
    head.append(" ").append(line.version).append(kLineEnd);
    head.append("Host: ").append(host).append(kLineEnd);
    head.append(fields.kept).append("Connection: close\r\n\r\n");
    const HttpBody body =
        fields.chunked ? HttpBody::chunked() : HttpBody::of_length(fields.length.value_or(0));
    ProxyStep step;
    step.request =
        ProxyRequest{ProxyProtocol::kPlainHttp, std::move(*destination), std::move(head), body};
    return step;
}

}  // namespace

ProxyStep read_http_head(std::string_view head) {
    std::optional<RequestLine> request;
    ProxyProtocol protocol = ProxyProtocol::kPlainHttp;
    Fields fields;
    for (std::string_view rest = head; rest != kLineEnd;) {
        const std::size_t end = std::min(rest.find(kLineEnd), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + kLineEnd.size(), rest.size()));
        if (!request) {
            request = split_request_line(line);
            if (!request) {
                return refused(protocol, ProxyAnswer::kBadRequest, "malformed request line");
            }
            if (request->method == "CONNECT") protocol = ProxyProtocol::kConnect;
        } else if (const auto why = add_field(fields, line)) {
            return refused(protocol, ProxyAnswer::kBadRequest, *why);
        }
    }
    ProxyStep step =
        protocol == ProxyProtocol::kConnect ? connect_step(*request) : plain_step(*request, fields);
    step.consumed = head.size();
    return step;
}

}  // namespace paddock::sandbox
