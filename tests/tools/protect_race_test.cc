// Somebody renames directories above protected files between the guard's look and the kernel's
// binding of what it saw, and back before the command runs.
#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <filesystem>

#include "fault/faults.h"
#include "tools/bash_desk.h"
#include "tools/session.h"

namespace paddock::testing {
namespace {

class ProtectRace : public BashDesk {
protected:
    void SetUp() override {
        BashDesk::SetUp();
        if (IsSkipped()) return;
        const auto shell = workspace().session().shell();
        if ((*shell)->report().rung == Rung::kLow) GTEST_SKIP() << "nothing is bound there";
    }

    void exchange() const {
        (void)::renameat2(AT_FDCWD, ws("p").c_str(), AT_FDCWD, ws("x").c_str(), RENAME_EXCHANGE);
    }
};

// Each request to the warden is a message, a wait and an answer: three calls.
TEST_F(ProtectRace, what_was_moved_just_before_is_not_left_unprotected) {
    int ran = 0;
    for (const std::size_t period : {0U, 1U, 3U}) {
        for (std::size_t nth = 1; nth <= 9; ++nth) {
            std::filesystem::remove_all(ws("p"));
            std::filesystem::remove_all(ws("x"));
            tree({"ROOT/p/.env=hush", "ROOT/x/"});
            tools::Answer answer;
            {
                const Faults faults(
                    {.only = sys::Call::kSocket, .nth = nth, .period = period, .before = [&] {
                         exchange();
                     }});
                answer = call("bash", {{"command", "cat p/.env x/.env"}});
                EXPECT_TRUE(faults.struck().has_value());
            }
            EXPECT_FALSE(holds(answer.text(), "hush"))
                << "before call " << nth << ", period " << period << ": " << answer.text();
            EXPECT_EQ(answer.error.value_or(Code::kRace), Code::kRace) << answer.text();
            ran += answer.error ? 0 : 1;
        }
    }
    EXPECT_GE(ran, 9) << "an exchange that is over is no reason to refuse";
}

TEST_F(ProtectRace, more_than_fit_into_one_request_are_bound) {
    for (int i = 0; i < 1100; ++i) tree({"ROOT/d" + std::to_string(i) + "/.env=hush"});
    EXPECT_FALSE(holds(bash("cat d*/.env 2>/dev/null"), "hush"));
}

// A command that was refused for want of protection does not make the next one run without.
TEST_F(ProtectRace, a_failure_to_bind_is_met_again) {
    tree({"ROOT/p/.env=hush"});
    {
        const Faults faults({.only = sys::Call::kSocket, .nth = 1, .error = ENOBUFS});
        EXPECT_TRUE(call("bash", {{"command", "cat p/.env"}}).error);
    }
    EXPECT_FALSE(holds(bash("cat p/.env 2>&1"), "hush"));
}

}  // namespace
}  // namespace paddock::testing
