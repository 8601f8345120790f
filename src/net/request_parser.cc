// Beast reads; what it lets pass and should not is refused here.
#include "net/request_parser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace paddock::net {
namespace {

namespace http = boost::beast::http;
using Error = boost::system::error_code;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

unsigned status_for(const Error& error) {
    if (error == http::error::body_limit) return 413;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
    if (error == http::error::bad_version) return 505;
    return 400;
}

// A head of which a line goes on in the next one, or that is not lines.
bool is_folded(std::string_view head) {
    for (std::size_t at = head.find('\n'); at < head.size(); at = head.find('\n', at + 1)) {
        if (at + 1 < head.size() && (head[at + 1] == ' ' || head[at + 1] == '\t')) return true;
    }
    return false;
}

// A first line, or the beginning of one: visible ASCII, and perhaps its end.
bool is_plausible(std::string_view line) {
    return std::all_of(line.begin(), line.end(),
                       [](char c) { return (c >= ' ' && c <= '~') || c == '\r'; });
}

}  // namespace

struct RequestParser::Beast {
    http::request_parser<http::string_body> parser;
};

RequestParser::RequestParser(const ParserLimits& limits) : limits_(limits) {}

RequestParser::~RequestParser() = default;

void RequestParser::begin() {
    beast_ = std::make_unique<Beast>();
    const std::size_t most = std::numeric_limits<std::uint32_t>::max();
    beast_->parser.header_limit(static_cast<std::uint32_t>(std::min(limits_.head_bytes_max, most)));
    beast_->parser.body_limit(limits_.body_bytes_max);
    beast_->parser.eager(false);
}

void RequestParser::refuse(unsigned status) noexcept {
    drop();
    status_ = status;
}

void RequestParser::drop() noexcept {
    state_ = State::kWrong;
    beast_.reset();
    request_ = {};
}

std::size_t RequestParser::feed(std::string_view bytes) {
    if (state_ == State::kHead) return feed_head(bytes);
    if (state_ == State::kBody) return feed_body(bytes);
    return 0;
}

// The whole head at once: Beast takes a start line before it has seen the rest.
std::size_t RequestParser::feed_head(std::string_view bytes) {
    // Empty lines before a request are nothing (RFC 9112, 2.2).
    std::size_t before = 0;
    while (bytes.substr(before).starts_with("\r\n")) before += 2;
    bytes.remove_prefix(before);
    if (bytes.empty() || bytes == "\r") return before;
    has_begun_ = true;
    const std::string_view all = bytes.substr(0, limits_.head_bytes_max);
    // What is no request at all need not be waited for.
    if (!is_plausible(all.substr(0, all.find('\n')))) return refuse(400), before;
    const std::size_t end = all.find("\r\n\r\n");
    if (end == all.npos) {
        if (bytes.size() >= limits_.head_bytes_max) refuse(431);
        return before;
    }
    const std::string_view head = bytes.substr(0, end + 4);
    if (!read_head(head)) return before;
    state_ = State::kBody;
    return before + head.size();
}

bool RequestParser::read_head(std::string_view text) {
    if (is_folded(text)) return refuse(400), false;
    begin();
    auto& parser = beast_->parser;
    Error error;
    const std::size_t taken = parser.put(boost::asio::buffer(text.data(), text.size()), error);
    if (error && error != http::error::need_more) return refuse(status_for(error)), false;
    if (!parser.is_header_done() || taken != text.size()) return refuse(400), false;

    const auto& message = parser.get();
    Head& head = request_.head;
    head = {};
    head.method = view(message.method_string());
    head.target = view(message.target());
    for (const auto& field : message) {
        if (head.headers.size() == limits_.headers_max) return refuse(431), false;
        head.headers.push_back(
            {std::string(view(field.name_string())), std::string(view(field.value()))});
    }
    head.is_http_1_0 = message.version() == 10;
    if (!head.is_http_1_0 && message.version() != 11) return refuse(505), false;
    head.keeps_alive = message.keep_alive();
    const std::string* expect = head.header("Expect");
    head.expects_continue = expect != nullptr && equal_but_case(*expect, "100-continue");

    const std::size_t lengths = count(head.headers, "Content-Length");
    const std::size_t codings = count(head.headers, "Transfer-Encoding");
    const std::size_t hosts = count(head.headers, "Host");
    if (hosts > 1 || (hosts == 0 && !head.is_http_1_0)) return refuse(400), false;
    if (lengths + codings > 1) return refuse(400), false;
    if (codings == 1) {
        if (head.is_http_1_0) return refuse(400), false;
        if (!equal_but_case(*head.header("Transfer-Encoding"), "chunked"))
            return refuse(501), false;
    }
    if (lengths == 1) {
        const std::string& length = *head.header("Content-Length");
        if (length.empty() || length.find_first_not_of("0123456789") != length.npos) {
            return refuse(400), false;
        }
        if (parser.content_length().value_or(0) > limits_.body_bytes_max) return refuse(413), false;
    }
    head.has_body = lengths + codings > 0;
    return true;
}

std::size_t RequestParser::feed_body(std::string_view bytes) {
    auto& parser = beast_->parser;
    std::size_t taken = 0;
    while (!parser.is_done() && taken < bytes.size()) {
        const std::string_view rest = bytes.substr(taken);
        Error error;
        const std::size_t more = parser.put(boost::asio::buffer(rest.data(), rest.size()), error);
        taken += more;
        if (error == http::error::need_more) {
            // The line of a chunk, or the trailer, that does not end.
            if (more == 0 && rest.size() >= limits_.head_bytes_max) refuse(431);
            break;
        }
        if (error) {
            refuse(status_for(error));
            break;
        }
        if (more == 0) break;
    }
    if (state_ == State::kBody && parser.is_done()) {
        request_.body = std::move(parser.get().body());
        beast_.reset();
        state_ = State::kDone;
    }
    return taken;
}

std::size_t RequestParser::body_bytes() const noexcept {
    return state_ == State::kBody ? beast_->parser.get().body().size() : request_.body.size();
}

Request RequestParser::take() {
    state_ = State::kHead;
    has_begun_ = false;
    return std::exchange(request_, {});
}

}  // namespace paddock::net
