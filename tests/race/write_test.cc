// Writing while names on the way, the file itself or the root are exchanged.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

bool has_temporary_files(const std::string& directory) {
    const auto names = os_list(directory);
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return name.starts_with(".paddock-"); });
}

TEST_F(Race, write_below_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/d/f=inside", "ROOT/l->../OUT", "OUT/f=outside"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] { count(root.write_file("d/f", "written", kFast)); });
    verdict({Code::kPathEscape});
    control([&] {
        naive::write(ws(), ws("d/f"), "written");
        return os_read(out("f")) != "outside";
    });
}

ATTACK_F(Race, RACE_04, write_to_a_file_that_becomes_an_outward_link) {
    tree({"ROOT/f=inside", "ROOT/l->@/OUT/secret"});
    const Root root = this->root();
    attack(exchange_with_link(ws("f"), ws("l"), out("secret")));
    bool in_place = false;
    repeat([&] {
        in_place = !in_place;
        if (in_place) {
            count(root.open_file("f", {.write = true, .truncate = true, .mode = {}}));
        } else {
            count(root.write_file("f", "written", kFast));
        }
    });
    verdict({Code::kPathEscape});
    EXPECT_FALSE(has_temporary_files(ws()));
    control([&] {
        naive::write(ws(), ws("f"), "written");
        return secret() != kSecret;
    });
}

TEST_F(Race, append_to_a_file_that_becomes_an_outward_link) {
    tree({"ROOT/f=inside", "ROOT/l->@/OUT/secret"});
    const Root root = this->root();
    attack(exchange(ws("f"), ws("l")));
    repeat([&] { count(root.append_file("f", "+")); });
    verdict({Code::kPathEscape});
    control([&] {
        naive::write(ws(), ws("f"), "written");
        return secret() != kSecret;
    });
}

TEST_F(Race, write_below_a_root_that_is_exchanged_with_a_sibling) {
    tree({"ROOT/d/f=inside", "SIBLING/d/f=outside"});
    const Root root = this->root();
    watch(base() + "/SIBLING");
    const UniqueFd outside(
        ::open((base() + "/SIBLING/d/f").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    attack(exchange(ws(), base() + "/SIBLING"));
    repeat([&] { count(root.write_file("d/f", "written", kFast)); });
    verdict({});
    control([&] {
        naive::write(ws(), ws("d/f"), "written");
        char first = 0;
        return ::pread(outside.get(), &first, 1, 0) != 1 || first != 'o';
    });
}

TEST_F(Race, write_below_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/d/f=inside", "ROOT/e/f=inside", "ROOT/l->e"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] { count(root.write_file("d/f", "written", kFast)); });
    verdict({});
    control([&] { return naive::is_link(ws("d")); });
}

TEST_F(Race, write_to_a_file_that_becomes_an_inward_link) {
    tree({"ROOT/f=inside", "ROOT/g=inside", "ROOT/l->g"});
    const Root root = this->root();
    attack(exchange_with_link(ws("f"), ws("l"), "g"));
    repeat([&] { count(root.write_file("f", "written", kFast)); });
    verdict({});
    control([&] { return naive::is_link(ws("f")); });
}

}  // namespace
}  // namespace paddock::testing
