#include "sandbox/write_map.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

namespace paddock::sandbox {
namespace {

TEST(WriteMap, the_nearest_entry_above_decides) {
    WriteMap map;
    ASSERT_TRUE(map.set("/home/me/project", Wall::kNone));
    ASSERT_TRUE(map.set("/home/me/project/.git/hooks", Wall::kRule));
    ASSERT_TRUE(map.set("/home/me/project/.git/hooks/open", Wall::kNone));
    EXPECT_EQ(map.wall_before("/home/me/project"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/home/me/project/a/b"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/home/me/project/.git/index"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/home/me/project/.git/hooks"), Wall::kRule);
    EXPECT_EQ(map.wall_before("/home/me/project/.git/hooks/pre-commit"), Wall::kRule);
    EXPECT_EQ(map.wall_before("/home/me/project/.git/hooks/open/x"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/home/me"), Wall::kView);
    EXPECT_EQ(map.wall_before("/home/me/project2"), Wall::kView) << "names, not prefixes";
    EXPECT_EQ(map.wall_before("/home/me/project-"), Wall::kView);
    EXPECT_EQ(map.wall_before("/"), Wall::kView);
    EXPECT_EQ(map.wall_before("/etc/passwd"), Wall::kView);
    EXPECT_EQ(map.wall_before(""), Wall::kView);
}

TEST(WriteMap, knows_where_a_wall_was_set) {
    WriteMap map;
    ASSERT_TRUE(map.set("/ws", Wall::kNone));
    ASSERT_TRUE(map.set("/ws/.git/hooks", Wall::kRule));
    EXPECT_EQ(map.behind("/ws/.git/hooks/a/b"), "/ws/.git/hooks");
    EXPECT_EQ(map.behind("/ws/.git/hooks"), "/ws/.git/hooks");
    EXPECT_EQ(map.behind("/ws/.git/hooks2"), "/ws");
    EXPECT_EQ(map.behind("/usr/lib"), "/");
}

TEST(WriteMap, an_entry_can_be_changed) {
    WriteMap map;
    ASSERT_TRUE(map.set("/ws", Wall::kNone));
    ASSERT_TRUE(map.set("/ws", Wall::kReadOnly));
    EXPECT_EQ(map.wall_before("/ws/file"), Wall::kReadOnly);
}

TEST(WriteMap, devices_and_the_own_process_are_open) {
    const WriteMap map;
    for (const char* path : {"/dev/null", "/dev/pts/0", "/proc/self/fd/1", "/proc/7/comm"}) {
        EXPECT_EQ(map.wall_before(path), Wall::kNone) << path;
    }
    EXPECT_EQ(map.wall_before("/proc/sys/kernel/core_pattern"), Wall::kView);
}

TEST(WriteMap, a_full_map_says_so_and_keeps_what_it_has) {
    WriteMap map;
    std::size_t taken = 0;
    while (map.set("/ws/" + std::to_string(taken), Wall::kRule)) ++taken;
    EXPECT_GT(taken, limits::kWriteMapPlacesMax - 20);
    EXPECT_LT(taken, limits::kWriteMapPlacesMax);
    EXPECT_TRUE(map.set("/ws/0", Wall::kNone)) << "no new entry";
    EXPECT_EQ(map.wall_before("/ws/0"), Wall::kNone);
    EXPECT_EQ(map.wall_before("/ws/" + std::to_string(taken - 1)), Wall::kRule);
    EXPECT_EQ(map.wall_before("/ws/" + std::to_string(taken)), Wall::kView);

    WriteMap wide;
    const std::string name(limits::kWriteMapBytesMax, 'x');
    EXPECT_FALSE(wide.set("/" + name, Wall::kRule));
}

}  // namespace
}  // namespace paddock::sandbox
