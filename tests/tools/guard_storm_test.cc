// The guard under fire: every system call fails in turn, names come in floods, and a process goes
// on while it works.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

#include <paddock/limits.h>

#include "fault/faults.h"
#include "tools/guarded.h"

namespace paddock::testing {
namespace {

using tools::Since;

class GuardStorm : public Guarded {
protected:
    // Something of every kind.
    void attack() {
        tree({"ROOT/.vscode/tasks.json=evil", "ROOT/n/.git/config=[core]\n\tfsmonitor = evil\n",
              "ROOT/n/.git/HEAD=ref: refs/heads/m", "ROOT/n/.git/objects/", "ROOT/n/.git/refs/",
              "ROOT/n/.git/hooks/pre-commit=evil", "ROOT/w/.git=gitdir: /etc\n",
              "ROOT/a/.env=evil"});
    }
    bool is_undone() const {
        const auto config = os_read(ws("n/.git/config"));
        return !os_exists(ws(".vscode")) && !os_exists(ws("n/.git/hooks/pre-commit")) &&
               !os_exists(ws("w/.git")) && !os_exists(ws("a/.env")) &&
               (!config || config->find("fsmonitor") == config->npos);
    }
};

// Whatever fails once: nothing that was there is harmed, the next call does the rest, and what was
// not undone is not trusted.
TEST_F(GuardStorm, one_failed_call_leaves_nothing_behind) {
    tree({"ROOT/.git/config=[alias]\n\tmine = !mine\n", "ROOT/.git/hooks/mine=mine",
          "ROOT/src/.env=mine"});
    (void)before();
    std::size_t calls = 0;
    {
        attack();
        Faults counting;
        (void)guard().after();
        calls = counting.calls();
    }
    ASSERT_TRUE(is_undone());
    ASSERT_GT(calls, 100U);
    for (const int error : {EACCES, EIO, ENOSPC, EMFILE, ENOENT}) {
        for (std::size_t nth = 1; nth <= calls; nth += 1 + calls / 25) {
            std::filesystem::remove_all(ws("n"));
            attack();
            {
                const Faults faults(nth_call(nth, error));
                (void)guard().after();
            }
            (void)guard().before(Since::kBusy);
            (void)guard().after();
            ASSERT_TRUE(is_undone()) << "error " << error << " at call " << nth;
            ASSERT_EQ(os_read(ws(".git/config")), "[alias]\n\tmine = !mine\n");
            ASSERT_EQ(os_read(ws(".git/hooks/mine")), "mine");
            ASSERT_EQ(os_read(ws("src/.env")), "mine");
        }
    }
}

TEST_F(GuardStorm, a_full_disk_keeps_nothing_in_place) {
    (void)before();
    attack();
    {
        const Faults faults(storm(sys::Call::kWrite, ENOSPC));
        (void)guard().after();
    }
    EXPECT_TRUE(is_undone());
}

TEST_F(GuardStorm, a_flood_of_names_is_undone) {
    quarantines = false;
    (void)before();
    const std::size_t many = limits::kSnapshotNotableMax + 100;
    std::filesystem::create_directory(ws("d"));
    for (std::size_t i = 0; i < many; ++i) {
        const int fd = ::open(ws("d/" + std::to_string(i) + ".key").c_str(), O_CREAT, 0600);
        ASSERT_GE(fd, 0);
        ::close(fd);
    }
    const auto undone = report();
    EXPECT_EQ(undone.records.size() + undone.more, many);
    EXPECT_TRUE(std::filesystem::is_empty(ws("d")));
}

// What is new is judged, with some calls for each setting, and hardly any after that.
TEST_F(GuardStorm, a_flood_of_settings_costs_little) {
    const std::size_t many = 500;
    std::string deep;
    for (int i = 0; i < 200; ++i) deep += "/a";
    const auto flood = [&](const std::string& setting) {
        std::string config = "[core]\n";
        for (std::size_t i = 0; i < many; ++i) config += setting + std::to_string(i) + deep + "\n";
        std::filesystem::remove_all(ws("n"));
        tree({"ROOT/n/.git/HEAD=ref: refs/heads/m", "ROOT/n/.git/objects/", "ROOT/n/.git/refs/"});
        os_write(ws("n/.git/config"), config);
        const Faults counting;
        (void)after();
        return counting.calls();
    };
    (void)before();
    const std::size_t few = flood("filemode=");
    for (const char* setting : {"[remote \"r\"]\nurl=", "worktree=", "[include]\npath="}) {
        EXPECT_LT(flood(setting), few + many * 20) << setting;
        const Faults counting;
        (void)after();
        EXPECT_LT(counting.calls(), few + many * 2) << setting;
    }
}

TEST_F(GuardStorm, a_flood_of_settings_is_told_briefly) {
    (void)before();
    tree({"ROOT/n/.git/HEAD=ref: refs/heads/m", "ROOT/n/.git/objects/", "ROOT/n/.git/refs/"});
    std::string config = "[novel]\n";
    for (int i = 0; i < 5000; ++i) config += "k" + std::to_string(i) + "\n";
    os_write(ws("n/.git/config"), config);
    const auto undone = report();
    ASSERT_EQ(undone.records.size(), 1U);
    EXPECT_LT(undone.records[0].detail.size(), 1100U);
    EXPECT_TRUE(undone.records[0].detail.ends_with(" more")) << undone.records[0].detail;
    std::filesystem::remove_all(ws("n"));
    tree({"ROOT/n/.git/HEAD=ref: refs/heads/m", "ROOT/n/.git/objects/", "ROOT/n/.git/refs/"});
    os_write(ws("n/.git/config"), "[novel \"" + std::string(5000, 'x') + "\"]\n\tk\n");
    EXPECT_EQ(after(), "n/.git/config:cleaned(1 too long to be told) ");
}

TEST_F(GuardStorm, what_is_too_large_to_be_kept_is_removed) {
    (void)before();
    os_write(ws(".env"), "");
    ASSERT_EQ(::truncate(ws(".env").c_str(), off_t{1} << 40), 0);
    EXPECT_EQ(after(), ".env:removed ");
}

// What could not be taken away and is renamed since: by its old name it was no better.
TEST_F(GuardStorm, nothing_is_moved_back_to_a_protected_name) {
    (void)before();
    tree({"ROOT/.vscode/tasks.json=evil", "ROOT/src/main.c=mine"});
    {
        const Faults faults(storm(sys::Call::kUnlink, EIO));
        EXPECT_TRUE(after().starts_with(".vscode:left"));
    }
    std::filesystem::rename(ws(".vscode"), ws(".idea"));
    std::filesystem::rename(ws("src"), ws(".claude"));
    EXPECT_EQ(after(), ".claude:moved-back(to src) .idea:quarantined ");
    EXPECT_EQ(names(), "src src/main.c ");
    EXPECT_EQ(after(), "");
}

// A process makes and moves protected things as fast as it can. Nothing that was there is harmed,
// nothing of it is trusted, and when it has ended one look is enough.
TEST_F(GuardStorm, a_busy_process_wins_nothing) {
    tree({"ROOT/p/.env=mine", "ROOT/p/.git/config=[alias]\n\tmine = !mine\n",
          "ROOT/p/.git/hooks/mine=mine"});
    (void)before();
    std::atomic<bool> stop = false;
    std::thread process([&] {
        for (int i = 0; !stop; ++i) {
            const std::string at = ws("x" + std::to_string(i % 3));
            std::error_code ignored;
            std::filesystem::create_directories(at + "/.git/hooks", ignored);
            std::filesystem::create_directories(at + "/.vscode", ignored);
            for (const char* name : {"/.git/hooks/pre-commit", "/.git/config", "/.env", "/.git"}) {
                const int fd = ::open((at + name).c_str(), O_CREAT | O_WRONLY, 0600);
                if (fd < 0) continue;
                (void)!::write(fd, "[alias]\n\tx = !evil\n", 19);
                ::close(fd);
            }
            std::filesystem::rename(ws("p"), ws("q"), ignored);
            std::filesystem::rename(at, ws("p"), ignored);
            std::filesystem::rename(ws("p"), at, ignored);
            std::filesystem::rename(ws("q"), ws("p"), ignored);
        }
    });
    std::size_t undone = 0;
    for (int i = 0; i < 30 || undone == 0; ++i) {
        (void)guard().before(Since::kBusy);
        undone += report().records.size();
    }
    stop = true;
    process.join();
    if (os_exists(ws("q"))) std::filesystem::rename(ws("q"), ws("p"));
    (void)guard().after();
    EXPECT_EQ(after(), "");
    EXPECT_EQ(os_read(ws("p/.env")), "mine");
    EXPECT_EQ(os_read(ws("p/.git/config")), "[alias]\n\tmine = !mine\n");
    EXPECT_EQ(os_read(ws("p/.git/hooks/mine")), "mine");
    for (const char* name : {"x0", "x1", "x2"}) {
        EXPECT_FALSE(os_exists(ws(name) + "/.env"));
        EXPECT_FALSE(os_exists(ws(name) + "/.vscode"));
        EXPECT_FALSE(os_exists(ws(name) + "/.git/hooks/pre-commit"));
        const auto config = os_read(ws(name) + "/.git/config").value_or("");
        EXPECT_EQ(config.find("evil"), config.npos);
    }
}

}  // namespace
}  // namespace paddock::testing
