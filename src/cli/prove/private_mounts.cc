#include "cli/prove/private_mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>

#include "sys/host.h"

namespace paddock::cli::prove {
namespace {

Verdict unable(const std::string& what) {
    return {Fate::kSkipped, {}, what + ": " + std::generic_category().message(errno), 0};
}

bool put(const char* file, const std::string& text) {
    const UniqueFd fd(::open(file, O_WRONLY | O_CLOEXEC));
    return fd.valid() && ::write(fd.get(), text.data(), text.size()) > 0;
}

// As root directly; as an ordinary user by way of a user namespace in which one is root.
bool enter_namespace() {
    const std::string uid = std::to_string(::geteuid());
    const std::string gid = std::to_string(::getegid());
    if (::unshare(CLONE_NEWNS) != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
        put("/proc/self/setgroups", "deny");
        if (!put("/proc/self/uid_map", "0 " + uid + " 1")) return false;
        if (!put("/proc/self/gid_map", "0 " + gid + " 1")) return false;
    }
    return sys::make_mounts_private().has_value();
}

// A verdict on its way through a pipe: three numbers, then the detail.
struct Header {
    int fate = 0;
    int code = -1;
    int tries = 0;
};

void send(int fd, const Verdict& verdict) {
    const Header header{static_cast<int>(verdict.fate),
                        verdict.code ? static_cast<int>(*verdict.code) : -1, verdict.tries};
    std::string message(sizeof header, '\0');
    std::memcpy(message.data(), &header, sizeof header);
    message += verdict.detail.substr(0, PIPE_BUF - sizeof header);
    [[maybe_unused]] const ssize_t ignored = ::write(fd, message.data(), message.size());
}

Verdict receive(int fd) {
    std::array<char, PIPE_BUF> message;
    ssize_t got = 0;
    do {
        got = ::read(fd, message.data(), message.size());
    } while (got < 0 && errno == EINTR);
    Header header;
    if (got < static_cast<ssize_t>(sizeof header)) {
        return {Fate::kSkipped, {}, "the child process ended without a verdict", 0};
    }
    std::memcpy(&header, message.data(), sizeof header);
    Verdict verdict;
    verdict.fate = static_cast<Fate>(header.fate);
    if (header.code >= 0) verdict.code = static_cast<Code>(header.code);
    verdict.tries = header.tries;
    verdict.detail.assign(message.data() + sizeof header,
                          static_cast<std::size_t>(got) - sizeof header);
    return verdict;
}

}  // namespace

Verdict with_private_mounts(const std::function<Verdict()>& trial) {
    auto pipe = sys::pipe();
    if (!pipe) return unable("no pipe");
    const pid_t child = ::fork();
    if (child < 0) return unable("no child process");
    if (child == 0) {
        const Verdict verdict = enter_namespace() ? trial() : unable("no mount namespace");
        send(pipe->write.get(), verdict);
        ::_exit(0);
    }
    pipe->write.reset();
    Verdict verdict = receive(pipe->read.get());
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return verdict;
}

BindMount::BindMount(const Ground& ground, std::string_view name) {
    if (name.empty()) return;
    const std::string place = ground.ws(name);
    if (::mount(ground.out().c_str(), place.c_str(), nullptr, MS_BIND, nullptr) != 0) {
        throw std::system_error(errno, std::generic_category(), "no mount can be made");
    }
    place_ = place;
}

BindMount::~BindMount() {
    if (!place_.empty()) ::umount2(place_.c_str(), MNT_DETACH);
}

}  // namespace paddock::cli::prove
