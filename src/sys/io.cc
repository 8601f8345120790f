#include "sys/io.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <utility>

#include "sys/call.h"

namespace paddock::sys {
namespace {

class HeldBackFileSizeSignal {
public:
    HeldBackFileSizeSignal() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &signal_, &previous_);
    }
    HeldBackFileSizeSignal(const HeldBackFileSizeSignal&) = delete;
    HeldBackFileSizeSignal& operator=(const HeldBackFileSizeSignal&) = delete;
    ~HeldBackFileSizeSignal() {
        if (sigismember(&previous_, SIGXFSZ) == 0)
            pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
    }

    void consume() const {
        const timespec now{};
        sigtimedwait(&signal_, nullptr, &now);
    }

private:
    sigset_t signal_;
    sigset_t previous_;
};

template <class System>
Outcome<std::size_t> transfer(Call which, std::size_t size, System system) {
    for (;;) {
        const Fault fault = next_fault(which);
        if (fault.error == EINTR) continue;
        if (fault.error != 0) return Failure::from_errno(fault.error);
        const std::size_t part = fault.bytes_max == 0 ? size : std::min(size, fault.bytes_max);
        const ssize_t moved = system(part);
        if (moved >= 0) return static_cast<std::size_t>(moved);
        if (errno != EINTR) return Failure::from_errno(errno);
    }
}

int flock_operation(FileLock lock) {
    switch (lock) {
        case FileLock::kNone: return LOCK_UN;
        case FileLock::kShared: return LOCK_SH;
        case FileLock::kAlone: return LOCK_EX;
    }
    return LOCK_UN;
}

}  // namespace

Outcome<std::size_t> read(int fd, char* buffer, std::size_t size) {
    return transfer(Call::kRead, size, [&](std::size_t part) { return ::read(fd, buffer, part); });
}

Outcome<std::size_t> write_now(int fd, std::string_view bytes) {
    return transfer(Call::kWrite, bytes.size(),
                    [&](std::size_t part) { return ::write(fd, bytes.data(), part); });
}

Done send_now(int socket, std::string_view message) {
    PADDOCK_TRY(ask_kernel(Call::kWrite, [&] {
        return ::send(socket, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    }));
    return {};
}

Outcome<std::size_t> receive_now(int socket, char* buffer, std::size_t size) {
    PADDOCK_ASSIGN(received, ask_kernel(Call::kRead, [&] {
                       return ::recv(socket, buffer, size, MSG_DONTWAIT);
                   }));
    return static_cast<std::size_t>(received);
}

Outcome<std::size_t> read_at(int fd, char* buffer, std::size_t size, std::uint64_t position) {
    return transfer(Call::kRead, size, [&](std::size_t part) {
        return ::pread(fd, buffer, part, static_cast<off_t>(position));
    });
}

Done write_at(int fd, std::string_view bytes, std::uint64_t position) {
    const HeldBackFileSizeSignal held_back;
    PADDOCK_ASSIGN(written, transfer(Call::kWrite, bytes.size(), [&](std::size_t part) {
                       return ::pwrite(fd, bytes.data(), part, static_cast<off_t>(position));
                   }));
    return written == bytes.size() ? Done() : Done(Failure::from_errno(EIO));
}

Done write_all(int fd, std::string_view bytes) {
    const HeldBackFileSizeSignal held_back;
    while (!bytes.empty()) {
        const auto written = transfer(Call::kWrite, bytes.size(), [&](std::size_t part) {
            return ::write(fd, bytes.data(), part);
        });
        if (!written) {
            if (written.error().os_error == EFBIG) held_back.consume();
            return written.error();
        }
        bytes.remove_prefix(*written);
    }
    return {};
}

Outcome<std::size_t> copy_range(int from, int to, std::size_t size) {
    const HeldBackFileSizeSignal held_back;
    const auto copied = transfer(Call::kCopyRange, size, [&](std::size_t part) {
        return ::copy_file_range(from, nullptr, to, nullptr, part, 0);
    });
    if (!copied && copied.error().os_error == EFBIG) held_back.consume();
    return copied;
}

Done clone_content(int from, int to) {
    return call(Call::kCopyRange, [&] { return ::ioctl(to, FICLONE, from); });
}

Outcome<std::optional<Extent>> next_data(int fd, std::uint64_t position) {
    const auto seek_to = [&](std::uint64_t at, int what) {
        return ask_kernel(Call::kSeek, [&] { return ::lseek(fd, static_cast<off_t>(at), what); });
    };
    const auto begin = seek_to(position, SEEK_DATA);
    if (!begin && begin.error().os_error == ENXIO) return std::nullopt;
    if (!begin) return begin.error();
    const auto start = static_cast<std::uint64_t>(*begin);
    const auto end = seek_to(start, SEEK_HOLE);
    if (!end && end.error().os_error == ENXIO) return std::nullopt;  // it was cut meanwhile
    if (!end) return end.error();
    return Extent{start, static_cast<std::uint64_t>(*end)};
}

Done lock_file(int fd, FileLock lock) {
    return call(Call::kPoll, [&] { return ::flock(fd, flock_operation(lock)); });
}

Done try_lock_file(int fd, FileLock lock) {
    return call(Call::kPoll, [&] { return ::flock(fd, flock_operation(lock) | LOCK_NB); });
}

Done seek(int fd, std::uint64_t position) {
    return call(Call::kSeek, [&] { return ::lseek(fd, static_cast<off_t>(position), SEEK_SET); });
}

void begin_sync(int fd) {
    (void)call(Call::kSync, [&] { return ::sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); });
}

Done sync_data(int fd) {
    return call(Call::kSync, [&] { return ::fdatasync(fd); });
}

Done sync_all(int fd) {
    return call(Call::kSync, [&] { return ::fsync(fd); });
}

Done truncate(int fd, std::uint64_t size) {
    const HeldBackFileSizeSignal held_back;
    auto done = call(Call::kTruncate, [&] { return ::ftruncate(fd, static_cast<off_t>(size)); });
    if (!done && done.error().os_error == EFBIG) held_back.consume();
    return done;
}

Outcome<std::uint64_t> random_u64() {
    std::uint64_t value = 0;
    if (::getentropy(&value, sizeof value) != 0) return Failure::from_errno(errno);
    return value;
}

bool would_block(const Failure& failure) noexcept {
    return failure.os_error == EAGAIN || failure.os_error == EINPROGRESS ||
           failure.os_error == EALREADY;
}

Outcome<UniqueFd> socket(int family, int type) {
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kSocket, [&] {
                       return ::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
                   }));
    return UniqueFd(static_cast<int>(fd));
}

Outcome<UniqueFd> datagrams_on_loopback(std::uint16_t port) {
    PADDOCK_ASSIGN(made, socket(AF_INET, SOCK_DGRAM));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    PADDOCK_TRY(call(Call::kSocket, [&] {
        return ::bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    }));
    return UniqueFd(std::move(made));
}

Done connect(int socket, const SocketAddress& address) {
    auto done = call(Call::kConnect, [&] {
        return ::connect(socket, reinterpret_cast<const sockaddr*>(&address.storage), address.size);
    });
    if (!done && done.error().os_error == EISCONN) return {};
    return done;
}

Outcome<UniqueFd> accept(int listener) {
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kAccept, [&] {
                       return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
                   }));
    return UniqueFd(static_cast<int>(fd));
}

Outcome<SocketAddress> peer_address(int socket) {
    SocketAddress peer;
    peer.size = sizeof peer.storage;
    PADDOCK_TRY(call(Call::kSocket, [&] {
        return ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer.storage), &peer.size);
    }));
    return peer;
}

Outcome<std::size_t> send(int socket, std::string_view bytes) {
    PADDOCK_ASSIGN(sent, ask_kernel(Call::kSend, [&] {
                       return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
                   }));
    return static_cast<std::size_t>(sent);
}

Outcome<std::size_t> receive(int socket, char* buffer, std::size_t size) {
    PADDOCK_ASSIGN(received,
                   ask_kernel(Call::kReceive, [&] { return ::recv(socket, buffer, size, 0); }));
    return static_cast<std::size_t>(received);
}

Outcome<std::size_t> receive_from(int socket, char* buffer, std::size_t size, SocketAddress& from) {
    auto* const address = reinterpret_cast<sockaddr*>(&from.storage);
    from.size = sizeof from.storage;
    PADDOCK_ASSIGN(received, ask_kernel(Call::kReceive, [&] {
                       return ::recvfrom(socket, buffer, size, 0, address, &from.size);
                   }));
    return static_cast<std::size_t>(received);
}

Done send_to(int socket, std::string_view bytes, const SocketAddress& to) {
    const auto* const address = reinterpret_cast<const sockaddr*>(&to.storage);
    return call(Call::kSend, [&] {
        return ::sendto(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL, address, to.size);
    });
}

Done end_sending(int socket) {
    if (::shutdown(socket, SHUT_WR) != 0) return Failure::from_errno(errno);
    return {};
}

Done set_nonblocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

void send_small_parts_at_once(int socket) noexcept {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

namespace {

// What many answers at once take. A pipe has a quarter of it.
constexpr int kPipeBytes = 1 << 18;

}  // namespace

Output Output::on(int fd) {
    Output output;
    output.fd_ = fd;
    struct stat status {};
    if (::fstat(fd, &status) != 0) return output;
    if (S_ISSOCK(status.st_mode)) output.kind_ = Kind::kSocket;
    if (S_ISFIFO(status.st_mode)) {
        output.kind_ = Kind::kPipe;
        std::array<char, 32> path{};
        (void)std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", fd);
        output.own_ = UniqueFd(::open(path.data(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
        // Refused to a user who has many pipes: then it stays as it is.
        if (::fcntl(fd, F_GETPIPE_SZ) < kPipeBytes) (void)::fcntl(fd, F_SETPIPE_SZ, kPipeBytes);
    }
    output.end_shows_ = output.kind_ != Kind::kOther;
    return output;
}

Outcome<std::size_t> Output::write_now(std::string_view bytes) const {
    const auto written = ask_kernel(Call::kWrite, [&] {
        return kind_ == Kind::kSocket
                   ? ::send(fd(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                   : ::write(fd(), bytes.data(), bytes.size());
    });
    if (written) return static_cast<std::size_t>(*written);
    if (written.error().os_error == EAGAIN) return std::size_t{0};
    return written.error();
}

Done Output::wait(int wakeup) const {
    std::array<pollfd, 2> polled{pollfd{fd(), POLLOUT, 0}, pollfd{wakeup, POLLIN, 0}};
    return call(Call::kPoll, [&] { return ::poll(polled.data(), polled.size(), -1); });
}

void ignore_broken_pipes() noexcept { (void)std::signal(SIGPIPE, SIG_IGN); }

}  // namespace paddock::sys
