// The kernel's handle of a file, as text: name_to_handle_at(2) and open_by_handle_at(2).
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <sstream>
#include <string>

namespace inmates {

class FileHandle {
public:
    // Empty if the file system has none.
    static std::string of(const std::string& path) {
        FileHandle handle;
        int mount = 0;
        handle.raw().handle_bytes = kBytes;
        if (::name_to_handle_at(AT_FDCWD, path.c_str(), &handle.raw(), &mount, 0) != 0) return {};
        std::ostringstream text;
        text << handle.raw().handle_type << ' ' << handle.raw().handle_bytes;
        for (unsigned i = 0; i < handle.raw().handle_bytes; ++i) {
            text << ' ' << std::to_integer<unsigned>(handle.memory_[sizeof(file_handle) + i]);
        }
        return text.str();
    }

    // A descriptor, or -1. `mount`: anything on the same file system.
    static int open(const std::string& text, int mount) {
        FileHandle handle;
        std::istringstream numbers(text);
        numbers >> handle.raw().handle_type >> handle.raw().handle_bytes;
        unsigned byte = 0;
        for (unsigned i = 0; i < kBytes && numbers >> byte; ++i) {
            handle.memory_[sizeof(file_handle) + i] = static_cast<std::byte>(byte);
        }
        return ::open_by_handle_at(mount, &handle.raw(), O_RDONLY | O_CLOEXEC);
    }

private:
    static constexpr unsigned kBytes = 128;

    file_handle& raw() { return *reinterpret_cast<file_handle*>(memory_); }

    alignas(file_handle) std::byte memory_[sizeof(file_handle) + kBytes] = {};
};

}  // namespace inmates
