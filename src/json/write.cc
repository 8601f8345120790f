#include "json/write.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/utf8.h"

namespace paddock::json {
namespace {

class Writer {
public:
    Writer(std::string& out, bool indented) : out_(out), indented_(indented) {}

    void value(const Value& value) {
        if (value.is_null()) out_ += "null";
        if (const bool* flag = value.as_bool()) out_ += *flag ? "true" : "false";
        if (const std::int64_t* number = value.as_integer()) out_ += std::to_string(*number);
        if (const double* number = value.as_double()) real(*number);
        if (const std::string* text = value.as_string()) string(*text);
        if (const Array* array = value.as_array()) {
            list('[', ']', *array, [&](const Value& item) { this->value(item); });
        }
        if (const Object* object = value.as_object()) {
            list('{', '}', *object, [&](const Member& member) {
                string(member.name);
                out_ += indented_ ? ": " : ":";
                this->value(member.value);
            });
        }
    }

    void string(std::string_view text) {
        if (is_utf8(text)) return quoted(text);
        std::string repaired;
        append_repaired(repaired, text);
        quoted(repaired);
    }

private:
    template <class Items, class Put>
    void list(char open, char close, const Items& items, Put put) {
        out_ += open;
        ++depth_;
        bool first = true;
        for (const auto& item : items) {
            if (!first) out_ += ',';
            first = false;
            new_line();
            put(item);
        }
        --depth_;
        if (!first) new_line();
        out_ += close;
    }

    void new_line() {
        if (!indented_) return;
        out_ += '\n';
        out_.append(2 * depth_, ' ');
    }

    void real(double number) {
        if (!std::isfinite(number)) {
            out_ += "null";
            return;
        }
        char digits[32];
        const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        out_.append(digits, end);
    }

    void quoted(std::string_view text) {
        out_ += '"';
        std::size_t written = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            const bool is_plain = byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f;
            const bool is_c1 = byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
            if (is_plain && !is_c1) continue;
            out_ += text.substr(written, i - written);
            if (is_c1) ++i;
            escaped(static_cast<unsigned char>(text[i]));
            written = i + 1;
        }
        out_ += text.substr(written);
        out_ += '"';
    }

    void escaped(unsigned char byte) {
        switch (byte) {
            case '"': out_ += "\\\""; break;
            case '\\': out_ += "\\\\"; break;
            case '\n': out_ += "\\n"; break;
            case '\r': out_ += "\\r"; break;
            case '\t': out_ += "\\t"; break;
            default: {
                char hex[8];
                (void)std::snprintf(hex, sizeof hex, "\\u%04x", byte);
                out_ += hex;
            }
        }
    }

    std::string& out_;
    bool indented_;
    std::size_t depth_ = 0;
};

std::string write(const Value& value, bool indented) {
    std::string out;
    Writer(out, indented).value(value);
    return out;
}

}  // namespace

void append_text(std::string& out, const Value& value) { Writer(out, false).value(value); }
void append_quoted(std::string& out, std::string_view text) { Writer(out, false).string(text); }
std::string to_text(const Value& value) { return write(value, false); }
std::string to_indented_text(const Value& value) { return write(value, true); }

}  // namespace paddock::json
