#include "daemon/guard.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"
#include "net/answer.h"
#include "sys/io.h"

namespace paddock::daemon {
namespace {

constexpr std::size_t kTokenBytesMin = 16;
constexpr std::size_t kTokenBytesMax = 1024;

}  // namespace

Outcome<std::string> make_secret() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string secret;
    for (int word = 0; word < 4; ++word) {
        PADDOCK_ASSIGN(bits, sys::random_u64());
        for (int digit = 0; digit < 16; ++digit, bits >>= 4) secret += kDigits[bits & 0xf];
    }
    return secret;
}

bool equal_secrets(std::string_view given, std::string_view expected) noexcept {
    // The compiler must not see that the answer is known after the first difference.
    volatile unsigned difference = given.size() == expected.size() ? 0 : 1;
    if (expected.empty()) return false;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto a = static_cast<unsigned char>(given[i]);
        const auto b = static_cast<unsigned char>(expected[i % expected.size()]);
        difference = difference | static_cast<unsigned>(a ^ b);
    }
    return difference == 0;
}

std::string_view bearer_of(std::string_view authorization) noexcept {
    constexpr std::string_view kScheme = "bearer ";
    if (!net::equal_but_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
    std::string_view token = authorization.substr(kScheme.size());
    while (token.starts_with(' ')) token.remove_prefix(1);
    return token;
}

bool is_usable_token(std::string_view token) noexcept {
    return token.size() >= kTokenBytesMin && token.size() <= kTokenBytesMax &&
           std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
}

namespace {

// ":80", or nothing.
bool is_port(std::string_view text) {
    return text.empty() ||
           (text.front() == ':' && text.find_first_not_of("0123456789", 1) == text.npos);
}

// "host:80" and "[::1]:80" without the port, "::1" as it is in brackets. Empty: it is neither.
std::string_view host_of(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        const bool is_whole = end != text.npos && is_port(text.substr(end + 1));
        return is_whole ? text.substr(1, end - 1) : std::string_view();
    }
    const std::size_t colon = std::min(text.find(':'), text.size());
    if (text.find(':', colon + 1) != text.npos) return text;  // a bare address of IPv6
    return is_port(text.substr(colon)) ? text.substr(0, colon) : std::string_view();
}

bool is_loopback(std::string_view host) {
    constexpr std::array<std::string_view, 3> kNames{"localhost", "127.0.0.1", "::1"};
    return std::any_of(kNames.begin(), kNames.end(),
                       [host](std::string_view name) { return net::equal_but_case(host, name); });
}

}  // namespace

BrowserGuard::BrowserGuard(std::string address, std::vector<std::string> hosts,
                           std::vector<std::string> origins)
    : hosts_(std::move(hosts)), origins_(std::move(origins)) {
    hosts_.push_back(std::move(address));
}

bool BrowserGuard::is_known_host(std::string_view host) const {
    return is_loopback(host) ||
           std::any_of(hosts_.begin(), hosts_.end(), [host](const std::string& known) {
               return net::equal_but_case(host, host_of(known));
           });
}

bool BrowserGuard::allows_host(const net::Head& head) const {
    const std::string* host = head.header("Host");
    return host == nullptr || is_known_host(host_of(*host));
}

bool BrowserGuard::allows_origin(const net::Head& head) const {
    const std::string* origin = head.header("Origin");
    if (origin == nullptr) return true;
    if (std::find(origins_.begin(), origins_.end(), *origin) != origins_.end()) return true;
    const std::size_t scheme = origin->find("://");
    if (scheme == origin->npos) return false;
    const std::string_view name = std::string_view(*origin).substr(0, scheme);
    return (name == "http" || name == "https") &&
           is_loopback(host_of(std::string_view(*origin).substr(scheme + 3)));
}

namespace {

constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

mcp::RpcError mismatch(std::string_view header, std::string_view what) {
    return {mcp::error_code::kHeaderMismatch,
            "the header " + std::string(header) + " " + std::string(what)};
}

// The member of "params" that Mcp-Name repeats.
std::string_view named_member(std::string_view method) {
    if (method == "tools/call" || method == "prompts/get") return "name";
    return method == "resources/read" ? "uri" : "";
}

int digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        const int value = digit(c);
        if (value < 0) return std::nullopt;
        bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffffff;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    // Bits that no byte has: another text would stand for the same bytes.
    if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
    return bytes;
}

std::optional<mcp::RpcError> check(const net::Head& head, std::string_view name,
                                   std::string_view expected, bool may_be_encoded) {
    const std::string* value = head.header(name);
    if (value == nullptr) return mismatch(name, "is missing");
    if (net::count(head.headers, name) > 1) return mismatch(name, "is given more than once");
    const auto text = may_be_encoded ? decoded_header(*value) : *value;
    if (!text) return mismatch(name, "is not valid base64");
    if (*text != expected) return mismatch(name, "does not match the message");
    return std::nullopt;
}

const std::string* version_in(const mcp::Message& message) {
    const json::Value* meta = message.params.find("_meta");
    if (meta == nullptr || meta->as_object() == nullptr) return nullptr;
    const json::Value* version = meta->as_object()->find(mcp::meta::kProtocolVersion);
    return version == nullptr ? nullptr : version->as_string();
}

}  // namespace

std::optional<mcp::Era> announced_era(const net::Head& head) {
    const std::string* version = head.header(kVersionHeader);
    if (version == nullptr) return std::nullopt;
    if (mcp::is_modern_version(*version)) return mcp::Era::kModern;
    const auto& legacy = mcp::kLegacyVersions;
    if (std::find(legacy.begin(), legacy.end(), *version) == legacy.end()) return std::nullopt;
    return mcp::Era::kLegacy;
}

bool is_legacy_version_header(const net::Head& head) {
    const std::size_t count = net::count(head.headers, kVersionHeader);
    return count == 0 || (count == 1 && announced_era(head) == mcp::Era::kLegacy);
}

std::optional<mcp::RpcError> check_headers(const net::Head& head, const mcp::Message& message) {
    // A request without its version is told so by the protocol.
    if (const std::string* version = version_in(message)) {
        if (auto wrong = check(head, kVersionHeader, *version, false)) return wrong;
    }
    if (auto wrong = check(head, "Mcp-Method", message.method, false)) return wrong;
    const std::string_view member = named_member(message.method);
    if (member.empty()) return std::nullopt;
    const json::Value* named = message.params.find(member);
    if (named == nullptr || named->as_string() == nullptr) return std::nullopt;
    return check(head, "Mcp-Name", *named->as_string(), true);
}

std::optional<std::string> decoded_header(std::string_view value) {
    constexpr std::string_view kBegin = "=?base64?";
    constexpr std::string_view kEnd = "?=";
    if (!value.starts_with(kBegin) || !value.ends_with(kEnd) ||
        value.size() < kBegin.size() + kEnd.size()) {
        return std::string(value);
    }
    value.remove_prefix(kBegin.size());
    value.remove_suffix(kEnd.size());
    auto bytes = from_base64(value);
    if (!bytes || !is_utf8(*bytes)) return std::nullopt;
    return bytes;
}

}  // namespace paddock::daemon
