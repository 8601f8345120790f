#include "mcp/message.h"

#include <utility>

#include <paddock/limits.h>

#include "json/parse.h"
#include "json/write.h"

namespace paddock::mcp {
namespace {

Message invalid(int code, std::string why, std::string id = {}) {
    Message message;
    message.id = std::move(id);
    message.problem = {code, std::move(why)};
    return message;
}

Message response(json::Object& object, std::string id) {
    Message message;
    json::Value* result = object.find("result");
    json::Value* error = object.find("error");
    if ((result == nullptr) == (error == nullptr)) {
        return invalid(error_code::kInvalidRequest,
                       "a message must have a method, or a result or an error", std::move(id));
    }
    message.kind = MessageKind::kResponse;
    message.id = std::move(id);
    message.is_error = error != nullptr;
    message.outcome = std::move(message.is_error ? *error : *result);
    return message;
}

Message from_object(json::Object& object) {
    const json::Value* version = object.find("jsonrpc");
    std::string id;
    const json::Value* given = object.find("id");
    if (given != nullptr) {
        auto text = id_text(*given);
        if (!text) {
            return invalid(error_code::kInvalidRequest, "the id must be a string or an integer");
        }
        id = std::move(*text);
    }
    if (version == nullptr || version->as_string() == nullptr || *version->as_string() != "2.0") {
        return invalid(error_code::kInvalidRequest, "'jsonrpc' must be \"2.0\"", std::move(id));
    }
    json::Value* method = object.find("method");
    if (method == nullptr) return response(object, std::move(id));
    if (method->as_string() == nullptr) {
        return invalid(error_code::kInvalidRequest, "'method' must be a string", std::move(id));
    }
    json::Value* params = object.find("params");
    if (params != nullptr && params->as_object() == nullptr) {
        return invalid(error_code::kInvalidParams, "'params' must be an object", std::move(id));
    }
    Message message;
    message.kind = given == nullptr ? MessageKind::kNotification : MessageKind::kRequest;
    message.id = std::move(id);
    message.method = std::move(*method->as_string());
    if (params != nullptr) message.params = std::move(*params->as_object());
    return message;
}

std::string head(std::string_view id) {
    std::string text = R"({"jsonrpc":"2.0")";
    if (!id.empty()) {
        text += R"(,"id":)";
        text += id;
    }
    return text;
}

void add_call(std::string& text, std::string_view method, const json::Value& params) {
    text += R"(,"method":)";
    json::append_quoted(text, method);
    if (!params.is_null()) {
        text += R"(,"params":)";
        json::append_text(text, params);
    }
    text += '}';
}

}  // namespace

Message parse_message(std::string_view text) {
    json::Parsed parsed = json::parse(text, {.bytes_max = limits::kMcpMessageBytesMax});
    Message message;
    if (!parsed.problem.empty()) {
        RequestId id;
        id.read(text);
        message = invalid(error_code::kParse, "not valid JSON: " + parsed.problem, id.found());
    } else if (parsed.value.as_array() != nullptr) {
        message =
            invalid(error_code::kInvalidRequest, "batches are not accepted; send one message");
    } else if (parsed.value.as_object() == nullptr) {
        message = invalid(error_code::kInvalidRequest, "a message must be an object");
    } else {
        message = from_object(*parsed.value.as_object());
    }
    message.bytes = text.size();
    return message;
}

std::string notification_text(std::string_view method, const json::Value& params) {
    return request_text({}, method, params);
}

std::string request_text(std::string_view id, std::string_view method, const json::Value& params) {
    std::string text = head(id);
    add_call(text, method, params);
    return text;
}

std::string error_text(std::string_view id, const RpcError& error) {
    std::string text = head(id);
    text += R"(,"error":{"code":)" + std::to_string(error.code) + R"(,"message":)";
    json::append_quoted(text, error.message);
    if (!error.data.is_null()) {
        text += R"(,"data":)";
        json::append_text(text, error.data);
    }
    return text + "}}";
}

std::string result_head(std::string_view id) { return head(id) + R"(,"result":{)"; }

namespace {

// Each byte may be escaped, and two quotes stand around.
constexpr std::size_t kTextBytesMax = 6 * limits::kMcpIdBytesMax + 2;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

std::optional<std::string> id_text(const json::Value& id) {
    if (id.as_integer() != nullptr) return json::to_text(id);
    if (id.as_string() == nullptr || id.as_string()->size() > limits::kMcpIdBytesMax) {
        return std::nullopt;
    }
    return json::to_text(id);
}

void RequestId::read(std::string_view part) {
    for (const char c : part) {
        if (next_ == Next::kNothing) return;
        read(c);
    }
}

void RequestId::read(char c) {
    if (in_string_) return read_in_string(c);
    if (nested_ > 0) return read_nested(c);
    const bool ends_scalar = c == ',' || c == '}' || is_blank(c);
    if (next_ == Next::kRestOfScalar && !ends_scalar) {
        if (text_.size() <= kTextBytesMax) text_ += c;
        return;
    }
    if (next_ == Next::kRestOfScalar) end_value();
    if (is_blank(c)) return;
    switch (next_) {
        case Next::kObject: next_ = c == '{' ? Next::kName : Next::kNothing; return;
        case Next::kName: return c == '"' ? begin_string(c) : void(next_ = Next::kNothing);
        case Next::kColon: next_ = c == ':' ? Next::kValue : Next::kNothing; return;
        case Next::kComma: next_ = c == ',' ? Next::kName : Next::kNothing; return;
        case Next::kValue: return begin_value(c);
        default: return;
    }
}

void RequestId::begin_string(char c) {
    text_ = c;
    in_string_ = true;
}

void RequestId::begin_value(char c) {
    text_.clear();
    if (c == '"') return begin_string(c);
    if (c == '{' || c == '[') {
        nested_ = 1;
        return;
    }
    text_ = c;
    next_ = Next::kRestOfScalar;
}

void RequestId::read_in_string(char c) {
    if (nested_ == 0 && text_.size() <= kTextBytesMax) text_ += c;
    if (std::exchange(escaped_, false)) return;
    escaped_ = c == '\\';
    in_string_ = c != '"';
    if (in_string_ || nested_ > 0) return;
    if (next_ == Next::kValue) return end_value();
    name_ = std::move(text_);
    next_ = Next::kColon;
}

void RequestId::read_nested(char c) {
    in_string_ = c == '"';
    if (c == '{' || c == '[') ++nested_;
    if (c == '}' || c == ']') --nested_;
    if (nested_ == 0) end_value();
}

void RequestId::end_value() {
    next_ = Next::kComma;
    if (name_ == "\"method\"") has_method_ = true;
    if (name_ != "\"id\"") return;
    ++ids_;
    id_ = std::move(text_);
}

std::string RequestId::found() const {
    if (ids_ != 1 || !has_method_) return {};
    const json::Parsed parsed = json::parse(id_);
    return parsed.problem.empty() ? id_text(parsed.value).value_or("") : "";
}

}  // namespace paddock::mcp
