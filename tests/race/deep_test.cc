// Trees deeper than the number of directories that are held open: levels that were let go are found
// again by their names, while one of those names is exchanged with an outward link.
#include <fcntl.h>
#include <unistd.h>

#include "fs/resolver.h"
#include "race/naive.h"
#include "race/race.h"
#include "race/slots.h"

namespace paddock::testing {
namespace {

constexpr std::size_t kDepth = fs::kHeldDirectoriesMax + 6;
constexpr std::uint64_t kFewer = 50;  // each round takes many system calls

std::string repeated(std::string_view part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

class Deep : public Race {
protected:
    // d/d/.../d/inside, and the same below OUT with "outside"; "l" leads to OUT/d.
    void build() {
        const std::string way = repeated("d/", kDepth);
        const std::string inside = "ROOT/" + way + "inside=f";
        const std::string outside = "OUT/" + way + "outside=f";
        tree({inside, outside, "ROOT/l->@/OUT/d"});
    }
};

TEST_F(Deep, climb_past_a_directory_that_becomes_an_outward_link) {
    build();
    tree({"ROOT/d/d/f=inside", "OUT/d/d/f=outside"});
    const std::string way = repeated("d/", kDepth) + repeated("../", kDepth - 2) + "f";
    ASSERT_EQ(::symlink(way.c_str(), ws("way").c_str()), 0);
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat(
        [&] {
            const auto content = root.read_file("way");
            if (count(content)) note_outside(*content != "inside");
        },
        kFewer);
    verdict({Code::kPathEscape, Code::kRace});
    control([&] { return naive::read(ws(), ws("way")) == "outside"; });
}

TEST_F(Deep, walk_past_a_directory_that_becomes_an_outward_link) {
    build();
    const Root root = this->root();
    attack(exchange(ws("d"), ws("l")));
    repeat(
        [&] {
            count(root.walk(".", [&](const WalkEntry& entry) {
                note_outside(entry.name == "outside");
                return WalkAction::kContinue;
            }));
        },
        kFewer);
    verdict({Code::kRace});
    control([&] {
        bool met = false;
        naive::walk(ws(), [&](const std::string& path) { met |= path.ends_with("/outside"); });
        return met;
    });
}

TEST_F(Deep, remove_all_past_a_directory_that_becomes_an_outward_link) {
    build();
    const Root root = this->root();
    Slots slots(ws(), [&](const std::string& slot) {
        const std::string deep = slot.substr(base().size() + 1) + "/p/" + repeated("d/", kDepth);
        tree({deep});
        ASSERT_EQ(::symlink(out("d").c_str(), (slot + "/l").c_str()), 0);
    });
    attack(slots.exchange("p/d", "l"));
    repeat(
        [&] {
            const Status done = root.remove_all(slots.name() + "/p");
            EXPECT_FALSE(count(done) && os_exists(slots.path("p")))
                << "said to be removed, and still there";
            slots.next(attacker());
        },
        kFewer);
    verdict({Code::kRace});
    control([&] {
        naive::remove_all(slots.path("p"));
        slots.next(attacker());
        return !os_exists(out(repeated("d/", kDepth) + "outside"));
    });
}

}  // namespace
}  // namespace paddock::testing
