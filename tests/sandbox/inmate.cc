// inmate NAME ARGUMENTS: makes one attempt inside a sandbox and exits with 0 if it succeeded, else
// with the errno; 125 for an unknown name.
#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Arguments = std::vector<std::string>;

int error_if(bool failed) { return failed ? errno : 0; }

int open_for_writing(const Arguments& arguments) {
    return error_if(::open(arguments.at(0).c_str(), O_WRONLY | O_CLOEXEC) < 0);
}

int connect_to_port(const Arguments& arguments) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return errno;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(arguments.at(0))));
    return error_if(
        ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0);
}

int connect_to_abstract(const Arguments& arguments) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return errno;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& name = arguments.at(0);
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return error_if(::connect(socket, reinterpret_cast<const sockaddr*>(&address), size) != 0);
}

int use_own_loopback(const Arguments&) {
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (::bind(server, any, size) != 0 || ::listen(server, 1) != 0 ||
        ::getsockname(server, any, &size) != 0) {
        return errno;
    }
    return connect_to_port({std::to_string(ntohs(address.sin_port))});
}

int count_descriptors(const Arguments&) {
    int count = 0;
    for (int fd = 0; fd < 4096; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
}

int set_user(const Arguments&) { return error_if(::syscall(SYS_setresuid, 0, 0, 0) != 0); }

int set_groups(const Arguments&) { return error_if(::setgroups(0, nullptr) != 0); }

int change_capabilities(const Arguments&) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {{1U << CAP_SYS_ADMIN, 1U << CAP_SYS_ADMIN, 0}, {0, 0, 0}};
    return error_if(::syscall(SYS_capset, &header, data) != 0);
}

int remount_writable(const Arguments& arguments) {
    return error_if(
        ::mount(nullptr, arguments.at(0).c_str(), nullptr, MS_REMOUNT | MS_BIND, nullptr) != 0);
}

int unmount(const Arguments& arguments) {
    return error_if(::umount2(arguments.at(0).c_str(), MNT_DETACH) != 0);
}

int new_user_namespace(const Arguments&) { return error_if(::unshare(CLONE_NEWUSER) != 0); }

int signal_process(const Arguments& arguments) {
    return error_if(::kill(std::stoi(arguments.at(0)), std::stoi(arguments.at(1))) != 0);
}

// Children that wait for the end of this process; says how many there could be.
int fork_many(const Arguments& arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
    int made = 0;
    for (; made < std::stoi(arguments.at(0)); ++made) {
        const pid_t child = ::fork();
        if (child < 0) break;
        if (child == 0) {
            char nothing = 0;
            ::close(ends[1]);
            ::_exit(static_cast<int>(::read(ends[0], &nothing, 1)));
        }
    }
    ::dprintf(1, "%d", made);
    return 0;
}

int fork_and_stay(const Arguments& arguments) {
    fork_many(arguments);
    for (;;) ::pause();
}

int touch_memory(const Arguments& arguments) {
    const std::size_t bytes = std::stoull(arguments.at(0)) << 20;
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return error_if(memory == MAP_FAILED);
}

// Leaves the session and its parents behind, then waits for ever.
int become_daemon(const Arguments& arguments) {
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    const pid_t parent = ::getpid();
    if (::fork() != 0) ::_exit(0);
    while (::getppid() == parent) ::sched_yield();
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_IGN);
    if (!arguments.empty()) {
        const int file = ::open(arguments[0].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        ::dprintf(file, "%d", ::getpid());
        ::close(file);
    }
    for (;;) ::pause();
}

// Wants its orphans to go to whoever started it.
int lose_orphans(const Arguments& arguments) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    if (::fork() == 0) become_daemon(arguments);
    for (;;) ::pause();
}

// Wants a child that is one of whoever started it; makes do with its own.
int start_sibling(const Arguments& arguments) {
    const long sibling = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (sibling == 0 || (sibling < 0 && ::fork() == 0)) become_daemon(arguments);
    for (;;) ::pause();
}

// Each generation forks the next and ends, as fast as it goes.
int fork_chain(const Arguments&) {
    for (;;) {
        const pid_t child = ::fork();
        if (child > 0) ::_exit(0);
        if (child == 0) ::setsid();
    }
}

// The same without copying memory, so that a generation lasts as long as it takes to start the
// next. Until there is a file of that name; its leader ends at once.
const char* g_stop = nullptr;
alignas(16) char g_stacks[64][16384];
std::atomic<unsigned> g_generation = 0;

int hop_on(void*) {
    constexpr unsigned kGenerationsMax = 5'000'000;
    const unsigned now = ++g_generation;
    if (now % 64 == 0 && (now > kGenerationsMax || ::access(g_stop, F_OK) == 0)) ::_exit(0);
    // Refused while too many have ended that nobody has taken in yet.
    while (::clone(hop_on, g_stacks[now % 64] + sizeof g_stacks[0], CLONE_VM | SIGCHLD, nullptr) <
               0 &&
           ::access(g_stop, F_OK) != 0) {
    }
    ::_exit(0);
}

int hop(const Arguments& arguments) {
    g_stop = arguments.at(0).c_str();
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    for (const int low : {0, 1, 2}) ::close(low);
    return hop_on(nullptr);
}

// Stops every process that it may, as fast as it goes.
int stop_all(const Arguments& arguments) {
    const int file = ::open(arguments.at(0).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ::close(file);
    for (;;) ::kill(-1, SIGSTOP);
}

int terminal_size(const Arguments&) {
    const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0) return errno;
    ::dprintf(terminal, "%d on a terminal\n", ::isatty(0) + ::isatty(1) + ::isatty(2));
    return 0;
}

int install_filter(unsigned long flags) {
    sock_filter allow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    const sock_fprog program{1, &allow};
    return error_if(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) < 0);
}

int own_filter(const Arguments&) { return install_filter(0); }

int own_listener(const Arguments&) { return install_filter(SECCOMP_FILTER_FLAG_NEW_LISTENER); }

const std::map<std::string_view, std::function<int(const Arguments&)>>& attempts() {
    static const std::map<std::string_view, std::function<int(const Arguments&)>> all{
        {"become_daemon", become_daemon},
        {"change_capabilities", change_capabilities},
        {"connect_to_abstract", connect_to_abstract},
        {"connect_to_port", connect_to_port},
        {"count_descriptors", count_descriptors},
        {"fork_and_stay", fork_and_stay},
        {"fork_chain", fork_chain},
        {"fork_many", fork_many},
        {"hop", hop},
        {"lose_orphans", lose_orphans},
        {"new_user_namespace", new_user_namespace},
        {"open_for_writing", open_for_writing},
        {"own_filter", own_filter},
        {"own_listener", own_listener},
        {"remount_writable", remount_writable},
        {"set_groups", set_groups},
        {"set_user", set_user},
        {"signal_process", signal_process},
        {"start_sibling", start_sibling},
        {"stop_all", stop_all},
        {"terminal_size", terminal_size},
        {"touch_memory", touch_memory},
        {"unmount", unmount},
        {"use_own_loopback", use_own_loopback},
    };
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const auto found = argc > 1 ? attempts().find(argv[1]) : attempts().end();
    return found == attempts().end() ? 125 : found->second({argv + 2, argv + argc});
}
