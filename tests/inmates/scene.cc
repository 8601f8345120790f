#include "inmates/scene.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <sstream>
#include <vector>

#include "inmates/file_handle.h"
#include "inmates/plain.h"

namespace inmates {
namespace {

constexpr int kVictimFd = 7;
constexpr int kUserKeyring = -4;
constexpr int kKeyctlSetPermissions = 5;
constexpr int kKeyctlUnlink = 9;
constexpr int kKeyctlSearch = 10;
constexpr long kKeyForOwner = 0x3f3f0000;

void demand(bool condition, const char* what) {
    if (condition) return;
    std::perror(what);
    std::exit(3);
}

std::string random_text() {
    std::random_device random;
    char text[9];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(random()));
    return text;
}

void make_file(const std::string& path, const std::string& text) {
    make_parents(path);
    demand(write_text(path, text), path.c_str());
}

void make_repository(const std::string& directory) {
    make_file(directory + "/.git/HEAD", "ref: refs/heads/main\n");
    make_file(directory + "/.git/config", "[core]\n\trepositoryformatversion = 0\n");
    for (const char* name : {"/.git/objects/", "/.git/refs/heads/", "/.git/hooks/"}) {
        make_parents(directory + name);
    }
}

int serve_local(const std::string& name, bool abstract) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t lead = abstract ? 1 : 0;
    demand(name.size() + lead < sizeof address.sun_path, "the directory has too long a name");
    std::memcpy(address.sun_path + lead, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + lead + name.size());
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    demand(::bind(server, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
               ::listen(server, 8) == 0,
           name.c_str());
    return server;
}

int serve_loopback(int type, Ground& ground, const char* name) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    const int server = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
    demand(::bind(server, any, size) == 0 && ::getsockname(server, any, &size) == 0, name);
    if (type == SOCK_STREAM) demand(::listen(server, 8) == 0, name);
    ground.set(name, std::to_string(ntohs(address.sin_port)));
    return server;
}

// Gives the secret to whoever asks, until it is killed.
[[noreturn]] void serve(const std::vector<int>& streams, int datagrams, const std::string& secret) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<pollfd> polled;
    for (const int server : streams) polled.push_back({server, POLLIN, 0});
    polled.push_back({datagrams, POLLIN, 0});
    for (;;) {
        ::poll(polled.data(), polled.size(), -1);
        for (const pollfd& ready : polled) {
            if (ready.revents == 0) continue;
            if (ready.fd != datagrams) {
                const int client = ::accept4(ready.fd, nullptr, nullptr, SOCK_CLOEXEC);
                ::send(client, secret.data(), secret.size(), MSG_NOSIGNAL);
                ::close(client);
                continue;
            }
            char text[256];
            sockaddr_in from{};
            socklen_t size = sizeof from;
            auto* any = reinterpret_cast<sockaddr*>(&from);
            ::recvfrom(datagrams, text, sizeof text, 0, any, &size);
            ::sendto(datagrams, secret.data(), secret.size(), 0, any, size);
        }
    }
}

bool socket_exists(int family, int type, int protocol) {
    const int opened = ::socket(family, type | SOCK_CLOEXEC, protocol);
    if (opened >= 0) ::close(opened);
    return opened >= 0 || errno == EPERM;
}

template <class... Arguments>
bool call_exists(long number, Arguments... arguments) {
    return ::syscall(number, arguments...) >= 0 || errno != ENOSYS;
}

std::string first_disk() {
    std::istringstream lines(read_text("/proc/partitions"));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string name;
        while (fields >> name) {
        }
        struct stat found {};
        const std::string device = "/dev/" + name;
        if (::stat(device.c_str(), &found) != 0 || !S_ISBLK(found.st_mode)) continue;
        const int disk = ::open(device.c_str(), O_RDONLY | O_CLOEXEC);
        const bool usable = disk >= 0 || (errno == EACCES && ::geteuid() != 0);
        if (disk >= 0) ::close(disk);
        if (usable) return device;
    }
    return {};
}

std::string first_existing(std::initializer_list<const char*> paths) {
    for (const char* path : paths) {
        if (exists(path)) return path;
    }
    return {};
}

void remove_key(const std::string& name) {
    const long key = ::syscall(SYS_keyctl, kKeyctlSearch, kUserKeyring, "user", name.c_str(), 0);
    if (key >= 0) ::syscall(SYS_keyctl, kKeyctlUnlink, key, kUserKeyring);
}

std::vector<pid_t> children() {
    std::vector<pid_t> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
        const std::string text = read_text(entry.path().string() + "/stat");
        const std::size_t behind_name = text.rfind(')');
        char state = 0;
        int parent = 0;
        if (behind_name != std::string::npos &&
            std::sscanf(text.c_str() + behind_name + 1, " %c %d", &state, &parent) == 2 &&
            parent == ::getpid()) {
            found.push_back(std::atoi(entry.path().filename().c_str()));
        }
    }
    return found;
}

}  // namespace

Scene::Scene(const Place& place) : base_(place.parent + "/inmates-XXXXXX") {
    ::umask(022);
    demand(::mkdtemp(base_.data()) != nullptr, place.parent.c_str());
    const std::string id = random_text();
    for (const char* directory : {"ws", "home", "sibling", "outside"}) {
        ground_.set(directory, base_ + "/" + directory);
    }
    ground_.set("secret", "decoy-" + random_text());
    ground_.set("mark", "inmates-" + id);
    ground_.set("daemon", "inm-" + id);
    ground_.set("abstract", "inmates-" + id);
    ground_.set("tmp", "/tmp/inmates-" + id);
    ground_.set("shm_file", "/dev/shm/inmates-" + id);
    ground_.set("typed", "");
    make_tree();
    make_objects();
    look_at_machine();
    start_services();
    start_victim();
    ground_.save(ground_file());
    if (place.owner) give_to(*place.owner);
}

void Scene::give_to(unsigned owner) const {
    demand(::chown(base_.c_str(), owner, owner) == 0, "chown");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base_)) {
        demand(::lchown(entry.path().c_str(), owner, owner) == 0, "lchown");
    }
}

void Scene::make_tree() {
    const std::string& secret = ground_["secret"];
    make_file(ground_.path("home", ".ssh/id_decoy"), secret);
    make_file(ground_.path("home", ".config/tool/token"), secret);
    make_file(ground_.path("sibling", "secret"), secret);
    make_file(ground_.path("outside", "secret"), secret);
    make_file(ground_.path("outside", "file"), "text\n");
    demand(::chmod(ground_.path("outside", "file").c_str(), 0644) == 0, "chmod");
    make_file(ground_.path("ws", "file"), "text\n");
    make_file(ground_.path("ws", ".env"), "TOKEN=" + secret + "\n");
    make_repository(ground_["ws"]);
    make_repository(ground_.path("ws", "a/b/c/d/e"));
    const auto link = [&](const std::string& target, const char* name) {
        demand(::symlink(target.c_str(), ground_.path("ws", name).c_str()) == 0, name);
    };
    link(ground_.path("home", ".ssh/id_decoy"), "link-to-key");
    link(ground_["sibling"], "link-to-sibling");
    std::error_code failed;
    std::filesystem::copy_file("/proc/self/exe", program(), failed);
    demand(!failed && ::chmod(program().c_str(), 0755) == 0, "copying the inmate");
}

void Scene::make_objects() {
    const std::string& secret = ground_["secret"];
    const int memory = ::shmget(IPC_PRIVATE, 4096, 0600);
    demand(memory >= 0, "shmget");
    std::strcpy(static_cast<char*>(::shmat(memory, nullptr, 0)), secret.c_str());
    ground_.set("shm", std::to_string(memory));

    const std::string queue = "/" + ground_["mark"];
    const bool queued = ::mq_open(queue.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600, nullptr) >= 0;
    ground_.set("queue", queued ? queue : "");

    const std::string& name = ground_["mark"];
    const long key =
        ::syscall(SYS_add_key, "user", name.c_str(), secret.data(), secret.size(), kUserKeyring);
    if (key >= 0) ::syscall(SYS_keyctl, kKeyctlSetPermissions, key, kKeyForOwner);
    ground_.set("key", key >= 0 ? name : "");
}

void Scene::look_at_machine() {
    constexpr int kMultipathTcp = 262;
    const auto note = [&](const char* name, bool there) { ground_.set(name, there ? "yes" : ""); };
    note("mptcp", socket_exists(AF_INET, SOCK_STREAM, kMultipathTcp));
    note("vsock", socket_exists(AF_VSOCK, SOCK_STREAM, 0));
    note("packet", socket_exists(AF_PACKET, SOCK_RAW, 0));
    note("netlink", socket_exists(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));
    note("io_uring", call_exists(SYS_io_uring_setup, 0, nullptr));
    note("userfaultfd", call_exists(SYS_userfaultfd, -1));
    note("perf", call_exists(SYS_perf_event_open, nullptr, 0, 0, 0, 0));
    note("modules", call_exists(SYS_delete_module, "", 0));
    note("xattr",
         ::setxattr(ground_.path("outside", "secret").c_str(), "user.probe", "x", 1, 0) == 0);
    note("first_process",
         ::geteuid() != 0 || exists("/proc/1/root" + ground_.path("home", ".ssh/id_decoy")));
    ground_.set("handle", FileHandle::of(ground_.path("outside", "secret")));
    ground_.set("disk", first_disk());
    ground_.set("core_pattern", first_existing({"/proc/sys/kernel/core_pattern"}));
    ground_.set("sysrq", first_existing({"/proc/sysrq-trigger"}));
    ground_.set("sysfs", first_existing({"/sys/kernel/uevent_helper", "/sys/kernel/profiling",
                                         "/sys/kernel/mm/transparent_hugepage/enabled"}));
}

void Scene::start_services() {
    const std::vector<int> streams = {serve_loopback(SOCK_STREAM, ground_, "tcp_port"),
                                      serve_local(ground_["abstract"], true),
                                      serve_local(ground_.path("outside", "s"), false),
                                      serve_local(ground_.path("ws", "s"), false)};
    const int datagrams = serve_loopback(SOCK_DGRAM, ground_, "udp_port");
    const pid_t server = ::fork();
    demand(server >= 0, "fork");
    if (server == 0) serve(streams, datagrams, ground_["secret"]);
    for (const int socket : streams) ::close(socket);
    ::close(datagrams);
}

void Scene::start_victim() {
    int running[2];
    demand(::pipe2(running, O_CLOEXEC) == 0, "pipe");
    const pid_t victim = ::fork();
    demand(victim >= 0, "fork");
    if (victim == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int file = ::open(ground_.path("outside", "secret").c_str(), O_RDONLY | O_CLOEXEC);
        ::dup2(file, kVictimFd);
        const std::string secret = "VICTIM_SECRET=" + ground_["secret"];
        const std::array<const char*, 2> environment = {secret.c_str(), nullptr};
        ::execle("/proc/self/exe", "inmate", "be-victim", ground_["mark"].c_str(), nullptr,
                 environment.data());
        ::_exit(127);
    }
    ::close(running[1]);
    char byte = 0;
    (void)!::read(running[0], &byte, 1);  // ends when the program runs
    ::close(running[0]);
    ground_.set("victim", std::to_string(victim));
}

Scene::~Scene() {
    kill_children();
    ::shmctl(ground_.number("shm"), IPC_RMID, nullptr);
    if (ground_.has("queue")) ::mq_unlink(ground_["queue"].c_str());
    remove_key(ground_["mark"]);
    remove_key(ground_["mark"] + "-added");
    ::unlink(ground_["tmp"].c_str());
    ::unlink(ground_["shm_file"].c_str());
    ::umount2(ground_.path("ws", "mounted").c_str(), MNT_DETACH);
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
}

int be_victim() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
}

void kill_children() {
    constexpr int kPasses = 100;
    for (int i = 0; i < kPasses; ++i) {
        const std::vector<pid_t> left = children();
        if (left.empty()) return;
        for (const pid_t child : left) ::kill(child, SIGKILL);
        for (const pid_t child : left) ::waitpid(child, nullptr, __WALL);
    }
}

}  // namespace inmates
