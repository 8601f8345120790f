#include "json/write.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

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

#if defined(__SSE2__)

constexpr std::size_t kVector = sizeof(__m128i);
constexpr std::size_t kStep = 4 * kVector;

void copy_vector(char* to, const char* from) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

// Which bytes of a vector have a letter: a bit for each.
std::uint64_t marks_of_vector(const char* bytes) {
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

// Which of so many bytes have a letter: a bit for each.
std::uint64_t marks_of_escapes(const char* bytes) {
    return marks_of_vector(bytes) | marks_of_vector(bytes + kVector) << 16 |
           marks_of_vector(bytes + 2 * kVector) << 32 | marks_of_vector(bytes + 3 * kVector) << 48;
}
constexpr int kBitsPerByte = 1;

#else

constexpr std::size_t kVector = sizeof(std::uint64_t);
constexpr std::size_t kStep = kVector;

void copy_vector(char* to, const char* from) { std::memcpy(to, from, kVector); }

// Which of so many bytes have a letter: the top bit of each. Bytes behind one may be marked by
// mistake.
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

constexpr std::size_t kEscapeBytesMax = 6;
constexpr std::size_t kBlockBytes = 1024;

// The byte at `from`, or the control character, as it stands in a string.
char* put_escaped(char* to, const char*& from) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    auto byte = static_cast<unsigned char>(*from++);
    const char letter = kLetters[byte];
    if (letter != 0 && letter != 'u') {
        *to++ = '\\';
        *to++ = letter;
        return to;
    }
    if (letter == 0 || (byte == kC1Lead && static_cast<unsigned char>(*from) >= kC1End)) {
        *to++ = static_cast<char>(byte);
        return to;
    }
    if (byte == kC1Lead) byte = static_cast<unsigned char>(*from++);
    to = std::copy_n("\\u00", 4, to);
    *to++ = kDigits[byte >> 4];
    *to++ = kDigits[byte & 0xf];
    return to;
}

// Bytes that stand for themselves, in whole vectors: what is written too much is written over.
char* put_plain(char* to, const char* from, const char* until) {
    char* const end = to + (until - from);
    for (; to < end; to += kVector, from += kVector) copy_vector(to, from);
    return end;
}

// So many bytes, and perhaps one more that belongs to the last. A vector more must be readable.
char* put_step(char* to, const char*& from) {
    const char* const begin = from;
    const char* done = begin;  // not `from`, which is in memory
    for (std::uint64_t marks = marks_of_escapes(begin); marks != 0; marks &= marks - 1) {
        const char* const marked = begin + std::countr_zero(marks) / kBitsPerByte;
        if (marked < done) continue;
        to = put_plain(to, done, marked);
        done = marked;
        const char letter = kLetters[static_cast<unsigned char>(*done)];
        if (letter == 'u' || letter == 0) {
            from = done;
            to = put_escaped(to, from);
            done = from;
            continue;
        }
        to[0] = '\\';
        to[1] = letter;
        to += 2;
        ++done;
    }
    if (done < begin + kStep) {
        to = put_plain(to, done, begin + kStep);
        done = begin + kStep;
    }
    from = done;
    return to;
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

    // By way of a block: a string that grows costs more than its bytes do.
    void quoted(std::string_view text) {
        std::array<char, kBlockBytes> block;
        constexpr std::size_t kRoom = (kStep + 1) * kEscapeBytesMax + kVector;
        char* to = block.data();
        *to++ = '"';
        const char* from = text.data();
        const char* const end = from + text.size();
        while (from < end) {
            if (block.data() + block.size() - to < static_cast<std::ptrdiff_t>(kRoom)) {
                out_.append(block.data(), to);
                to = block.data();
            }
            const bool is_last = end - from < static_cast<std::ptrdiff_t>(kStep + kVector + 1);
            to = is_last ? put_escaped(to, from) : put_step(to, from);
        }
        *to++ = '"';
        out_.append(block.data(), to);
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
