#include "sys/wait.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"
#include "sys/call.h"

namespace paddock::sys {
namespace {

constexpr std::size_t kWatchedMax = 8;

using Clock = std::chrono::steady_clock;

// For poll, rounded up: 0 would not wait at all.
int time_left(const std::optional<Clock::time_point>& deadline) {
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    return static_cast<int>(
        std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace

Outcome<bool> wait_readable(std::span<Watched> watched,
                            std::optional<std::chrono::milliseconds> at_most) {
    PADDOCK_CHECK(watched.size() <= kWatchedMax);
    std::array<pollfd, kWatchedMax> wanted{};
    for (std::size_t i = 0; i < watched.size(); ++i) {
        const short events = watched[i].only_end ? short{0} : short{POLLIN};
        wanted[i] = {watched[i].fd, events, 0};
    }
    std::optional<Clock::time_point> deadline;
    if (at_most) deadline = Clock::now() + *at_most;
    const auto ready = ask_kernel(
        Call::kPoll, [&] { return ::poll(wanted.data(), watched.size(), time_left(deadline)); });
    if (!ready) return ready.error();
    for (std::size_t i = 0; i < watched.size(); ++i) watched[i].ready = wanted[i].revents != 0;
    return *ready > 0;
}

Outcome<UniqueFd> make_wakeup() {
    const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) return Failure::from_errno(errno);
    return UniqueFd(fd);
}

void wake(int wakeup) noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wakeup, &one, sizeof one);
}

void rest(int wakeup) noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t taken = ::read(wakeup, &count, sizeof count);
}

}  // namespace paddock::sys
