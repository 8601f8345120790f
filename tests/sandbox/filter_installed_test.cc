// The filter in the kernel: what a process that installed it is answered.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "sandbox/child.h"
#include "sandbox/filter.h"
#include "sandbox/probe.h"
#include "sys/identity.h"
#include "sys/seccomp.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

template <class... Arguments>
int error_of_call(long number, Arguments... arguments) {
    return error_of(::syscall(number, arguments...));
}

class InstalledFilter : public Jail {
protected:
    void SetUp() override {
        if (!sandbox::try_seccomp()) GTEST_SKIP() << "no seccomp filters";
    }

    // In a child, behind the filter.
    static void behind(const sandbox::FilterSpec& spec, const std::function<void()>& body) {
        const auto program = sandbox::compile_filter(spec);
        in_child([&] {
            ASSERT_TRUE(sys::set_no_new_privs());
            ASSERT_TRUE(sys::seccomp::install(program));
            body();
        });
    }
};

TEST_F(InstalledFilter, calls_of_the_table_are_refused) {
    behind({}, [] {
        EXPECT_EQ(error_of_call(SYS_unshare, CLONE_NEWUSER), EPERM);
        EXPECT_EQ(error_of_call(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0), EPERM);
        EXPECT_EQ(error_of_call(SYS_clone3, nullptr, 0), ENOSYS);
        EXPECT_EQ(error_of_call(SYS_setns, -1, 0), EPERM);
        EXPECT_EQ(error_of_call(SYS_mount, nullptr, nullptr, nullptr, 0, nullptr), EPERM);
        EXPECT_EQ(error_of_call(SYS_io_uring_setup, 1, nullptr), EPERM);
        EXPECT_EQ(error_of_call(SYS_keyctl, 0, 0), EPERM);
        EXPECT_EQ(error_of_call(SYS_ioctl, 0, (1ULL << 32) | TIOCSTI, nullptr), EPERM);
        EXPECT_EQ(error_of_call(SYS_socket, AF_VSOCK, SOCK_STREAM, 0), EAFNOSUPPORT);
        EXPECT_EQ(error_of_call(SYS_socket, AF_NETLINK, SOCK_RAW, 12), EAFNOSUPPORT);
        EXPECT_EQ(error_of_call(SYS_fcntl, 0, F_SETLEASE, F_WRLCK), EACCES);
        EXPECT_EQ(error_of_call(SYS_ioctl, 0, FS_IOC_SETFLAGS, nullptr), ENOTTY);
        EXPECT_EQ(error_of_call(469), ENOSYS);
        EXPECT_EQ(error_of_call(470), ENOSYS);
        EXPECT_EQ(error_of_call(SYS_getpid | 0x40000000), ENOSYS);
    });
}

#if defined(__x86_64__)
TEST_F(InstalledFilter, calls_of_i386_are_refused) {
    const auto getpid_by_int80 = [] {
        long answer = 20;
        __asm__ volatile("int $0x80" : "+a"(answer) : : "memory", "r8", "r9", "r10", "r11");
        return answer;
    };
    if (getpid_by_int80() != ::getpid()) GTEST_SKIP() << "no 32-bit calls in this kernel";
    behind({}, [&] { EXPECT_EQ(getpid_by_int80(), -EPERM); });
}
#endif

TEST_F(InstalledFilter, a_set_id_bit_is_refused_on_a_file_of_ones_own) {
    tree({"ROOT/file=one"});
    const std::string file = ws("file");
    ASSERT_EQ(::chmod(file.c_str(), 04755), 0) << "works without the filter";
    ASSERT_EQ(::chmod(file.c_str(), 0755), 0);
    behind({}, [&] {
        EXPECT_EQ(error_of(::chmod(file.c_str(), 04755)), EPERM);
        EXPECT_EQ(error_of(::chmod(file.c_str(), 0700)), 0);
    });
}

// Without x for the group the bit outlives a write, and an ACL gives the x later.
TEST_F(InstalledFilter, no_file_is_created_with_a_set_id_mode) {
    const std::string file = ws("file");
    const int plain = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 02745);
    EXPECT_GE(plain, 0) << "works without the filter";
    ::close(plain);
    ::unlink(file.c_str());
    behind({}, [&] {
        EXPECT_EQ(error_of(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 02745)), EPERM);
        EXPECT_EQ(error_of(::creat(file.c_str(), 04755)), EPERM);
        EXPECT_EQ(error_of(::mknod(file.c_str(), S_IFREG | 02745, 0)), EPERM);
    });
    EXPECT_FALSE(os_exists(file));
}

TEST_F(InstalledFilter, orphans_cannot_be_given_away) {
    const auto lose_orphans = [] { return error_of(::prctl(PR_SET_CHILD_SUBREAPER, 0)); };
    const auto start_sibling = [] {
        const long child = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (child == 0) ::_exit(0);
        return error_of(child);
    };
    in_child([&] {
        EXPECT_EQ(lose_orphans(), 0) << "works without the filter";
        EXPECT_EQ(start_sibling(), 0) << "works without the filter";
    });
    behind({}, [&] {
        EXPECT_EQ(lose_orphans(), EPERM);
        EXPECT_EQ(start_sibling(), EPERM);
    });
}

TEST_F(InstalledFilter, work_goes_on) {
    tree({"ROOT/file=one"});
    const Root root = this->root();
    behind({}, [&] {
        EXPECT_OK(root.write_file("new", "text"));
        std::thread([] {}).join();  // the C library falls back from clone3 to clone
        int ends[2];
        EXPECT_EQ(error_of(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends)), 0);
        const int udp = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        EXPECT_TRUE(udp >= 0 || errno == EAFNOSUPPORT) << errno;
        const pid_t child = ::fork();
        if (child == 0) {
            ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
            ::execl("/bin/true", "true", nullptr);
            ::_exit(127);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSTOPPED(status)) << "traced: stops at exec";
        EXPECT_EQ(error_of(::ptrace(PTRACE_CONT, child, nullptr, nullptr)), 0);
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    });
}

TEST_F(InstalledFilter, the_last_level_refuses_sockets_and_shared_memory) {
    behind(sandbox::filter_without_namespaces(sandbox::Inet::kNone, 0), [] {
        EXPECT_EQ(error_of_call(SYS_socket, AF_UNIX, SOCK_STREAM, 0), EAFNOSUPPORT);
        EXPECT_EQ(error_of_call(SYS_socket, AF_INET, SOCK_STREAM, 0), EAFNOSUPPORT);
        EXPECT_EQ(error_of_call(SYS_shmget, 1, 1, 0), EPERM);
        EXPECT_EQ(error_of_call(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0), EPERM);
        int ends[2];
        EXPECT_EQ(error_of(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends)), 0);
    });
}

// A listener hears of a write-open with the arguments of the caller, and the call then happens.
TEST_F(InstalledFilter, a_listener_hears_and_lets_continue) {
    sandbox::FilterSpec spec;
    spec.observe = true;
    const auto program = sandbox::compile_filter(spec);
    const std::string file = ws("made");
    in_child([&] {
        ASSERT_TRUE(sys::set_no_new_privs());
        const auto listener = sys::seccomp::install_with_listener(program);
        if (!listener) {
            std::printf("no listeners: %d\n", listener.error().os_error);
            return;
        }
        EXPECT_EQ(sys::seccomp::install_with_listener(program).error().os_error, EBUSY);
        (void)sys::seccomp::wake_on_same_processor(listener->get());
        const pid_t child = ::fork();
        if (child == 0) {
            const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
            ::_exit(fd >= 0 ? 0 : 1);
        }
        const auto call = sys::seccomp::receive(listener->get());
        ASSERT_TRUE(call);
        EXPECT_EQ(call->process, child);
        EXPECT_TRUE(call->number == SYS_openat || call->number == 2);
        char path[4096] = {};
        const std::size_t at = call->number == SYS_openat ? 1 : 0;
        const auto size =
            sys::seccomp::read_memory(child, call->arguments[at], path, file.size() + 1);
        // The filter also refuses process_vm_readv to whoever installed it.
        EXPECT_FALSE(size);
        EXPECT_TRUE(sys::seccomp::is_waiting(listener->get(), call->id));
        EXPECT_TRUE(sys::seccomp::let_continue(listener->get(), call->id));
        EXPECT_FALSE(sys::seccomp::is_waiting(listener->get(), call->id));
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    });
}

}  // namespace
}  // namespace paddock::testing
