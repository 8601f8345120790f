// Reading a directory through a descriptor, in blocks, without libc's stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <paddock/handle.h>

#include "base/outcome.h"

namespace paddock::sys {

struct DirEntry {
    const char* name = nullptr;          // valid until the next call; never "." or ".."
    FileType type = FileType::kUnknown;  // as the file system says; kUnknown: ask node_at
    std::int64_t next = 0;               // position after this entry, for seek
};

class DirReader {
public:
    // The next entry of `fd`, which must be the same descriptor until reset(); nullptr at the end.
    Outcome<const DirEntry*> next(int fd);

    // Forgets what was read ahead: call it before reading another descriptor.
    void reset() noexcept { position_ = filled_ = 0; }

private:
    static constexpr std::size_t kBlockBytes = 32768;

    // Not initialised: that would cost more than reading most directories.
    std::unique_ptr<char[]> block_ = std::make_unique_for_overwrite<char[]>(kBlockBytes);
    std::size_t position_ = 0;
    std::size_t filled_ = 0;
    DirEntry entry_;
};

// Goes to a DirEntry::next, or to the beginning (0).
Done seek_entry(int fd, std::int64_t position);

}  // namespace paddock::sys
