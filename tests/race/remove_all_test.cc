// Removing trees while a directory in them, the tree itself or the root are exchanged.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

#include "race/naive.h"
#include "race/race.h"
#include "race/slots.h"

namespace paddock::testing {
namespace {

// name/{file,sub/file}
void plant(const UniqueFd& directory, const std::string& name) {
    const auto file = [&](const std::string& path) {
        return UniqueFd(
                   ::openat(directory.get(), path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644))
            .valid();
    };
    (void)::mkdirat(directory.get(), name.c_str(), 0755);
    (void)::mkdirat(directory.get(), (name + "/sub").c_str(), 0755);
    if (!file(name + "/file") || !file(name + "/sub/file")) throw std::runtime_error("no tree");
}

bool has(const UniqueFd& directory, const char* name) {
    struct stat found;
    return ::fstatat(directory.get(), name, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

class Removal : public Race {
protected:
    // Removes "p" while the tree at `directory` in it is exchanged with a link to `target`, whose
    // tree must stay whole.
    void race_against_link(const std::string& directory, const std::string& target) {
        const Root root = this->root();
        Slots slots(ws(), [&](const std::string& slot) {
            (void)::mkdir((slot + "/p").c_str(), 0755);
            plant(hold(slot), directory);
            ASSERT_EQ(::symlink(target.c_str(), (slot + "/l").c_str()), 0);
        });
        watch(target);
        attack(slots.exchange(directory, "l"));
        repeat([&] {
            const Status done = root.remove_all(slots.name() + "/p");
            EXPECT_FALSE(count(done) && os_exists(slots.path("p")))
                << "said to be removed, and still there";
            slots.next(attacker());
        });
        verdict({});
        control([&] {
            naive::remove_all(slots.path("p"));
            slots.next(attacker());
            return !os_exists(target + "/file");
        });
    }
};

ATTACK_F(Removal, RACE_21, remove_all_above_a_directory_that_becomes_an_outward_link) {
    tree({"OUT/victim/file=outside", "OUT/victim/sub/file=outside"});
    race_against_link("p/d", out("victim"));
}

TEST_F(Removal, remove_all_of_a_directory_that_becomes_an_outward_link) {
    tree({"OUT/victim/file=outside", "OUT/victim/sub/file=outside"});
    race_against_link("p", out("victim"));
}

// An inward link is removed like any other; what it leads to is not.
TEST_F(Removal, remove_all_above_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/e/file=kept", "ROOT/e/sub/file=kept"});
    race_against_link("p/d", ws("e"));
}

TEST_F(Removal, remove_all_below_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/d/", "ROOT/e/", "ROOT/l->e"});
    const Root root = this->root();
    const UniqueFd d = hold(ws("d"));
    const UniqueFd e = hold(ws("e"));
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        if (!has(d, "t")) plant(d, "t");
        if (!has(e, "t")) plant(e, "t");
        const Status done = root.remove_all("d/t");
        EXPECT_FALSE(count(done) && has(d, "t") == has(e, "t"));
    });
    verdict({});
    control([&] { return naive::is_link(ws("d")); });
}

TEST_F(Removal, remove_all_below_a_root_that_is_exchanged_with_a_sibling) {
    tree({"SIBLING/"});
    const Root root = this->root();
    const UniqueFd inside = hold(ws());
    const UniqueFd outside = hold(base() + "/SIBLING");
    plant(inside, "p");
    plant(outside, "p");
    watch(base() + "/SIBLING");
    attack(exchange(ws(), base() + "/SIBLING"));
    repeat([&] {
        const Status done = root.remove_all("p");
        EXPECT_FALSE(count(done) && has(inside, "p"));
        plant(inside, "p");
    });
    verdict({});
    control([&] {
        naive::remove_all(ws("p"));
        plant(inside, "p");
        return !has(outside, "p/file");
    });
}

}  // namespace
}  // namespace paddock::testing
