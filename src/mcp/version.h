// The revisions of the Model Context Protocol that are spoken, in two eras: the modern one says its
// revision in every request and knows no connection; the legacy ones begin with "initialize".
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace paddock::mcp {

enum class Era : std::uint8_t { kLegacy, kModern };

// The newest first.
inline constexpr std::array<std::string_view, 1> kModernVersions{"2026-07-28"};
inline constexpr std::array<std::string_view, 4> kLegacyVersions{"2025-11-25", "2025-06-18",
                                                                 "2025-03-26", "2024-11-05"};

inline bool is_modern_version(std::string_view version) noexcept {
    return std::find(kModernVersions.begin(), kModernVersions.end(), version) !=
           kModernVersions.end();
}

// What "initialize" is answered with: the version asked for, or the newest of its era.
inline std::string_view agreed_legacy_version(std::string_view asked) noexcept {
    const auto* const known = std::find(kLegacyVersions.begin(), kLegacyVersions.end(), asked);
    return known == kLegacyVersions.end() ? kLegacyVersions.front() : *known;
}

// Names in "_meta" that the protocol reserves.
namespace meta {
inline constexpr std::string_view kProtocolVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientCapabilities =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kProgressToken = "progressToken";
}  // namespace meta

}  // namespace paddock::mcp
