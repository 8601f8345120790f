// JSON-RPC 2.0 messages as MCP has them: text to parts, parts to text. No batches; an id is a
// string or an integer and is kept as the JSON text that stands for it, so that it is echoed with
// its type.
#pragma once

#include <cstdint>
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

}  // namespace paddock::mcp
