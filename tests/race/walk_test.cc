// Walking trees while a directory in them, a file, the start or the root are exchanged.
#include <fcntl.h>
#include <unistd.h>

#include "race/naive.h"
#include "race/race.h"

namespace paddock::testing {
namespace {

class Walk : public Race {
protected:
    // Walks, and notes a visit to anything called "outside". Directories that could not be entered
    // must have turned into something else.
    Status walk_and_note(const Root& root, std::string_view path) {
        visited_ = 0;
        return root.walk(path, [&](const WalkEntry& entry) {
            note_outside(entry.name == "outside");
            if (entry.failure != nullptr) {
                EXPECT_EQ(code_name(entry.failure->code), code_name(Code::kNotADirectory));
            } else {
                ++visited_;
            }
            return WalkAction::kContinue;
        });
    }
    std::size_t visited() const { return visited_; }

    static bool naive_walk_meets_outside(const std::string& path) {
        bool met = false;
        naive::walk(path, [&](const std::string& child) { met |= child.ends_with("/outside"); });
        return met;
    }

private:
    std::size_t visited_ = 0;
};

ATTACK_F(Walk, RACE_26, walk_above_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/p/d/f=inside", "ROOT/l->@/OUT", "OUT/outside=secret"});
    const Root root = this->root();
    attack(exchange(ws("p/d"), ws("l")));
    repeat([&] { count(walk_and_note(root, "p")); });
    verdict({});
    control([&] { return naive_walk_meets_outside(ws("p")); });
}

TEST_F(Walk, walk_of_a_directory_that_becomes_an_outward_link) {
    tree({"ROOT/d/f=inside", "ROOT/l->@/OUT", "OUT/outside=secret"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] { count(walk_and_note(root, "d")); });
    verdict({Code::kPathEscape});
    control(
        [&] { return naive::looks_inside(ws(), ws("d")) && naive_walk_meets_outside(ws("d")); });
}

// As a search does it: what the walk reports as a file is read.
TEST_F(Walk, walk_past_a_file_that_becomes_an_outward_link) {
    tree({"ROOT/p/f=inside", "ROOT/p/g=inside", "ROOT/l->@/OUT/secret"});
    const Root root = this->root();
    attack(exchange(ws("p/f"), ws("l")));
    repeat([&] {
        std::vector<std::string> files;
        const auto collect = [&](const WalkEntry& entry) {
            if (entry.type == FileType::kRegular) files.emplace_back(entry.path);
            return WalkAction::kContinue;
        };
        EXPECT_OK(root.walk("p", collect));
        for (const std::string& file : files) {
            const auto content = root.read_file(file);
            if (count(content)) note_outside(*content != "inside");
        }
    });
    verdict({Code::kPathEscape});
    control([&] {
        bool leaked = false;
        naive::walk(ws("p"), [&](const std::string& path) {
            leaked |= !naive::is_link(path) && os_read(path) == kSecret;
        });
        return leaked;
    });
}

TEST_F(Walk, walk_below_a_root_that_is_exchanged_with_a_sibling) {
    tree({"ROOT/d/f=inside", "SIBLING/d/outside=secret"});
    const Root root = this->root();
    watch(base() + "/SIBLING");
    attack(exchange(ws(), base() + "/SIBLING"));
    repeat([&] {
        if (count(walk_and_note(root, "."))) {
            EXPECT_EQ(visited(), 2U);
        }
    });
    verdict({});
    control(
        [&] { return naive::looks_inside(ws(), ws("d")) && naive_walk_meets_outside(ws("d")); });
}

TEST_F(Walk, walk_of_a_directory_that_becomes_an_inward_link) {
    tree({"ROOT/d/sub/f=inside", "ROOT/e/sub/f=inside", "ROOT/l->e"});
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat([&] {
        if (count(walk_and_note(root, "d"))) {
            EXPECT_EQ(visited(), 2U);
        }
    });
    verdict({});
    control([&] { return naive::is_link(ws("d")); });
}

}  // namespace
}  // namespace paddock::testing
