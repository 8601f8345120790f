#include "daemon/mcp_headers.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace paddock::daemon {
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
    if (net::count(head.headers, name) > 1) return mismatch(name, "is there more than once");
    const auto text = may_be_encoded ? decoded_header(*value) : *value;
    if (!text) return mismatch(name, "is no valid base64");
    if (*text != expected) return mismatch(name, "does not say what the message says");
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
