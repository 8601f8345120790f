// JSON-RPC 2.0 messages as MCP has them: text to parts, parts to text. No batches; an id is a
// string or an integer and is kept as the JSON text that stands for it, so that it is echoed with
// its type.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"

namespace paddock::mcp {

namespace error_code {
inline constexpr int kParse = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kUnknownMethod = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternal = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
}  // namespace error_code

struct RpcError {
    int code = error_code::kInternal;
    std::string message;
    json::Value data{};  // null: none
};

enum class MessageKind : std::uint8_t { kRequest, kNotification, kResponse, kInvalid };

struct Message {
    MessageKind kind = MessageKind::kInvalid;
    std::string id{};       // JSON text; empty: there is none, or it cannot be found
    std::string method{};   // of a request or notification
    json::Object params{};  // of the same; empty if absent
    json::Value outcome{};  // of a response: its result, or its error
    bool is_error = false;  // of a response
    RpcError problem{};     // of what is invalid: what to answer
    std::size_t bytes = 0;  // that it came in
};

// Never throws. The text is bounded in size, depth and number of values; no name comes twice in an
// object.
Message parse_message(std::string_view text);

// `params` null: without any.
std::string notification_text(std::string_view method, const json::Value& params);
std::string request_text(std::string_view id, std::string_view method, const json::Value& params);
// Without an id where it could not be found.
std::string error_text(std::string_view id, const RpcError& error);
// The beginning of a response; "}}" closes it.
std::string result_head(std::string_view id);

// The id of a request that cannot be parsed or is too long to be held: so it is still answered, and
// its client does not wait for a timeout.
//
// Reads any text in parts, and keeps no more of it than an id. An id counts if all before it has
// the shape of a message, if it is the only one, and if a "method" stands beside it: the ids of
// responses are the server's own.
// JSON text. Nothing: it is neither a string nor an integer, or too long to be repeated in every
// answer.
std::optional<std::string> id_text(const json::Value& id);

class RequestId {
public:
    void read(std::string_view part);

    // JSON text; empty: there is none.
    std::string found() const;

private:
    // What comes next.
    enum class Next : std::uint8_t {
        kObject,
        kName,
        kColon,
        kValue,
        kRestOfScalar,
        kComma,
        kNothing,  // the end of the message, or no message
    };

    void read(char c);
    void read_in_string(char c);
    void read_nested(char c);
    void begin_value(char c);
    void begin_string(char c);
    void end_value();

    Next next_ = Next::kObject;
    bool in_string_ = false;
    bool escaped_ = false;
    std::size_t nested_ = 0;  // brackets open in the present value
    std::string name_;        // of the present member, quoted
    std::string text_;        // being read: a name, or a value that is no container
    std::string id_;
    std::size_t ids_ = 0;
    bool has_method_ = false;
};

// The revisions of the Model Context Protocol that are spoken, in two eras: the modern one says its
// revision in every request and knows no connection; the legacy ones begin with "initialize".
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
