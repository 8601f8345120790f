// Creating files while names on the way, the name itself or the root are exchanged. A file that was
// made is looked for, and removed, in the directory where it has to be, by a descriptor held from
// the beginning.
#include <fcntl.h>
#include <unistd.h>

#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

bool remove_from(const UniqueFd& directory, const char* name) {
    return ::unlinkat(directory.get(), name, 0) == 0;
}

TEST_F(Race, create_below_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/d/", "ROOT/l->../OUT"});
    const Root root = this->root();
    const UniqueFd d = hold(ws("d"));
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        if (count(root.create_exclusive("d/new"))) note_outside(!remove_from(d, "new"));
    });
    verdict({Code::kPathEscape});
    control([&] {
        if (naive::create(ws(), ws("d/new"))) remove_from(d, "new");
        return os_exists(out("new"));
    });
}

TEST_F(Race, create_of_a_name_that_becomes_an_outward_link) {
    tree({"ROOT/f=inside", "ROOT/l->@/OUT/new"});
    const Root root = this->root();
    attack(exchange(ws("f"), ws("l")));
    repeat([&] { count(root.create("f")); });
    verdict({Code::kPathEscape});
    control([&] {
        naive::write(ws(), ws("f"), "");
        return os_exists(out("new"));
    });
}

TEST_F(Race, create_below_a_root_that_is_exchanged_with_a_sibling) {
    tree({"ROOT/d/", "SIBLING/d/"});
    const Root root = this->root();
    const UniqueFd inside = hold(ws("d"));
    const UniqueFd outside = hold(base() + "/SIBLING/d");
    watch(base() + "/SIBLING");
    attack(exchange(ws(), base() + "/SIBLING"));
    repeat([&] {
        if (count(root.create_exclusive("d/new"))) note_outside(!remove_from(inside, "new"));
    });
    verdict({});
    control([&] {
        naive::create(ws(), ws("d/new"));
        remove_from(inside, "new");
        return remove_from(outside, "new");
    });
}

TEST_F(Race, create_below_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/d/", "ROOT/e/", "ROOT/l->e"});
    const Root root = this->root();
    const UniqueFd d = hold(ws("d"));
    const UniqueFd e = hold(ws("e"));
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        if (count(root.create_exclusive("d/new"))) {
            note_outside(!remove_from(d, "new") && !remove_from(e, "new"));
        }
    });
    verdict({});
    control([&] { return naive::is_link(ws("d")); });
}

TEST_F(Race, create_of_a_name_that_becomes_an_inward_link) {
    tree({"ROOT/f=inside", "ROOT/g=inside", "ROOT/l->g"});
    const Root root = this->root();
    attack(exchange(ws("f"), ws("l")));
    repeat([&] { count(root.create("f")); });
    verdict({});
    control([&] { return naive::is_link(ws("f")); });
}

}  // namespace
}  // namespace paddock::testing
