#include "sys/io.h"

#include <linux/fs.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

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

}  // namespace paddock::sys
