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

// They stay, so whoever looks again would see the same of them.
TEST_F(GuardStorm, a_flood_of_sockets_hides_no_names_and_is_not_passed_over) {
    tree({"ROOT/.git/HEAD=ref: refs/heads/m", "ROOT/.git/objects/", "ROOT/.git/refs/"});
    (void)before();
    tree({"ROOT/d/.mcp.json=evil", "ROOT/.git/commondir=/nowhere"});
    const auto socket = [&](const std::string& in, std::size_t number) {
        return ws(in + "/s" + std::to_string(number));
    };
    const std::size_t many = limits::kSnapshotNotableMax + 1;
    for (std::size_t i = 0; i < many; ++i) {
        for (const char* in : {"d", ".git"}) {
            ASSERT_EQ(::mknod(socket(in, i).c_str(), S_IFSOCK | 0600, 0), 0);
        }
    }
    tree({"ROOT/d/.vscode/tasks.json=evil", "ROOT/.git/config.worktree=evil"});
    const auto undone = guard().after();
    ASSERT_TRUE(undone.unfinished);
    EXPECT_EQ(undone.unfinished->code, Code::kLimitReached);
    EXPECT_EQ(undone.unfinished->path, ".git");
    EXPECT_EQ(undone.records.size(), 4U);
    for (const char* name : {"d/.mcp.json", "d/.vscode", ".git/commondir"}) {
        EXPECT_FALSE(os_exists(ws(name))) << name;
    }
    for (const Since since : {Since::kBusy, Since::kQuiet}) {
        EXPECT_EQ(before(since).substr(0, 20), "error: limit_reached");
    }
    for (const char* in : {"d", ".git"}) std::filesystem::remove(socket(in, 0));
    EXPECT_EQ(after(), "");
}

// Where undoing one thing uncovers the next, a bound on the looks would leave the rest.
TEST_F(GuardStorm, nothing_is_left_however_many_looks_it_takes) {
    const int many = 3 * limits::kGuardPassesMax;
    for (int i = 0; i < many; ++i) tree({"ROOT/d" + std::to_string(i) + "/f="});
    (void)before();
    std::string inmost = ws(".vscode");
    std::filesystem::rename(ws("d0"), inmost);
    for (int i = 1; i < many; ++i) {
        std::filesystem::rename(ws("d" + std::to_string(i)), inmost + "/.idea");
        inmost += "/.idea";
    }
    tree({"ROOT/n/.git/HEAD=ref: refs/heads/m", "ROOT/n/.git/config=[core]\n\tfsmonitor = x\n"});
    EXPECT_EQ(report().records.size(), many + 1U);
    EXPECT_EQ(names().find(".vscode"), std::string::npos);
    EXPECT_EQ(names().find(".idea"), std::string::npos);
    EXPECT_EQ(os_read(ws("n/.git/config")).value_or("").find("fsmonitor"), std::string::npos);
    EXPECT_EQ(after(), "");
}

// In both places git would obey it.
TEST_F(GuardStorm, nothing_is_moved_back_and_forth) {
    for (const char* name : {"commondir", "hooks", "config"}) {
        const std::string part = "/" + std::string(name);
        for (const std::string& old : os_list(ws())) std::filesystem::remove_all(ws(old));
        tree({"ROOT/b1" + part + "/x=", "ROOT/b2/"});
        (void)before();
        std::filesystem::rename(ws("b1" + part), ws("b2" + part));
        for (const std::string at : {"ROOT/b1", "ROOT/b2"}) {
            tree({at + "/HEAD=ref: refs/heads/m", at + "/objects/", at + "/refs/"});
        }
        tree(
            {"ROOT/n/.git/HEAD=ref: refs/heads/m", "ROOT/n/.git/config=[core]\n\tfsmonitor = x\n"});
        EXPECT_FALSE(guard().after().unfinished) << name;
        EXPECT_EQ(os_read(ws("n/.git/config")).value_or("").find("fsmonitor"), std::string::npos);
        EXPECT_EQ(after(), "");
    }
}

// One at a time, since each may lead to others.
TEST_F(GuardStorm, any_number_of_included_files_is_cleaned) {
    const int many = 2 * limits::kGuardPassesMax;
    std::string config = "[include]\n";
    for (int i = 0; i < many; ++i) config += "\tpath = ../i" + std::to_string(i) + "\n";
    tree({"ROOT/.git/HEAD=ref: refs/heads/m", "ROOT/.git/config=" + config});
    (void)before();
    for (int i = 0; i < many; ++i) {
        os_write(ws("i" + std::to_string(i)), "[core]\n\tfsmonitor = evil\n");
    }
    EXPECT_EQ(report().records.size(), static_cast<std::size_t>(many));
    EXPECT_EQ(after(), "");
}

// Whenever the guard looks, somebody makes another name.
TEST_F(GuardStorm, what_somebody_makes_without_end_is_given_up_and_not_trusted) {
    quarantines = false;
    (void)before();
    alive = true;
    int made = 0;
    FaultPlan plan{.only = sys::Call::kGetdents, .nth = 1, .period = 1};
    plan.before = [&] { os_write(ws(std::to_string(++made) + ".key"), ""); };
    {
        const Faults faults(plan);
        const auto unfinished = guard().after().unfinished;
        ASSERT_TRUE(unfinished);
        EXPECT_EQ(unfinished->code, Code::kRace);
        EXPECT_EQ(before(Since::kBusy).substr(0, 6), "error:");
    }
    alive = false;
    EXPECT_EQ(before(Since::kBusy), "");
    EXPECT_TRUE(std::filesystem::is_empty(ws()));
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

// Each hook is undone by the same look.
TEST_F(GuardStorm, a_flood_of_worktrees_takes_few_looks) {
    tree({"ROOT/m/.git/HEAD=ref: refs/heads/m", "ROOT/m/.git/objects/", "ROOT/m/.git/refs/",
          "ROOT/m/.git/config=[core]\nhooksPath=.githooks\n"});
    (void)before();
    const auto calls_for = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const std::string at = "ROOT/d/" + std::to_string(i);
            tree({at + "/.git=gitdir: ../../m/.git\n", at + "/.githooks/x=evil"});
        }
        const Faults counting;
        const tools::GuardReport undone = report();
        EXPECT_EQ(undone.records.size() + undone.more, static_cast<std::size_t>(count));
        const std::size_t calls = counting.calls();
        EXPECT_FALSE(os_exists(ws("d/0/.githooks/x")));
        std::filesystem::remove_all(ws("d"));
        (void)after();
        return calls;
    };
    const std::size_t few = calls_for(10);
    EXPECT_LT(calls_for(100), few * 20);
}

TEST_F(GuardStorm, a_flood_of_settings_is_told_briefly) {
    (void)before();
    tree({"ROOT/n/.git/HEAD=ref: refs/heads/m", "ROOT/n/.git/objects/", "ROOT/n/.git/refs/"});
    std::string config = "[novel]\n";
    for (int i = 0; i < 5000; ++i) config += "k" + std::to_string(i) + "\n";
    os_write(ws("n/.git/config"), config);
    const auto undone = report();
    ASSERT_EQ(undone.records.size(), 1U);
    EXPECT_LT(undone.records[0].detail.size(), 1150U);
    EXPECT_TRUE(undone.records[0].detail.ends_with(" more")) << undone.records[0].detail;
    std::filesystem::remove_all(ws("n"));
    tree({"ROOT/n/.git/HEAD=ref: refs/heads/m", "ROOT/n/.git/objects/", "ROOT/n/.git/refs/"});
    os_write(ws("n/.git/config"), "[novel \"" + std::string(5000, 'x') + "\"]\n\tk\n");
    EXPECT_EQ(after(), "n/.git/config:cleaned(novel." + std::string(34, 'x') + "..." +
                           std::string(38, 'x') + ".k) ");
}

TEST_F(GuardStorm, what_is_too_large_to_be_kept_is_removed) {
    (void)before();
    os_write(ws(".env"), "");
    ASSERT_EQ(::truncate(ws(".env").c_str(), off_t{1} << 40), 0);
    EXPECT_EQ(after(), ".env:removed ");
}

TEST_F(GuardStorm, says_why_a_directory_could_not_be_read) {
    (void)before();
    tree({"ROOT/d/x="});
    const Faults faults({.only = sys::Call::kGetdents, .nth = 3, .error = EIO});
    EXPECT_EQ(after(),
              "d:left(read 'd': the file system reported an error. Try again; tell the operator if "
              "it stays.) ");
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
    alive = true;
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
        undone += guard().after().records.size();
    }
    stop = true;
    process.join();
    alive = false;
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
