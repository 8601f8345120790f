// Races against the gate (races.cc): none changes anything sealed. A careless judge in its place
// loses each of them, so they are races. PADDOCK_GATE_TRIES sets how often each is run.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "gate/runner.h"

namespace gate {
namespace {

constexpr const char* kRaces[] = {
    "path_memory",
    "device_in_path_memory",
    "rename_to_path_memory",
    "mode_of_path_memory",
    "size_of_path_memory",
    "attribute_of_path_memory",
    "working_directory",
    "directory_descriptor",
    "link_on_the_way",
    "link_at_the_end",
    "directory_exchanged",
    "config_through_its_lock",
    "config_by_a_second_name",
    "link_of_a_descriptor",
};

constexpr long kFew = 500;
constexpr long kMany = 100'000;
constexpr const char* kUntilItLeaks = "3000000";

constexpr const char* kOwner =
    "git init -q . && echo evil > .git/hooks/pre-commit && chmod 644 .git/hooks/pre-commit";

TEST(Races, are_lost_by_a_careless_judge) {
    for (const char* race : kRaces) {
        const Workspace workspace(plain_place());
        workspace.prepare(kOwner);
        const Ran ran = workspace.run({install(PADDOCK_GATE_RACES), race, kUntilItLeaks, "naive"});
        EXPECT_TRUE(ran.out.starts_with("leaks 1 ")) << race << ": " << ran.all();
    }
}

class RacesInside : public PlaceTest {};

TEST_P(RacesInside, are_won_by_the_gate) {
    const std::string count = std::to_string(tries(kFew, kMany));
    for (const char* race : kRaces) {
        const Workspace workspace(GetParam());
        workspace.prepare(kOwner);
        const Ran ran = workspace.run({install(PADDOCK_GATE_RACES), race, count});
        long leaks = -1;
        long acted = 0;
        long harmless = 0;
        (void)std::sscanf(ran.out.c_str(), "leaks %ld of %ld harmless %ld", &leaks, &acted,
                          &harmless);
        EXPECT_EQ(leaks, 0) << race << ran.all();
        EXPECT_GE(acted, std::stol(count)) << race << ran.all();
        EXPECT_GT(harmless, 0) << race << ": everything is refused";
        EXPECT_LT(harmless, acted) << race << ": nothing is refused";
    }
}

INSTANTIATE_TEST_SUITE_P(Gate, RacesInside, ::testing::ValuesIn(sandboxed_places()), place_name);

}  // namespace
}  // namespace gate
