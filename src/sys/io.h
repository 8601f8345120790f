// Moving bytes. EINTR is retried; transfers may be short where the name does not say "all".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/outcome.h"

namespace paddock::sys {

Outcome<std::size_t> read(int fd, char* buffer, std::size_t size);

// Writes everything or fails. A file-size limit is reported as too_large: its SIGXFSZ, which would
// end the process, is held back for this thread and consumed.
Done write_all(int fd, std::string_view bytes);

// Bytes copied inside the kernel, 0 at the end; fails with EXDEV, EINVAL or ENOSYS where it cannot.
Outcome<std::size_t> copy_range(int from, int to, std::size_t size);

Done sync_data(int fd);
Done sync_all(int fd);
Done truncate(int fd, std::uint64_t size);
Outcome<std::uint64_t> random_u64();

}  // namespace paddock::sys
