#include "sandbox/foreign_path.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "sys/name.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {
namespace {

constexpr std::size_t kPage = 4096;  // or a multiple of it

char* write_text(char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

// "/proc/PROCESS/cwd" or "/proc/PROCESS/fd/DIRECTORY".
std::array<char, 48> link_in_proc(int process, int directory) {
    std::array<char, 48> path{};
    char* const end = path.data() + path.size() - 1;
    char* at = write_text(path.data(), "/proc/");
    at = std::to_chars(at, end, process).ptr;
    if (directory == AT_FDCWD) {
        write_text(at, "/cwd");
    } else {
        at = write_text(at, "/fd/");
        std::to_chars(at, end, directory);
    }
    return path;
}

}  // namespace

std::size_t read_foreign(int process, std::uint64_t address, std::span<char> buffer) noexcept {
    const auto size = sys::seccomp::read_memory(process, address, buffer.data(), buffer.size());
    return size ? *size : 0;
}

Done ForeignPath::read(int process, int directory, std::uint64_t address) {
    std::array<char, limits::kPathBytesMax> raw;
    std::size_t size = 0;
    while (size < raw.size()) {
        // To the end of a page: the next may not be mapped.
        const std::size_t in_page = kPage - (address + size) % kPage;
        const std::size_t part = std::min(in_page, raw.size() - size);
        const std::size_t got = read_foreign(process, address + size, {raw.data() + size, part});
        if (got == 0) return Failure::from_errno(EFAULT);
        const auto* begin = raw.data() + size;
        if (const void* end = std::memchr(begin, '\0', got); end != nullptr) {
            size += static_cast<std::size_t>(static_cast<const char*>(end) - begin);
            return set(process, directory, {raw.data(), size});
        }
        size += got;
    }
    return Failure::from_errno(ENAMETOOLONG);
}

Done ForeignPath::set(int process, int directory, std::string_view path) {
    size_ = 0;
    text_[0] = '\0';
    if (path.empty()) return Failure::from_errno(ENOENT);
    if (path.front() != '/') {
        std::array<char, limits::kPathBytesMax> base;
        PADDOCK_ASSIGN(size, sys::read_link(link_in_proc(process, directory).data(), base));
        if (size == 0 || base[0] != '/') return Failure::from_errno(ENOENT);
        append({base.data(), size});
    }
    append(path);
    if (size_ == 0) {
        text_[0] = '/';
        text_[1] = '\0';
        size_ = 1;
    }
    return {};
}

void ForeignPath::shorten(std::size_t size) noexcept {
    size_ = size;
    text_[size_] = '\0';
}

void ForeignPath::append(std::string_view path) noexcept {
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        if (name.empty() || name == ".") continue;
        if (name == "..") {
            const std::size_t slash = view().rfind('/');
            size_ = slash == std::string_view::npos ? 0 : slash;
        } else {
            text_[size_] = '/';
            write_text(text_.data() + size_ + 1, name);
            size_ += 1 + name.size();
        }
    }
    text_[size_] = '\0';
}

}  // namespace paddock::sandbox
