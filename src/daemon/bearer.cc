#include "daemon/bearer.h"

#include <algorithm>

#include "net/message.h"
#include "sys/io.h"

namespace paddock::daemon {
namespace {

constexpr std::size_t kTokenBytesMin = 16;
constexpr std::size_t kTokenBytesMax = 1024;

}  // namespace

Outcome<std::string> make_secret() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string secret;
    for (int word = 0; word < 4; ++word) {
        PADDOCK_ASSIGN(bits, sys::random_u64());
        for (int digit = 0; digit < 16; ++digit, bits >>= 4) secret += kDigits[bits & 0xf];
    }
    return secret;
}

bool equal_secrets(std::string_view given, std::string_view expected) noexcept {
    // The compiler must not see that the answer is known after the first difference.
    volatile unsigned difference = given.size() == expected.size() ? 0 : 1;
    if (expected.empty()) return false;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto a = static_cast<unsigned char>(given[i]);
        const auto b = static_cast<unsigned char>(expected[i % expected.size()]);
        difference = difference | static_cast<unsigned>(a ^ b);
    }
    return difference == 0;
}

std::string_view bearer_of(std::string_view authorization) noexcept {
    constexpr std::string_view kScheme = "bearer ";
    if (!net::equal_but_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
    std::string_view token = authorization.substr(kScheme.size());
    while (token.starts_with(' ')) token.remove_prefix(1);
    return token;
}

bool is_usable_token(std::string_view token) noexcept {
    return token.size() >= kTokenBytesMin && token.size() <= kTokenBytesMax &&
           std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace paddock::daemon
