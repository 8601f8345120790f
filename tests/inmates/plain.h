// The plain system, as short as attempts want it.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace inmates {

// Empty if it cannot be read.
inline std::string read_text(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return {};
    std::string text(65536, '\0');
    const ssize_t size = ::read(file, text.data(), text.size());
    ::close(file);
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
}

inline bool holds(const std::string& path, std::string_view text) {
    return read_text(path).find(text) != std::string::npos;
}

inline bool write_text(const std::string& path, std::string_view text, int flags = O_TRUNC) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0700);
    if (file < 0) return false;
    const bool written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    return ::close(file) == 0 && written;
}

inline bool append_text(const std::string& path, std::string_view text) {
    return write_text(path, text, O_APPEND);
}

// Makes the directories before the last slash.
inline void make_parents(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        ::mkdir(path.substr(0, slash).c_str(), 0700);
    }
}

inline bool exists(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0;
}

}  // namespace inmates
