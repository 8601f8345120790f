#include "json/write.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/utf8.h"

namespace paddock::json {
namespace {

// Control characters above ASCII are two bytes in UTF-8, the second of them below kC1End.
constexpr unsigned char kC1Lead = 0xc2;
constexpr unsigned char kC1End = 0xa0;

constexpr bool may_need_escape(unsigned char byte) {
    return byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f || byte == kC1Lead;
}

#if defined(__SSE2__)

constexpr std::size_t kStep = sizeof(__m128i);

// The same of so many bytes at once: a bit for each.
std::uint64_t marks_of_escapes(const char* bytes) {
    const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const auto equals = [&](unsigned char byte) {
        return _mm_cmpeq_epi8(all, _mm_set1_epi8(static_cast<char>(byte)));
    };
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(all, _mm_set1_epi8(0x1f)), all);
    const __m128i quotes = _mm_or_si128(equals('"'), equals('\\'));
    const __m128i others = _mm_or_si128(equals(0x7f), equals(kC1Lead));
    return static_cast<std::uint64_t>(static_cast<unsigned>(
        _mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quotes, others)))));
}
constexpr int kBitsPerByte = 1;

#else

constexpr std::size_t kStep = sizeof(std::uint64_t);

// The same of so many bytes at once: the top bit of the first such byte is set, and none before
// it. Bytes behind it may be marked by mistake.
std::uint64_t marks_of_escapes(const char* bytes) {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kTops = 0x8080808080808080U;
    std::uint64_t all = 0;
    std::memcpy(&all, bytes, sizeof all);
    const auto equals = [&](unsigned char byte) {
        const std::uint64_t other = all ^ (kOnes * byte);
        return (other - kOnes) & ~other;
    };
    const std::uint64_t control = (all - kOnes * 0x20) & ~all;
    return (control | equals('"') | equals('\\') | equals(0x7f) | equals(kC1Lead)) & kTops;
}
constexpr int kBitsPerByte = 8;

#endif

// The first byte at or after `i` that may need an escape, or the end.
std::size_t plain_until(std::string_view text, std::size_t i) {
    for (; i + kStep <= text.size(); i += kStep) {
        const std::uint64_t marks = marks_of_escapes(text.data() + i);
        if (marks != 0) return i + static_cast<std::size_t>(std::countr_zero(marks) / kBitsPerByte);
    }
    while (i < text.size() && !may_need_escape(static_cast<unsigned char>(text[i]))) ++i;
    return i;
}

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
        for (std::size_t i = plain_until(text, 0); i < text.size(); i = plain_until(text, i + 1)) {
            const bool is_c1 = static_cast<unsigned char>(text[i]) == kC1Lead;
            if (is_c1 && static_cast<unsigned char>(text[i + 1]) >= kC1End) continue;
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
