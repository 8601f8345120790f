// Moving bytes. EINTR is retried; transfers may be short where the name does not say "all".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/outcome.h"

namespace paddock::sys {

Outcome<std::size_t> read(int fd, char* buffer, std::size_t size);

Outcome<std::size_t> read_at(int fd, char* buffer, std::size_t size, std::uint64_t position);

// Writes everything or fails. A file-size limit is reported as too_large: its SIGXFSZ, which would
// end the process, is held back for this thread and consumed.
Done write_all(int fd, std::string_view bytes);

// The same at a position, of few bytes: in one call.
Done write_at(int fd, std::string_view bytes, std::uint64_t position);

// What fits now, of a descriptor that never waits.
Outcome<std::size_t> write_now(int fd, std::string_view bytes);

// Bytes copied inside the kernel, 0 at the end; fails with EXDEV, EINVAL or ENOSYS where it cannot.
Outcome<std::size_t> copy_range(int from, int to, std::size_t size);

// The whole content of `from` becomes that of `to`, shared on the disk until one of them changes
// (FICLONE). Only some file systems can: EOPNOTSUPP, EXDEV, EINVAL, ENOTTY elsewhere.
Done clone_content(int from, int to);

// The next bytes of a file at or after `position` that are not a hole; nothing if only a hole is
// left. A file system that cannot tell has no holes.
struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};
Outcome<std::optional<Extent>> next_data(int fd, std::uint64_t position);

// One message of a socket, without waiting (EAGAIN) and without SIGPIPE where the peer is gone.
Done send_now(int socket, std::string_view message);
Outcome<std::size_t> receive_now(int socket, char* buffer, std::size_t size);  // 0: it is gone

Done seek(int fd, std::uint64_t position);

// Of an open file, for as long as it is open (flock). Replaces the one that it has.
enum class FileLock : std::uint8_t { kNone, kShared, kAlone };
Done lock_file(int fd, FileLock lock);      // waits for it
Done try_lock_file(int fd, FileLock lock);  // race: somebody else has it; the old one may be lost

// Has the disk begin with what a sync_data() later waits for. What fails here fails there.
void begin_sync(int fd);
Done sync_data(int fd);
Done sync_all(int fd);
Done truncate(int fd, std::uint64_t size);  // a file-size limit as in write_all
Outcome<std::uint64_t> random_u64();

}  // namespace paddock::sys
