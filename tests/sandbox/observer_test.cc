// Commands behind an observing filter: what is told of, and that everything goes on as before.
#include "sandbox/observer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "sandbox/child.h"
#include "sandbox/confine.h"
#include "sandbox/filter.h"
#include "sandbox/peers.h"
#include "sandbox/probe.h"
#include "sys/identity.h"
#include "sys/seccomp.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using sandbox::DeniedOperation;
using sandbox::Wall;

void send_descriptor(int socket, int fd) {
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    ::sendmsg(socket, &message, 0);
}

UniqueFd receive_descriptor(int socket) {
    char byte = 0;
    iovec data{&byte, 1};
    int fd = -1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) return UniqueFd();
    std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return UniqueFd(fd);
}

struct Pair {
    explicit Pair(int type) {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), 0);
        first.reset(ends[0]);
        second.reset(ends[1]);
    }
    UniqueFd first;
    UniqueFd second;
};

class ObservedCommand : public Jail {
protected:
    void SetUp() override {
        if (!sandbox::try_seccomp()) GTEST_SKIP() << "no seccomp filters";
        world.map.set(ws(), Wall::kNone);
        world.map.set(ws("protected"), Wall::kRule);
    }

    // Runs `body` in a child behind the filter, and observes until it and its children are gone.
    // Returns its exit code; a listener that cannot be had ends the test.
    int observe(const std::function<int()>& body) {
        sandbox::FilterSpec spec;
        spec.observe = true;
        const auto program = sandbox::compile_filter(spec);
        Pair hand(SOCK_SEQPACKET);
        Pair report(SOCK_SEQPACKET);
        const pid_t child = ::fork();
        if (child == 0) {
            hand.first.reset();
            if (!sys::set_no_new_privs()) ::_exit(120);
            {
                const auto listener = sys::seccomp::install_with_listener(program);
                if (!listener) ::_exit(121);
                send_descriptor(hand.second.get(), listener->get());
            }
            hand.second.reset();
            ::_exit(body());
        }
        hand.second.reset();
        UniqueFd listener = receive_descriptor(hand.first.get());
        EXPECT_TRUE(listener.valid());
        sandbox::Observer observer(std::move(listener), std::move(report.first), world);
        serve_until_gone(observer);
        EXPECT_FALSE(log.read(report.second.get()).value());
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    static void serve_until_gone(sandbox::Observer& observer) {
        for (;;) {
            pollfd polled{observer.listener(), POLLIN, 0};
            ASSERT_GT(::poll(&polled, 1, -1), 0);
            if ((polled.revents & POLLIN) != 0) {
                observer.serve();
            } else if ((polled.revents & POLLHUP) != 0) {
                return;
            }
        }
    }

    std::vector<std::string> told() const {
        static constexpr const char* kWalls[] = {"none", "view", "mode", "rule", "seen", "net"};
        static constexpr const char* kDeeds[] = {"write",  "create",  "remove",
                                                 "rename", "connect", "look up"};
        std::vector<std::string> lines;
        for (const auto& denial : log.denials()) {
            std::string target = denial.target;
            if (target.starts_with(base())) target.erase(0, base().size());
            lines.push_back(std::string(kWalls[static_cast<int>(denial.wall)]) + " " +
                            kDeeds[static_cast<int>(denial.operation)] + " " + target);
        }
        return lines;
    }

    sandbox::ObservedWorld world;
    sandbox::DenialLog log;
};

using Lines = std::vector<std::string>;

TEST_F(ObservedCommand, calls_happen_as_if_nobody_looked) {
    tree({"ROOT/old=one"});
    EXPECT_EQ(observe([&] {
                  os_write(ws("new"), "text");
                  if (::rename(ws("old").c_str(), ws("moved").c_str()) != 0) return 1;
                  if (::mkdir(ws("d").c_str(), 0700) != 0) return 2;
                  if (::rmdir(ws("d").c_str()) != 0) return 3;
                  if (::open(ws("no/such").c_str(), O_WRONLY | O_CREAT, 0600) >= 0) return 4;
                  if (errno != ENOENT) return 5;
                  return ::open(reinterpret_cast<const char*>(8), O_WRONLY) < 0 && errno == EFAULT
                             ? 0
                             : 6;
              }),
              0);
    EXPECT_EQ(os_read(ws("new")), "text");
    EXPECT_EQ(os_read(ws("moved")), "one");
    EXPECT_EQ(told(), Lines{});
}

TEST_F(ObservedCommand, changes_behind_a_wall_are_told) {
    tree({"ROOT/file=one", "ROOT/protected/x=one", "OUT/dir/"});
    observe([&] {
        const int dir = ::open(out("dir").c_str(), O_PATH | O_DIRECTORY);
        ::open(out("secret").c_str(), O_WRONLY);
        ::open(out("new").c_str(), O_WRONLY | O_CREAT, 0600);
        ::openat(dir, "in", O_RDWR | O_CREAT | O_EXCL, 0600);
        ::open(ws("protected/x").c_str(), O_WRONLY);
        ::mkdirat(dir, "made", 0700);
        (void)!::symlink("anything", out("link").c_str());
        (void)!::link(ws("file").c_str(), out("hard").c_str());
        (void)!::truncate(out("secret").c_str(), 3);
        ::rename(ws("file").c_str(), out("file").c_str());
        ::rename(out("file").c_str(), ws("file").c_str());
        if (::chdir(ws().c_str()) == 0) ::unlink("../OUT/link");
        return 0;
    });
    EXPECT_EQ(
        told(),
        (Lines{"view write /OUT/secret", "view create /OUT/new", "view create /OUT/dir/in",
               "rule write /ROOT/protected/x", "view create /OUT/dir/made", "view create /OUT/link",
               "view create /OUT/hard", "view rename /OUT/file", "view remove /OUT/link"}));
}

// As rm -r does it.
TEST_F(ObservedCommand, a_tree_that_is_removed_is_told_by_what_is_in_the_way) {
    tree({"ROOT/.git/config=x", "ROOT/.git/index=x", "ROOT/.git/hooks/a=x", "ROOT/.git/hooks/b=x",
          "OUT/dir/a=x", "OUT/dir/b=x"});
    world.map.set(ws(".git/config"), Wall::kRule);
    world.map.set(ws(".git/hooks"), Wall::kRule);
    observe([&] {
        const auto remove_in = [](const std::string& directory, const char* name, int flags) {
            const UniqueFd held(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
            ::unlinkat(held.get(), name, flags);
        };
        for (const char* name : {"a", "b", "none"}) remove_in(ws(".git/hooks"), name, 0);
        for (const char* name : {"config", "index"}) remove_in(ws(".git"), name, 0);
        remove_in(ws(), ".git", AT_REMOVEDIR);
        for (const char* name : {"a", "b"}) remove_in(out("dir"), name, 0);
        return 0;
    });
    EXPECT_EQ(told(), (Lines{"rule remove /ROOT/.git/hooks", "rule remove /ROOT/.git/config",
                             "view remove /OUT/dir"}));
}

// Who looks with more rights than the command has would tell it what exists.
TEST_F(ObservedCommand, what_the_command_could_not_see_is_not_told_apart) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root has more rights";
    tree({"OUT/closed/there=x"});
    ASSERT_EQ(::chmod(out("closed").c_str(), 0700), 0);
    const auto attack = [&] {
        ::open(out("closed/there").c_str(), O_WRONLY | O_CREAT, 0600);
        ::open(out("closed/missing").c_str(), O_WRONLY | O_CREAT, 0600);
        return 0;
    };
    observe(attack);
    EXPECT_EQ(told(), (Lines{"view write /OUT/closed/there", "view create /OUT/closed/missing"}));
    log = {};
    ASSERT_EQ(::unlink(out("closed/missing").c_str()), 0);
    world.looker = {65534, 65534};
    observe(attack);
    EXPECT_EQ(told(), (Lines{"view create /OUT/closed/there", "view create /OUT/closed/missing"}));
    EXPECT_EQ(::access(out("closed/there").c_str(), R_OK), 0) << "its own rights are back";
}

TEST_F(ObservedCommand, what_fails_for_a_simpler_reason_is_not_told) {
    tree({"ROOT/file=one", "OUT/dir/"});
    observe([&] {
        ::mkdir(out("dir").c_str(), 0700);
        ::unlink(out("missing").c_str());
        ::rename(out("missing").c_str(), out("other").c_str());
        ::renameat2(AT_FDCWD, ws("file").c_str(), AT_FDCWD, out("dir").c_str(), RENAME_NOREPLACE);
        ::open(out("missing").c_str(), O_WRONLY);
        ::open(out("secret").c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
        ::open(out("secret").c_str(), O_RDONLY);
        ::open("/dev/null", O_WRONLY);
        ::open("/proc/self/comm", O_WRONLY);
        return 0;
    });
    EXPECT_EQ(told(), Lines{});
}

TEST_F(ObservedCommand, connections_that_lead_out_are_told) {
    const TcpPeer peer;
    const auto connect_to = [](const auto& address, socklen_t size) {
        const int type = address.any.sa_family == AF_UNIX ? SOCK_STREAM : SOCK_DGRAM;
        const UniqueFd client(::socket(address.any.sa_family, type | SOCK_CLOEXEC, 0));
        ::connect(client.get(), &address.any, size);
    };
    union Address {
        sockaddr any;
        sockaddr_in inet;
        sockaddr_in6 inet6;
        sockaddr_un local;
    };
    observe([&] {
        Address address{};
        address.inet.sin_family = AF_INET;
        address.inet.sin_port = htons(443);
        address.inet.sin_addr.s_addr = htonl(0xc0000201);  // 192.0.2.1, UDP: nothing is sent
        connect_to(address, sizeof address.inet);
        address.inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connect_to(address, sizeof address.inet);
        address.inet.sin_port = htons(53);
        connect_to(address, sizeof address.inet);
        address = {};
        address.inet6.sin6_family = AF_INET6;
        address.inet6.sin6_port = htons(80);
        ::inet_pton(AF_INET6, "2001:db8::1", &address.inet6.sin6_addr);
        connect_to(address, sizeof address.inet6);
        address.inet6.sin6_addr = in6addr_loopback;
        connect_to(address, sizeof address.inet6);
        const auto connect_local = [&](const std::string& path) {
            address = {};
            address.local.sun_family = AF_UNIX;
            std::strcpy(address.local.sun_path, path.c_str());
            connect_to(address, sizeof address.local);
        };
        connect_local("/run/engine.sock");
        connect_local("/var/run/nscd/socket");
        connect_local(ws("missing"));
        return peer.connect_error();  // the call is made all the same
    });
    EXPECT_EQ(told(), (Lines{"net connect 192.0.2.1:443", "net look up 127.0.0.1:53",
                             "net connect [2001:db8::1]:80", "view connect /run/engine.sock"}));
}

TEST_F(ObservedCommand, denials_are_told_once_and_bounded) {
    observe([&] {
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = 0; i < limits::kDenialsMax; ++i) {
                ::open(out("none/" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600);
            }
        }
        return 0;
    });
    EXPECT_EQ(told().size(), limits::kDenialsMax);
    EXPECT_FALSE(log.more());
    log = {};
    observe([&] {
        for (std::size_t i = 0; i <= 2 * limits::kDenialsMax; ++i) {
            ::open(out("none/" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600);
        }
        return 0;
    });
    EXPECT_EQ(told().size(), limits::kDenialsMax);
    EXPECT_TRUE(log.more());
}

TEST_F(ObservedCommand, children_and_threads_of_the_command_are_observed_too) {
    observe([&] {
        if (::fork() == 0) {
            ::setsid();
            ::open(out("from-child").c_str(), O_WRONLY | O_CREAT, 0600);
            ::_exit(0);
        }
        return 0;  // the child may outlive it
    });
    EXPECT_EQ(told(), Lines{"view create /OUT/from-child"});
}

TEST_F(ObservedCommand, one_that_is_killed_while_it_waits_is_let_go) {
    EXPECT_EQ(observe([&] {
                  const Pair begun(SOCK_STREAM);
                  const pid_t child = ::fork();
                  if (child == 0) {
                      (void)!::write(begun.first.get(), "", 1);
                      for (;;) ::close(::open(ws("busy").c_str(), O_WRONLY | O_CREAT, 0600));
                  }
                  char byte = 0;
                  (void)!::read(begun.second.get(), &byte, 1);
                  ::kill(child, SIGKILL);
                  return ::waitpid(child, nullptr, 0) == child ? 0 : 1;
              }),
              0);
}

// Why the observer is in the warden: Landlock forbids the server to look into processes that are
// not in its own domain.
TEST_F(ObservedCommand, a_server_that_confined_itself_could_not_read_paths) {
    NEEDS_LANDLOCK(1);
    static constexpr char kText[] = "/some/path";
    Pair ready(SOCK_STREAM);
    const pid_t outside = ::fork();
    if (outside == 0) {
        char byte = 0;
        ready.second.reset();
        (void)!::read(ready.first.get(), &byte, 1);
        ::_exit(0);
    }
    in_child([&] {
        char copy[sizeof kText] = {};
        const auto address = reinterpret_cast<std::uint64_t>(kText);
        if (!sys::seccomp::read_memory(outside, address, copy, sizeof copy)) {
            std::puts("tracing is forbidden here anyhow");
            return;
        }
        EXPECT_STREQ(copy, kText);
        ASSERT_TRUE(confine_self({}));
        EXPECT_FALSE(sys::seccomp::read_memory(outside, address, copy, sizeof copy));
    });
    ready.second.reset();
    ready.first.reset();
    EXPECT_EQ(::kill(outside, SIGKILL), 0);
    EXPECT_EQ(::waitpid(outside, nullptr, 0), outside);
}

}  // namespace
}  // namespace paddock::testing
