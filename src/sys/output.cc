#include "sys/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "sys/call.h"

namespace paddock::sys {
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
