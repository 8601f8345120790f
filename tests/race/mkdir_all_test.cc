// Making directories while names on the way, the new name or the root are exchanged.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "race/naive.h"
#include "race/race.h"

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
    tree({"ROOT/a/", "ROOT/l->@/OUT"});
    const Root root = this->root();
    attack(exchange(ws("a/b"), ws("l")));
    const auto reset = [&] {
        if (naive::is_link(ws("a/b"))) exchange_once(ws("a/b"), ws("l"));
        naive::remove_all(ws("a/b"));
    };
    repeat([&] {
        count(root.mkdir_all("a/b/c/d"));
        reset_between_rounds(reset);
    });
    verdict({Code::kNotADirectory, Code::kPathEscape});
    control([&] {
        naive::make_directories(ws(), ws("a/b/c/d"));
        reset_between_rounds(reset);
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
