#include "sandbox/processes.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <string_view>
#include <thread>

#include "sys/memory.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kRest = " 4 3 2 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 99 88 77 66";

TEST(ProcessTable, a_line_is_parsed_whatever_the_program_calls_itself) {
    for (const std::string name : {"sh", "a b", ") S 1 2 (", "", "x) Z 9 9 9"}) {
        SeenProcess seen;
        const std::string line = "42 (" + name + ") S 7" + kRest;
        ASSERT_TRUE(parse_stat(line, seen)) << name;
        EXPECT_EQ(seen.parent, 7);
        EXPECT_EQ(seen.state, 'S');
        EXPECT_EQ(seen.started, 12345U);
        EXPECT_EQ(seen.resident_pages, 88U);
        EXPECT_TRUE(seen.shows_memory);
    }
    SeenProcess seen;
    for (const std::string_view wrong : {"", "42", "42 (sh)", "42 (sh) S", "42 (sh) S x 1 2 3"}) {
        EXPECT_FALSE(parse_stat(wrong, seen)) << wrong;
    }
}

TEST(ProcessTable, a_process_is_over_when_all_its_threads_are) {
    const auto is_over = [](const std::string& state, const std::string& threads) {
        SeenProcess seen;
        const std::string line = "42 (sh) " + state + " 7 4 3 2 -1 4194304 1 2 3 4 5 6 7 8 20 0 " +
                                 threads + " 0 12345 99 88";
        EXPECT_TRUE(parse_stat(line, seen)) << line;
        return seen.is_over;
    };
    EXPECT_TRUE(is_over("Z", "1"));
    EXPECT_TRUE(is_over("Z", "0"));
    EXPECT_TRUE(is_over("X", "0"));
    EXPECT_FALSE(is_over("Z", "2")) << "only its first thread has ended";
    EXPECT_FALSE(is_over("S", "1"));
}

class Children : public ::testing::Test {
protected:
    // Stays until it is killed.
    static pid_t sleeper() {
        const pid_t child = ::fork();
        if (child == 0) {
            for (;;) ::pause();
        }
        return child;
    }

    static bool is_alive(pid_t process) { return ::kill(process, 0) == 0; }

    const UniqueFd proc_{::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    const std::unique_ptr<TreeKiller> killer_{new TreeKiller};
};

TEST_F(Children, are_found) {
    const pid_t child = sleeper();
    ProcessTable& table = killer_->table();
    ASSERT_TRUE(table.scan(proc_.get(), killer_->reader()).has_value());
    table.mark_descendants(::getpid());
    int found = 0;
    for (const SeenProcess& seen : table.seen()) {
        const bool stranger = seen.id == ::getpid() || seen.id == ::getppid();
        EXPECT_FALSE(stranger && seen.descends);
        EXPECT_TRUE(seen.id != child || seen.descends);
        found += seen.id == child ? 1 : 0;
    }
    EXPECT_EQ(found, 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST_F(Children, are_killed_and_nobody_else) {
    const pid_t other = sleeper();
    const pid_t top = ::fork();
    if (top == 0) {
        sleeper();
        if (::fork() == 0) {
            sleeper();
            for (;;) ::pause();
        }
        for (;;) ::pause();
    }
    const auto grown = [&] {
        EXPECT_TRUE(killer_->table().scan(proc_.get(), killer_->reader()).has_value());
        killer_->table().mark_descendants(top);
        int count = 0;
        for (const SeenProcess& seen : killer_->table().seen()) count += seen.descends ? 1 : 0;
        return count == 3;
    };
    while (!grown()) ::usleep(1000);
    const std::array spared{top, other};
    EXPECT_EQ(killer_->kill_descendants(proc_.get(), ::getpid(), spared).value(), 0U);
    EXPECT_TRUE(grown()) << "those of whoever is spared are not";
    ::kill(top, SIGSTOP);  // it could make more of them otherwise, which is waited for
    const auto killed = killer_->kill_descendants(proc_.get(), top);
    ASSERT_TRUE(killed.has_value());
    EXPECT_EQ(*killed, 3U);
    EXPECT_TRUE(is_alive(top));
    EXPECT_TRUE(is_alive(other));
    for (const pid_t child : {top, other}) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
}

alignas(16) char g_stacks[64][16384];
std::atomic<unsigned> g_generation = 0;
std::atomic<bool>* g_stop = nullptr;

int start_the_next(void*) {
    constexpr unsigned kGenerationsMax = 5'000'000;
    const unsigned now = ++g_generation;
    if (now > kGenerationsMax || *g_stop) ::_exit(0);
    // Refused while too many have ended that nobody has taken in yet.
    while (::clone(start_the_next, g_stacks[now % 64] + sizeof g_stacks[0], CLONE_VM | SIGCHLD,
                   nullptr) < 0 &&
           !*g_stop) {
    }
    ::_exit(0);
}

// Whoever has to know that nobody is left asks the kernel for children instead.
TEST_F(Children, who_live_by_forking_escape_a_look_at_proc) {
    if (!sys::kChildrenShareMemory) GTEST_SKIP() << "ThreadSanitizer ends such children";
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    void* const shared =
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    g_stop = new (shared) std::atomic<bool>(false);
    if (::fork() == 0) start_the_next(nullptr);
    bool was_missed = false;
    const auto is_anybody_left = [] {
        for (;;) {
            const pid_t ended = ::waitpid(-1, nullptr, WNOHANG | __WALL);
            if (ended <= 0) return ended == 0;
        }
    };
    while (!was_missed && is_anybody_left()) {
        ASSERT_TRUE(killer_->table().scan(proc_.get(), killer_->reader()).has_value());
        killer_->table().mark_descendants(::getpid());
        was_missed = killer_->table().marked_alive() == 0 && is_anybody_left();
    }
    EXPECT_TRUE(was_missed);
    *g_stop = true;
    while (is_anybody_left()) ::usleep(1000);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    ::munmap(shared, 4096);
}

// Its first thread shows as a zombie, the other one goes on.
TEST_F(Children, whose_first_thread_has_ended_are_alive) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::thread([] {
            for (;;) ::pause();
        }).detach();
        ::syscall(SYS_exit, 0);
    }
    ProcessTable& table = killer_->table();
    const auto has_lost_its_first = [&] {
        EXPECT_TRUE(table.scan(proc_.get(), killer_->reader()).has_value());
        table.mark_descendants(::getpid());
        return std::any_of(table.seen().begin(), table.seen().end(), [&](const SeenProcess& seen) {
            return seen.id == child && seen.state == 'Z';
        });
    };
    while (!has_lost_its_first()) ::usleep(1000);
    EXPECT_EQ(table.marked_alive(), 1U);
    EXPECT_EQ(killer_->kill_descendants(proc_.get(), ::getpid()).value(), 1U);
    ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace paddock::sandbox
