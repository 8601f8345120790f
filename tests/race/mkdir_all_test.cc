// Making directories while names on the way, the new name or the root are exchanged.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "race/naive.h"
#include "race/race.h"
#include "race/slots.h"

namespace paddock::testing {
namespace {

// Removes x/y from where it should be; false if it is not there.
bool remove_from(const UniqueFd& directory) {
    const bool complete = ::unlinkat(directory.get(), "x/y", AT_REMOVEDIR) == 0;
    return ::unlinkat(directory.get(), "x", AT_REMOVEDIR) == 0 && complete;
}

TEST_F(Race, mkdir_all_below_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/d/", "ROOT/l->../OUT"});
    const Root root = this->root();
    const UniqueFd d = hold(ws("d"));
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        if (count(root.mkdir_all("d/x/y"))) note_outside(!remove_from(d));
    });
    verdict({Code::kPathEscape});
    control([&] {
        naive::make_directories(ws(), ws("d/x/y"));
        remove_from(d);
        return os_exists(out("x"));
    });
}

ATTACK_F(Race, RACE_19, mkdir_all_of_a_directory_that_becomes_an_outward_link) {
    const Root root = this->root();
    Slots slots(ws(), [target = out()](const std::string& slot) {
        ASSERT_EQ(::symlink(target.c_str(), (slot + "/l").c_str()), 0);
    });
    attack(slots.exchange("b", "l"));
    repeat([&] {
        count(root.mkdir_all(slots.name() + "/b/c/d"));
        slots.next(attacker());
    });
    verdict({Code::kNotADirectory, Code::kPathEscape});
    control([&] {
        naive::make_directories(ws(), slots.path("b/c/d"));
        slots.next(attacker());
        return os_exists(out("c"));
    });
}

TEST_F(Race, mkdir_all_below_a_root_that_is_exchanged_with_a_sibling) {
    tree({"ROOT/d/", "SIBLING/d/"});
    const Root root = this->root();
    const UniqueFd inside = hold(ws("d"));
    const UniqueFd outside = hold(base() + "/SIBLING/d");
    watch(base() + "/SIBLING");
    attack(exchange(ws(), base() + "/SIBLING"));
    repeat([&] {
        if (count(root.mkdir_all("d/x/y"))) note_outside(!remove_from(inside));
    });
    verdict({});
    control([&] {
        naive::make_directories(ws(), ws("d/x/y"));
        remove_from(inside);
        struct stat found;
        return ::fstatat(outside.get(), "x", &found, AT_SYMLINK_NOFOLLOW) == 0;
    });
}

TEST_F(Race, mkdir_all_below_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/d/", "ROOT/e/", "ROOT/l->e"});
    const Root root = this->root();
    const UniqueFd d = hold(ws("d"));
    const UniqueFd e = hold(ws("e"));
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        if (count(root.mkdir_all("d/x/y"))) note_outside(!remove_from(d) && !remove_from(e));
    });
    verdict({});
    control([&] { return naive::is_link(ws("d")); });
}

}  // namespace
}  // namespace paddock::testing
