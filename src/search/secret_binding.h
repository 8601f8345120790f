// From a name to its value: the ways in which files, programs and logs write "name is value".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "search/secret_match.h"

namespace paddock::search {

struct Binding {
    enum class Sign : std::uint8_t {
        kEqual,    // name=value, name = "value", name => 'value', name == "value"
        kColon,    // name: value, "name": "value"
        kComma,    // 'name', 'value'
        kElement,  // name>value<
    };

    Sign sign = Sign::kEqual;
    bool tight = false;     // no space on either side of the sign
    char quote = 0;         // what opens the value, or 0
    bool escaped = false;   // the quote follows a backslash
    std::size_t value = 0;  // where the value begins
};

// What stands behind a name, which ends where `text` begins.
std::optional<Binding> binding_at(std::string_view text) noexcept;

struct Value {
    std::string_view examined;  // its start, at most kValueExaminedMax bytes
    const Tail* tail;           // all of it
    bool alone;                 // what follows is the end of a line or element, not of a statement
};
inline constexpr std::size_t kValueExaminedMax = 64;

// The value at the start of `text`. `shell`: only spaces, quotes and what a shell would stop at end
// it, if it has no quotes.
Value value_at(std::string_view text, const Binding& binding, bool shell) noexcept;

// True if `text` begins with `lower_case` in any case.
bool begins_with(std::string_view text, std::string_view lower_case) noexcept;

}  // namespace paddock::search
