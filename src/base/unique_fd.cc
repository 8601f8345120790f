#include <paddock/unique_fd.h>

#include <unistd.h>

namespace paddock {

// close() is never retried: Linux frees the number even when it reports EINTR.
void UniqueFd::reset(int fd) noexcept {
    const int old = std::exchange(fd_, fd);
    if (old >= 0) ::close(old);
}

}  // namespace paddock
