// A file as a tool reads it: what it takes in is counted.
#pragma once

#include <cstdint>
#include <string>

#include <paddock/handle.h>

#include "policy/meter.h"
#include "tools/answer.h"

namespace paddock::tools {

// The largest file whose reading counts as quick: about a millisecond, lines and secrets included.
inline constexpr std::uint64_t kQuickReadBytesMax = std::uint64_t{1} << 20;

// A regular file, open for reading. All that is read counts, the beginning once.
class OpenFile {
public:
    // `named`: as errors name it.
    OpenFile(std::string path, std::string named, Handle handle, policy::Meter& meter)
        : path_(std::move(path)),
          named_(std::move(named)),
          handle_(std::move(handle)),
          meter_(meter) {}

    const std::string& path() const noexcept { return path_; }  // canonical
    const Stat& stat() const noexcept { return handle_.stat(); }

    Result<std::size_t> read_at(std::uint64_t position, char* buffer, std::size_t size);
    Result<std::string> read_all(std::uint64_t bytes_max);

private:
    Result<void> count(std::uint64_t from, std::uint64_t bytes);

    std::string path_;
    std::string named_;
    Handle handle_;
    policy::Meter& meter_;
    std::uint64_t counted_ = 0;  // bytes from the start of the file
};

}  // namespace paddock::tools
