#include "fs/readable.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>

#include <paddock/limits.h>

#include "fs/changeable.h"
#include "fs/resolver.h"
#include "sys/io.h"

namespace paddock::fs {
namespace {

constexpr std::size_t kBlockBytes = 4096;

// One byte more than the announced size, so that a file of just that size takes a single pass; but
// no more on the file's word than what is read anyway: a sparse file can announce anything. What
// announces nothing, as a pipe, may give a little at a time, and ends only where it says so.
Outcome<std::string> read_all(int fd, std::uint64_t size, std::uint64_t bytes_max) {
    if (size > bytes_max) return refuse(Code::kTooLarge);
    const bool is_announced = size > 0;
    std::string content(is_announced ? std::min(size, limits::kReadFileBytesMax) + 1 : kBlockBytes,
                        '\0');
    std::size_t filled = 0;
    for (;;) {
        PADDOCK_ASSIGN(got, sys::read(fd, content.data() + filled, content.size() - filled));
        filled += got;
        if (got == 0) break;
        if (is_announced && filled < content.size() && filled >= size) break;
        if (filled > bytes_max) return refuse(Code::kTooLarge, "grew too large while it was read");
        if (filled == content.size()) content.resize(content.size() * 2);
    }
    content.resize(filled);
    return content;
}

}  // namespace

Outcome<Handle> open_readable(const RootState& state, const RelPath& path) {
    PADDOCK_ASSIGN(fd, open_object(state, path, O_RDONLY | kNoWait));
    PADDOCK_ASSIGN(stat, sys::fstat(fd.get()));
    if (stat.type == FileType::kDirectory) return refuse(Code::kIsADirectory);
    if (stat.type != FileType::kRegular) return refuse(Code::kNotRegularFile);
    if (state.hardlinks == Hardlinks::kReject) {
        if (stat.links > 1) {
            return refuse(Code::kPermissionDenied, "has several hard links, which is refused here");
        }
        PADDOCK_TRY(check_still_named(state, path, stat));
    }
    return Handle(std::move(fd), stat);
}

Outcome<std::string> read_content(int fd, std::uint64_t size, std::uint64_t bytes_max) try {
    return read_all(fd, size, bytes_max);
} catch (const std::bad_alloc&) {
    return refuse(Code::kLimitReached, "is larger than the memory that is left", ENOMEM);
} catch (const std::length_error&) {
    return refuse(Code::kLimitReached, "is larger than memory can be", ENOMEM);
}

}  // namespace paddock::fs
