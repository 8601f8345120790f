// Lines that a backslash at the end joins: shells, makefiles, Dockerfiles and C write a long token
// on several.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <paddock/limits.h>

namespace paddock::secrets {

// The longest join that is understood.
inline constexpr std::size_t kJoinBytesMax = 24;

// Bytes from a backslash at the start of `text` to where the next line goes on: the line end, and
// what a listing or a diff puts before the line ("    12\t", "12:", "+"). 0: it is no such
// backslash. Looks at kJoinBytesMax bytes.
std::size_t join_length(std::string_view text) noexcept;

// A text without its joins. Only the first few are taken out.
class JoinedLines {
public:
    // At most limits::kSecretAheadMax bytes.
    explicit JoinedLines(std::string_view text) noexcept;

    std::string_view text() const noexcept { return {bytes_.data(), size_}; }
    // Where in the text as it was given this place is.
    std::size_t begin_of(std::size_t place) const noexcept;
    std::size_t end_of(std::size_t place) const noexcept;

private:
    struct Join {
        std::size_t place;  // in the joined text
        std::size_t left_out;
    };
    static constexpr std::size_t kJoinsMax = 16;

    std::array<char, limits::kSecretAheadMax> bytes_;
    std::size_t size_ = 0;
    std::array<Join, kJoinsMax> made_;
    std::size_t joins_ = 0;
};

}  // namespace paddock::secrets
