// The guard while somebody exchanges the directories above protected files: just before each of its
// system calls, so that every race is hit for certain.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <filesystem>

#include "fault/faults.h"
#include "tools/guarded.h"

namespace paddock::testing {
namespace {

using tools::Since;
using tools::Undone;

// The kernel lets a command rename a directory above what it holds, never the held thing itself; so
// that is all that happens here to "p".
class GuardExchange : public Guarded {
protected:
    void SetUp() override {
        tree({"ROOT/p/.env=mine", "ROOT/p/.vscode/tasks.json=mine",
              "ROOT/p/.git/config=[alias]\n\tmine = !mine\n", "ROOT/p/.git/HEAD=ref: refs/heads/m",
              "ROOT/p/.git/objects/", "ROOT/p/.git/refs/", "ROOT/p/.git/hooks/mine=mine"});
    }

    void attack() {
        tree({"ROOT/x/.env=evil", "ROOT/x/.vscode/tasks.json=evil", "ROOT/x/.vscode/d/f=evil",
              "ROOT/x/.git/config=[alias]\n\tx = !evil\n", "ROOT/x/.git/HEAD=ref: refs/heads/m",
              "ROOT/x/.git/objects/", "ROOT/x/.git/refs/", "ROOT/x/.git/hooks/pre-commit=evil"});
    }

    void exchange(const char* a, const char* b) const {
        (void)::renameat2(AT_FDCWD, ws(a).c_str(), AT_FDCWD, ws(b).c_str(), RENAME_EXCHANGE);
    }

    void expect_mine_is_there() const {
        EXPECT_EQ(os_read(ws("p/.env")), "mine");
        EXPECT_EQ(os_read(ws("p/.vscode/tasks.json")), "mine");
        EXPECT_EQ(os_read(ws("p/.git/config")), "[alias]\n\tmine = !mine\n");
        EXPECT_EQ(os_read(ws("p/.git/hooks/mine")), "mine");
    }

    void expect_evil_is_gone() const {
        EXPECT_FALSE(os_exists(ws("x/.env")));
        EXPECT_FALSE(os_exists(ws("x/.vscode")));
        EXPECT_FALSE(os_exists(ws("x/.git/hooks/pre-commit")));
        const auto config = os_read(ws("x/.git/config")).value_or("");
        EXPECT_EQ(config.find("evil"), config.npos);
    }

    // One attack with exchanges before the nth call and every period-th one after it.
    void exchange_at(std::size_t nth, std::size_t period, const char* other) {
        std::filesystem::remove_all(ws("x"));
        attack();
        alive = true;
        {
            FaultPlan plan = nth_call(nth, 0);
            plan.period = period;
            plan.before = [&] { exchange("p", other); };
            const Faults faults(plan);
            (void)guard().after();
        }
        alive = false;
        if (os_read(ws(other) + "/.env") == "mine") exchange("p", other);
        (void)guard().before(Since::kBusy);
        (void)guard().after();
        EXPECT_EQ(after(), "");
        expect_mine_is_there();
        expect_evil_is_gone();
    }

    void sweep(const char* other) {
        (void)before();
        std::size_t calls = 0;
        {
            attack();
            Faults counting;
            (void)guard().after();
            calls = counting.calls();
        }
        ASSERT_GT(calls, 100U);
        for (const std::size_t period : {0U, 3U, 7U}) {
            for (std::size_t nth = 1; nth <= calls; nth += 1 + calls / 40) {
                exchange_at(nth, period, other);
                ASSERT_FALSE(HasFailure()) << "before call " << nth << ", period " << period;
            }
        }
    }
};

// What a guard that takes away by name would do.
TEST_F(GuardExchange, by_name_the_wrong_one_is_lost) {
    attack();
    const Root workspace = root();
    ASSERT_EQ(workspace.read_file("x/.env").value_or(""), "evil");
    exchange("p", "x");
    EXPECT_OK(workspace.remove_all("x/.env"));
    exchange("p", "x");
    EXPECT_EQ(os_read(ws("p/.env")), std::nullopt);
    EXPECT_EQ(os_read(ws("x/.env")), "evil");
}

TEST_F(GuardExchange, of_the_protected_and_the_evil_directory) { sweep("x"); }

// The protected directory comes to lie in what is being removed, and goes again.
TEST_F(GuardExchange, into_what_is_taken_away) { sweep("x/.vscode/d"); }

TEST_F(GuardExchange, two_protected_directories_may_change_places) {
    tree({"ROOT/o/.env=other", "ROOT/o/.vscode/tasks.json=other"});
    (void)before();
    exchange("p", "o");
    EXPECT_EQ(after(), "");
    EXPECT_EQ(os_read(ws("o/.env")), "mine");
    EXPECT_EQ(os_read(ws("p/.env")), "other");
    exchange("p", "o");
    EXPECT_EQ(after(), "");
    expect_mine_is_there();
}

TEST_F(GuardExchange, what_is_protected_stays_where_the_name_above_it_must_go) {
    (void)before();
    tree({"ROOT/.vscode/tasks.json=evil", "ROOT/.vscode/d/f=evil"});
    std::filesystem::rename(ws("p"), ws(".vscode/p"));
    const auto records = report().records;
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].path, ".vscode");
    EXPECT_EQ(records[0].what, Undone::kLeft);
    EXPECT_FALSE(os_exists(ws(".vscode/tasks.json")));
    EXPECT_FALSE(os_exists(ws(".vscode/d")));
    std::filesystem::rename(ws(".vscode/p"), ws("p"));
    EXPECT_EQ(after(), ".vscode:quarantined ");
    expect_mine_is_there();
}

// Where the kernel does not hold it.
TEST_F(GuardExchange, a_repository_goes_back_and_nothing_in_its_place) {
    kernel_holds = false;
    tree({"ROOT/src/main.c=mine"});
    (void)before();
    ASSERT_TRUE(sh("mv p/.git away; mkdir p/.git; echo evil > p/.git/config"));
    {
        FaultPlan plan{.only = sys::Call::kUnlink, .nth = 1};
        plan.before = [&] { exchange("away", "src"); };
        const Faults faults(plan);
        (void)guard().after();
    }
    expect_mine_is_there();
    EXPECT_EQ(os_read(ws("away/main.c")), "mine");
    EXPECT_EQ(after(), "");
}

}  // namespace
}  // namespace paddock::testing
