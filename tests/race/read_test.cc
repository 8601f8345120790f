// Reading while names on the way, the file itself or the root are exchanged.
#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

class Reading : public Race {
protected:
    void read_during(const Attacker::Step& step, const char* path,
                     std::initializer_list<Code> refusals) {
        const Root root = this->root();
        attack(step);
        repeat([&] {
            const auto content = root.read_file(path);
            if (count(content)) note_outside(*content != "inside");
        });
        verdict(refusals);
    }
};

ATTACK_F(Reading, RACE_01, read_below_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/d/f=inside", "ROOT/l->../OUT", "OUT/f=outside"});
    read_during(exchange(ws("d"), ws("l")), "d/f", {Code::kPathEscape});
    control([&] { return naive::read(ws(), ws("d/f")) == "outside"; });
}

ATTACK_F(Reading, RACE_03, read_of_a_file_that_becomes_an_outward_link) {
    tree({"ROOT/f=inside", "ROOT/l->@/OUT/secret"});
    read_during(exchange(ws("f"), ws("l")), "f", {Code::kPathEscape});
    control([&] { return naive::read(ws(), ws("f")) == kSecret; });
}

ATTACK_F(Reading, RACE_12, read_below_a_root_that_is_exchanged_with_a_sibling) {
    tree({"ROOT/a/b/f=inside", "SIBLING/a/b/f=outside"});
    watch(base() + "/SIBLING");
    read_during(exchange(ws(), base() + "/SIBLING"), "a/b/f", {});
    control([&] { return naive::read(ws(), ws("a/b/f")) == "outside"; });
}

TEST_F(Reading, below_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/d/f=inside", "ROOT/e/f=inside", "ROOT/l->e"});
    read_during(exchange(ws("d"), ws("l")), "d/f", {});
    control([&] { return naive::is_link(ws("d")); });
}

TEST_F(Reading, below_a_directory_that_becomes_an_absolute_inward_link) {
    tree({"ROOT/d/f=inside", "ROOT/e/f=inside", "ROOT/l->@/ROOT/e"});
    read_during(exchange(ws("d"), ws("l")), "d/f", {});
    control([&] { return naive::is_link(ws("d")); });
}

TEST_F(Reading, of_a_file_that_becomes_an_inward_link) {
    tree({"ROOT/f=inside", "ROOT/g=inside", "ROOT/l->g"});
    read_during(exchange(ws("f"), ws("l")), "f", {});
    control([&] { return naive::is_link(ws("f")); });
}

}  // namespace
}  // namespace paddock::testing
