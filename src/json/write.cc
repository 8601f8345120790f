#include "json/write.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace paddock::json {
namespace {

// Control characters above ASCII are two bytes in UTF-8, the second of them below kC1End.
constexpr unsigned char kC1Lead = 0xc2;
constexpr unsigned char kC1End = 0xa0;

// What follows the backslash; 0: the byte stands for itself; 'u': a control character, perhaps.
constexpr std::array<char, 256> kLetters = [] {
    std::array<char, 256> letters{};
    std::fill_n(letters.begin(), 0x20, 'u');
    letters[0x7f] = letters[kC1Lead] = 'u';
    letters['"'] = '"';
    letters['\\'] = '\\';
    letters['\n'] = 'n';
    letters['\r'] = 'r';
    letters['\t'] = 't';
    return letters;
}();

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
        out_.reserve(out_.size() + text.size() + text.size() / 8 + 2);  // what source code takes
        out_ += '"';
        const char* const end = text.data() + text.size();
        for (const char* from = text.data();;) {
            const char* const plain = std::find_if(
                from, end, [](char c) { return kLetters[static_cast<unsigned char>(c)] != 0; });
            out_.append(from, plain);
            if (plain == end) break;
            from = escaped(plain);
        }
        out_ += '"';
    }

    // The character at `from`, which may be a control character. Returns where the next begins.
    const char* escaped(const char* from) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        auto byte = static_cast<unsigned char>(*from++);
        if (const char letter = kLetters[byte]; letter != 'u') {
            out_ += '\\';
            out_ += letter;
            return from;
        }
        if (byte == kC1Lead) {
            const auto second = static_cast<unsigned char>(*from);
            if (second >= kC1End) {
                out_ += static_cast<char>(byte);
                return from;
            }
            byte = second;
            ++from;
        }
        out_.append({'\\', 'u', '0', '0', kDigits[byte >> 4], kDigits[byte & 0xf]});
        return from;
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
