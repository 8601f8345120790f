#include "sys/kernel_text.h"

#include <fcntl.h>

#include <algorithm>

#include "sys/files.h"
#include "sys/io.h"

namespace paddock::sys {

Outcome<std::string> read_text(int directory, const char* name) {
    constexpr std::size_t kBytesMax = std::size_t{1} << 20;
    PADDOCK_ASSIGN(file, sys::openat(directory, name, O_RDONLY));
    std::string text;
    char block[4096];
    while (text.size() < kBytesMax) {
        PADDOCK_ASSIGN(size, sys::read(file.get(), block, sizeof block));
        if (size == 0) break;
        text.append(block, size);
    }
    return text;
}

Done write_text(int directory, const char* name, std::string_view text) {
    PADDOCK_ASSIGN(file, sys::openat(directory, name, O_WRONLY));
    return sys::write_all(file.get(), text);
}

std::string_view next_word(std::string_view& line) {
    constexpr std::string_view kBlanks = " \t\r";
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    return word;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        if (end != 0) parts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

}  // namespace paddock::sys
