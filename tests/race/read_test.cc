// Reading while names on the way, the file itself or the root are exchanged.
#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

ATTACK_F(Race, RACE_01, read_below_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/d/f=inside", "ROOT/l->../OUT", "OUT/f=outside"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        const auto content = root.read_file("d/f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({Code::kPathEscape});
    control([&] { return naive::read(ws(), ws("d/f")) == "outside"; });
}

ATTACK_F(Race, RACE_03, read_of_a_file_that_becomes_an_outward_link) {
    tree({"ROOT/f=inside", "ROOT/l->@/OUT/secret"});
    const Root root = this->root();
    attack(exchange(ws("f"), ws("l")));
    repeat([&] {
        const auto content = root.read_file("f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({Code::kPathEscape});
    control([&] { return naive::read(ws(), ws("f")) == kSecret; });
}

ATTACK_F(Race, RACE_12, read_below_a_root_that_is_exchanged_with_a_sibling) {
    tree({"ROOT/a/b/f=inside", "SIBLING/a/b/f=outside"});
    const Root root = this->root();
    watch(base() + "/SIBLING");
    attack(exchange(ws(), base() + "/SIBLING"));
    repeat([&] {
        const auto content = root.read_file("a/b/f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({});
    control([&] { return naive::read(ws(), ws("a/b/f")) == "outside"; });
}

TEST_F(Race, read_below_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/d/f=inside", "ROOT/e/f=inside", "ROOT/l->e"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        const auto content = root.read_file("d/f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({});
    control([&] { return naive::is_link(ws("d")); });
}

TEST_F(Race, read_below_a_directory_that_becomes_an_absolute_inward_link) {
    tree({"ROOT/d/f=inside", "ROOT/e/f=inside", "ROOT/l->@/ROOT/e"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        const auto content = root.read_file("d/f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({});
    control([&] { return naive::is_link(ws("d")); });
}

TEST_F(Race, read_of_a_file_that_becomes_an_inward_link) {
    tree({"ROOT/f=inside", "ROOT/g=inside", "ROOT/l->g"});
    const Root root = this->root();
    attack(exchange(ws("f"), ws("l")));
    repeat([&] {
        const auto content = root.read_file("f");
        if (count(content)) note_outside(*content != "inside");
    });
    verdict({});
    control([&] { return naive::is_link(ws("f")); });
}

}  // namespace
}  // namespace paddock::testing
