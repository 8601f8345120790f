#include "net/message.h"

#include <algorithm>

namespace paddock::net {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace

bool equal_but_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* find(const Headers& headers, std::string_view name) noexcept {
    for (const Header& header : headers) {
        if (equal_but_case(header.name, name)) return &header.value;
    }
    return nullptr;
}

std::size_t count(const Headers& headers, std::string_view name) noexcept {
    return static_cast<std::size_t>(
        std::count_if(headers.begin(), headers.end(),
                      [name](const Header& header) { return equal_but_case(header.name, name); }));
}

}  // namespace paddock::net
