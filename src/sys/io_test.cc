#include "sys/io.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "sys/fault.h"
#include "testing/jail.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

class IoTest : public Jail {
protected:
    void TearDown() override { sys::fault_hook.store(nullptr); }

    UniqueFd file(const char* name) const {
        return UniqueFd(::open(ws(name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    }
};

TEST_F(IoTest, writes_everything_in_however_many_parts) {
    sys::fault_hook.store([](sys::Call) noexcept { return sys::Fault{0, 3}; });
    EXPECT_TRUE(sys::write_all(file("f").get(), "ten bytes!"));
    EXPECT_EQ(os_read(ws("f")), "ten bytes!");
    EXPECT_TRUE(sys::write_all(file("empty").get(), ""));
}

TEST_F(IoTest, a_file_size_limit_is_an_answer_and_no_signal) {
    const rlimit small{4096, 4096};
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setrlimit(RLIMIT_FSIZE, &small) != 0) ::_exit(2);
        const UniqueFd fd = file("f");
        const bool refused = !sys::truncate(fd.get(), 1 << 20) &&
                             !sys::write_all(fd.get(), std::string(10'000, 'x'));
        ::_exit(refused ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(IoTest, reads_may_be_short_and_end_with_nothing) {
    tree({"ROOT/f=four"});
    const UniqueFd fd = file("f");
    char buffer[16];
    sys::fault_hook.store([](sys::Call) noexcept { return sys::Fault{0, 3}; });
    EXPECT_EQ(sys::read(fd.get(), buffer, sizeof buffer).value_or(99), 3U);
    EXPECT_EQ(sys::read(fd.get(), buffer, sizeof buffer).value_or(99), 1U);
    EXPECT_EQ(sys::read(fd.get(), buffer, sizeof buffer).value_or(99), 0U);
}

int interruptions = 0;

TEST_F(IoTest, interruptions_are_not_seen) {
    interruptions = 0;
    sys::fault_hook.store([](sys::Call) noexcept {
        return sys::Fault{interruptions++ % 2 == 0 ? EINTR : 0, 4};
    });
    const UniqueFd fd = file("f");
    EXPECT_TRUE(sys::write_all(fd.get(), "interrupted"));
    EXPECT_TRUE(sys::sync_data(fd.get()));
    EXPECT_TRUE(sys::truncate(fd.get(), 9));
    EXPECT_EQ(os_read(ws("f")), "interrupt");
    EXPECT_GE(interruptions, 10);
}

TEST_F(IoTest, an_error_keeps_its_errno) {
    sys::fault_hook.store([](sys::Call) noexcept { return sys::Fault{ENOSPC, 0}; });
    const auto done = sys::write_all(file("f").get(), "x");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().os_error, ENOSPC);
}

TEST_F(IoTest, copies_inside_the_kernel) {
    tree({"ROOT/from=content"});
    const UniqueFd from = file("from");
    const UniqueFd to = file("to");
    EXPECT_EQ(sys::copy_range(from.get(), to.get(), 100).value_or(99), 7U);
    EXPECT_EQ(sys::copy_range(from.get(), to.get(), 100).value_or(99), 0U);
    EXPECT_EQ(os_read(ws("to")), "content");
}

// Without care the kernel's signal would end this program.
TEST_F(IoTest, a_file_size_limit_is_an_error_and_no_signal) {
    const UniqueFd fd = file("f");
    rlimit usual;
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
    const rlimit small{4, usual.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto done = sys::write_all(fd.get(), "too long");
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Code::kTooLarge);
    sigset_t pending;
    ASSERT_EQ(::sigpending(&pending), 0);
    EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
    sigset_t blocked;
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
    EXPECT_EQ(sigismember(&blocked, SIGXFSZ), 0) << "the signal mask is as before";
}

}  // namespace
