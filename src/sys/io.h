// Moving bytes. EINTR is retried; transfers may be short where the name does not say "all".
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <paddock/unique_fd.h>

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

// Sockets of the network: close-on-exec, non-blocking. EINTR is retried, SIGPIPE never raised,
// transfers may be short. What cannot be done now is a failure for which would_block holds.
bool would_block(const Failure& failure) noexcept;

// An address as the kernel takes it.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

Outcome<UniqueFd> socket(int family, int type);

// A socket for datagrams to 127.0.0.1:`port`; 0: a port that the kernel chooses.
Outcome<UniqueFd> datagrams_on_loopback(std::uint16_t port);

// Asked again after "not now", it says how it went, as often as it is asked.
Done connect(int socket, const SocketAddress& address);

Outcome<UniqueFd> accept(int listener);
Outcome<SocketAddress> peer_address(int socket);
Outcome<std::size_t> send(int socket, std::string_view bytes);
Outcome<std::size_t> receive(int socket, char* buffer, std::size_t size);  // 0: the end
// Of a datagram what fits in the buffer. 0: it is empty.
Outcome<std::size_t> receive_from(int socket, char* buffer, std::size_t size, SocketAddress& from);
Done send_to(int socket, std::string_view bytes, const SocketAddress& to);
Done end_sending(int socket);
Done set_nonblocking(int fd);
void send_small_parts_at_once(int socket) noexcept;  // TCP_NODELAY

// Writing to a pipe, socket, terminal or file that somebody else reads, without waiting for them.
class Output {
public:
    // Borrows `fd`. A pipe is opened once more, by way of /proc, so that whoever shares `fd` does
    // not feel that it no longer waits; where that cannot be, writing may wait after all.
    static Output on(int fd);

    // Writes what fits now; 0: nothing does. A reader that is gone is EPIPE; SIGPIPE must be
    // ignored.
    Outcome<std::size_t> write_now(std::string_view bytes) const;

    // Until something can be written, the reader is gone, or `wakeup` can be read.
    Done wait(int wakeup) const;

    // Readable, in the sense of wait_readable, once the reader is gone; -1 where that does not
    // show.
    int end_shows_on() const noexcept { return end_shows_ ? fd() : -1; }

private:
    enum class Kind : std::uint8_t { kOther, kPipe, kSocket };

    int fd() const noexcept { return own_.valid() ? own_.get() : fd_; }

    int fd_ = -1;
    Kind kind_ = Kind::kOther;
    bool end_shows_ = false;
    UniqueFd own_;
};

// For the whole process: writing to a pipe without a reader is an error, and no more.
void ignore_broken_pipes() noexcept;

}  // namespace paddock::sys
