// The harness itself: a race that proves nothing must fail, and so must an escape.
#include <gtest/gtest-spi.h>
#include <unistd.h>

#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

class Harness : public Race {
protected:
    void TearDown() override {}  // a provoked failure is no result to print
};

ATTACK_F(Harness, RACE_37, race_without_a_fooled_control_fails) {
    tree({"ROOT/d/f=inside", "ROOT/l->../OUT", "OUT/f=outside"});
    attack(exchange(ws("d"), ws("l")));
    EXPECT_NONFATAL_FAILURE(control([] { return false; }), "never fooled");
    control([&] { return naive::read(ws(), ws("d/f")) == "outside"; });
}

TEST_F(Harness, race_without_changes_fails) {
    attack([] { return false; });
    EXPECT_NONFATAL_FAILURE(repeat([&] { count(Status()); }), "no chance");
}

TEST_F(Harness, escape_fails) {
    attack([] { return true; });
    repeat([&] { count(root().exists(".")); }, race_rounds());
    os_write(out("left"), "");
    ASSERT_EQ(::unlink(out("left").c_str()), 0);
    EXPECT_NONFATAL_FAILURE(verdict({}), "outside was reached");
}

TEST_F(Harness, refusal_fails) {
    attack([] { return true; });
    repeat(
        [&] {
            count(root().exists("."));
            count(root().read_file("absent"));
        },
        race_rounds());
    verdict({Code::kNotFound});
    EXPECT_NONFATAL_FAILURE(verdict({}), "refused as not_found");
}

}  // namespace
}  // namespace paddock::testing
