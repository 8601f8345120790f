#include "mcp/request_id.h"

#include <utility>

#include <paddock/limits.h>

#include "json/parse.h"
#include "json/write.h"

namespace paddock::mcp {
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
