// inmate NAME ARGUMENTS: makes one attempt inside a sandbox and exits with 0 if it succeeded, else
// with the errno; 125 for an unknown name.
#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
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
#include <thread>
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

// As many as it gets; says how many, makes a file and stays.
int watch_and_stay(const Arguments& arguments) {
    constexpr int kMost = 4096;
    int made = 0;
    while (made < kMost && ::inotify_init1(IN_CLOEXEC) >= 0) ++made;
    const int file = ::open(arguments.at(0).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ::dprintf(file, "%d", made);
    ::close(file);
    for (;;) ::pause();
}

int fork_and_stay(const Arguments& arguments) {
    fork_many(arguments);
    for (;;) ::pause();
}

void* map(std::size_t bytes, int flags, int file = -1) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    if (memory == MAP_FAILED) ::_exit(errno);
    return memory;
}

void hold_private(std::size_t bytes) {
    std::memset(map(bytes, MAP_PRIVATE | MAP_ANONYMOUS), 1, bytes);
}

void hold_shared(std::size_t bytes) {
    std::memset(map(bytes, MAP_SHARED | MAP_ANONYMOUS), 1, bytes);
}

void hold_memfd(std::size_t bytes) {
    const int file = ::memfd_create("held", 0);
    const std::vector<char> block(std::size_t{1} << 20, 'x');
    for (std::size_t written = 0; written < bytes; written += block.size()) {
        if (::write(file, block.data(), block.size()) < 0) ::_exit(errno);
    }
}

void hold_mapped_memfd(std::size_t bytes) {
    const int file = ::memfd_create("held", 0);
    if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) ::_exit(errno);
    std::memset(map(bytes, MAP_SHARED, file), 1, bytes);
}

// Nobody is attached to it any more.
void hold_segment(std::size_t bytes) {
    const int id = ::shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    void* memory = id < 0 ? nullptr : ::shmat(id, nullptr, 0);
    if (id < 0 || ::shmdt(std::memset(memory, 1, bytes)) != 0) ::_exit(errno);
}

// Sets as large as they may be.
void hold_semaphores(std::size_t bytes) {
    constexpr int kLargest = 255;
    constexpr std::size_t kSemaphore = 64;
    for (std::size_t held = 0; held < bytes; held += kLargest * kSemaphore) {
        if (::semget(IPC_PRIVATE, kLargest, 0600) < 0) ::_exit(errno);
    }
}

void hold_messages(std::size_t bytes) {
    struct Message {
        long type = 1;
        char text[8192] = {};
    } message;
    for (std::size_t held = 0; held < bytes;) {
        const int queue = ::msgget(IPC_PRIVATE, 0600);
        if (queue < 0) ::_exit(errno);
        while (::msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0) {
            held += sizeof message.text;
        }
    }
}

int make_large_set(const Arguments&) { return error_if(::semget(IPC_PRIVATE, 32000, 0600) < 0); }

// A page of a table for every two megabytes that are looked at; what is read there costs nothing.
void hold_tables(std::size_t bytes) {
    constexpr std::size_t kTable = 4096;
    constexpr std::size_t kSpanOfTable = std::size_t{2} << 20;
    const std::size_t span = bytes / kTable * kSpanOfTable;
    const auto* memory =
        static_cast<const volatile char*>(map(span, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE));
    ::madvise(const_cast<char*>(memory), span, MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < span; at += kSpanOfTable) (void)memory[at];
}

// Every other page differs from its neighbours: a mapping of the kernel's for each page.
void hold_mappings(std::size_t bytes) {
    constexpr std::size_t kPage = 4096;
    constexpr std::size_t kMapping = 256;
    const std::size_t span = bytes / kMapping * kPage;
    auto* memory = static_cast<char*>(map(span, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE));
    for (std::size_t at = 0; at < span; at += 2 * kPage) {
        if (::mprotect(memory + at, kPage, PROT_READ) != 0) ::_exit(errno);
    }
}

void start_children(int count, const std::function<void()>& body) {
    for (int i = 0; i < count; ++i) {
        int ready[2];
        if (::pipe(ready) != 0) ::_exit(errno);
        if (::fork() == 0) {
            body();
            ::close(ready[0]);
            ::close(ready[1]);
            for (;;) ::pause();
        }
        ::close(ready[1]);
        char byte = 0;
        (void)!::read(ready[0], &byte, 1);
        ::close(ready[0]);
    }
}

// What was held before is shared with eight children.
void hold_with_children(std::size_t bytes) {
    start_children(8, [&] { hold_private(bytes); });
}

// All of what is held here is mapped by 24 children.
void hold_with_readers(std::size_t bytes) {
    const int file = ::memfd_create("held", 0);
    if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) ::_exit(errno);
    auto* const memory = static_cast<char*>(map(bytes, MAP_SHARED, file));
    start_children(24, [&] { std::memset(memory, 1, bytes); });
}

// Reserves and does not touch.
void reserve(std::size_t bytes) { map(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE); }

// The caller goes on, in another thread, when the first thread of its process has ended.
void outlive_first_thread(const std::function<void()>& rest) {
    std::thread(rest).detach();
    ::syscall(SYS_exit, 0);
}

// DONE KIND MEGABYTES ...: holds all that, makes the file DONE and ends. With "stay" it does not
// end, with "leave" its first thread ends and it does not, with "leave_twice" that is so of a child
// that holds it and of its parent, with "lend" a child borrows its memory. "leave_and_lend" is
// both.
int hold_memory(const Arguments& arguments) {
    const std::map<std::string, void (*)(std::size_t)> kinds{{"private", hold_private},
                                                             {"shared", hold_shared},
                                                             {"memfd", hold_memfd},
                                                             {"mapped", hold_mapped_memfd},
                                                             {"segment", hold_segment},
                                                             {"tables", hold_tables},
                                                             {"children", hold_with_children},
                                                             {"reserved", reserve},
                                                             {"mappings", hold_mappings},
                                                             {"semaphores", hold_semaphores},
                                                             {"messages", hold_messages},
                                                             {"readers", hold_with_readers}};
    const std::string how = arguments.size() % 2 == 0 ? arguments.back() : "";
    if (how == "leave_twice" && ::fork() != 0) {
        outlive_first_thread([] {
            for (;;) ::pause();
        });
    }
    std::size_t next = 1;
    for (; next + 1 < arguments.size(); next += 2) {
        kinds.at(arguments[next])(std::stoull(arguments[next + 1]) << 20);
    }
    const auto finish = [&] {
        ::close(::open(arguments[0].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
        if (next < arguments.size())
            for (;;) ::pause();
    };
    const auto lend = [&] {
        if (::vfork() == 0) finish();
    };
    if (how == "leave" || how == "leave_twice") outlive_first_thread(finish);
    if (how == "leave_and_lend") outlive_first_thread(lend);
    if (how == "lend") lend();
    finish();
    return 0;
}

// Counts the time of this process as perf stat does, or that of all processes on a processor.
int count_time(const Arguments& arguments) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    const int process = std::stoi(arguments.at(0));
    const int processor = std::stoi(arguments.at(1));
    const auto counter = static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, process, processor, -1, PERF_FLAG_FD_CLOEXEC));
    if (counter < 0) return errno;
    std::atomic<int> work = 0;
    while (++work < 1'000'000) {
    }
    std::uint64_t nanoseconds = 0;
    if (::read(counter, &nanoseconds, sizeof nanoseconds) < 0) return errno;
    return nanoseconds > 0 ? 0 : ENODATA;
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

int truncate_by_name(const Arguments& arguments) {
    return error_if(::truncate(arguments.at(0).c_str(), 1) != 0);
}

int truncate_by_reading(const Arguments& arguments) {
    return error_if(::open(arguments.at(0).c_str(), O_RDONLY | O_TRUNC | O_CLOEXEC) < 0);
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
        {"count_time", count_time},
        {"fork_and_stay", fork_and_stay},
        {"fork_chain", fork_chain},
        {"fork_many", fork_many},
        {"hold_memory", hold_memory},
        {"hop", hop},
        {"lose_orphans", lose_orphans},
        {"make_large_set", make_large_set},
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
        {"truncate_by_name", truncate_by_name},
        {"truncate_by_reading", truncate_by_reading},
        {"unmount", unmount},
        {"use_own_loopback", use_own_loopback},
        {"watch_and_stay", watch_and_stay},
    };
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const auto found = argc > 1 ? attempts().find(argv[1]) : attempts().end();
    return found == attempts().end() ? 125 : found->second({argv + 2, argv + argc});
}
