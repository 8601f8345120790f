#include "sandbox/command_user.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(CommandUser, exchanging_two_leaves_everybody_else_alone) {
    EXPECT_EQ(exchange_map(0, 70000), "0 70000 1\n1 1 69999\n70000 0 1\n70001 70001 4294897294\n");
    EXPECT_EQ(exchange_map(1000, 5), "0 0 5\n5 1000 1\n6 6 994\n1000 5 1\n1001 1001 4294966294\n");
    EXPECT_EQ(exchange_map(6, 7), "0 0 6\n6 7 1\n7 6 1\n8 8 4294967287\n");
    EXPECT_EQ(exchange_map(9, 9), "0 0 9\n9 9 1\n10 10 4294967285\n");
}

TEST(CommandUser, an_id_comes_from_the_map) {
    const char* all = "         0          0 4294967295\n";
    EXPECT_GE(id_in_map(all, 0), 0x70000000U);
    EXPECT_LE(id_in_map(all, ~0ULL), 0x7fffffffU);
    // A container of an unprivileged user.
    const char* few = "0 1000 1\n1 100000 65536\n";
    for (std::uint64_t random = 0; random < 200'000; random += 77) {
        EXPECT_GE(id_in_map(few, random), 1U);
        EXPECT_LE(id_in_map(few, random), 65536U);
    }
    EXPECT_EQ(id_in_map("0 1000 1\n", 5), 0U);
    EXPECT_EQ(id_in_map("", 5), 0U);
    EXPECT_EQ(id_in_map("nonsense\n1 2\n", 5), 0U);
}

TEST(CommandUser, accounts_are_found_by_number) {
    const char* accounts =
        "root:x:0:0:root:/root:/bin/sh\nme:x:1000:1000::/home/me:\nbroken\nx:y\n";
    EXPECT_TRUE(lists_id(accounts, 0));
    EXPECT_TRUE(lists_id(accounts, 1000));
    EXPECT_FALSE(lists_id(accounts, 100));
    EXPECT_FALSE(lists_id(accounts, 1));
}

}  // namespace
}  // namespace paddock::sandbox
