// A set of byte values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace paddock::text {

class ByteSet {
public:
    constexpr ByteSet() = default;
    explicit constexpr ByteSet(std::string_view bytes) {
        for (const char c : bytes) add(c);
    }

    constexpr bool has(char c) const noexcept { return (word(c) >> bit(c) & 1) != 0; }
    constexpr void add(char c) noexcept { words_[index(c)] |= std::uint64_t{1} << bit(c); }

    constexpr bool operator==(const ByteSet&) const noexcept = default;

    constexpr ByteSet operator|(const ByteSet& other) const noexcept {
        ByteSet both = *this;
        for (std::size_t i = 0; i < words_.size(); ++i) both.words_[i] |= other.words_[i];
        return both;
    }

    constexpr ByteSet operator~() const noexcept {
        ByteSet others = *this;
        for (std::uint64_t& word : others.words_) word = ~word;
        return others;
    }

    // How many bytes at the start of `text` are members.
    constexpr std::size_t run(std::string_view text) const noexcept {
        std::size_t length = 0;
        while (length < text.size() && has(text[length])) ++length;
        return length;
    }

    constexpr std::size_t size() const noexcept {
        std::size_t count = 0;
        for (const std::uint64_t word : words_)
            count += static_cast<std::size_t>(std::popcount(word));
        return count;
    }

    // Calls `visit(char)` for each member.
    template <class Visit>
    constexpr void for_each(Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
                visit(static_cast<char>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))));
            }
        }
    }

    // first and last included
    static constexpr ByteSet range(char first, char last) noexcept {
        ByteSet set;
        for (int value = static_cast<unsigned char>(first);
             value <= static_cast<unsigned char>(last); ++value) {
            set.add(static_cast<char>(value));
        }
        return set;
    }

private:
    static constexpr std::size_t index(char c) noexcept {
        return static_cast<unsigned char>(c) >> 6;
    }
    static constexpr unsigned bit(char c) noexcept { return static_cast<unsigned char>(c) & 63U; }
    constexpr std::uint64_t word(char c) const noexcept { return words_[index(c)]; }

    std::array<std::uint64_t, 4> words_{};
};

inline constexpr ByteSet kDigits = ByteSet::range('0', '9');
inline constexpr ByteSet kLower = ByteSet::range('a', 'z');
inline constexpr ByteSet kUpper = ByteSet::range('A', 'Z');
inline constexpr ByteSet kAlnum = kDigits | kLower | kUpper;
inline constexpr ByteSet kWordBytes = kAlnum | ByteSet("_");

// How often each byte stands in text that people search: source code and documents of several
// languages. Decides which bytes of a pattern are looked for first; never what is found.
// Halves every 8 steps; the most frequent byte, the space, has kCommonest.
inline constexpr int kCommonest = 160;
std::uint8_t commonness(unsigned char byte) noexcept;

// Of one byte in ordinary text: the share of bytes that are equal to it.
double frequency(unsigned char byte) noexcept;

}  // namespace paddock::text
