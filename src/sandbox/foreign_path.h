// A path that another process hands to the kernel, as an absolute one. Nothing here allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <paddock/limits.h>

#include "base/outcome.h"

namespace paddock::sandbox {

class ForeignPath {
public:
    // Most of the text is never touched, so it is not initialised.
    ForeignPath() noexcept { text_[0] = '\0'; }  // NOLINT(*-member-init)

    // Reads the string at `address` of `process`. A relative one is joined to what /proc says of
    // `directory`, a descriptor of that process or AT_FDCWD; "." and ".." are then taken off by
    // name. Fails where memory or /proc cannot be read.
    Done read(int process, int directory, std::uint64_t address);

    // The same for a string that was read already.
    Done set(int process, int directory, std::string_view path);

    // Keeps so many bytes of it, not more than there are.
    void shorten(std::size_t size) noexcept;

    // Empty until one of the two succeeded. A terminating NUL follows it.
    std::string_view view() const noexcept { return {text_.data(), size_}; }
    const char* c_str() const noexcept { return text_.data(); }

private:
    void append(std::string_view component) noexcept;

    std::array<char, 2 * limits::kPathBytesMax + 2> text_;
    std::size_t size_ = 0;
};

// Copies up to size bytes that lie at `address` of `process`, fewer where its memory ends.
std::size_t read_foreign(int process, std::uint64_t address, std::span<char> buffer) noexcept;

}  // namespace paddock::sandbox
