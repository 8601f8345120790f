#include "search/path_filter.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace paddock::search {
namespace {

PathFilter with(std::initializer_list<const char*> globs, std::string_view start = {}) {
    PathFilter filter;
    for (const char* glob : globs) EXPECT_TRUE(filter.add_glob(glob).has_value()) << glob;
    filter.set_start(start);
    return filter;
}

bool takes(const PathFilter& filter, std::string_view path) {
    return filter.choose(path, path.substr(path.rfind('/') + 1), FileType::kRegular).take;
}

bool enters(const PathFilter& filter, std::string_view path) {
    return filter.choose(path, path.substr(path.rfind('/') + 1), FileType::kDirectory).enter;
}

TEST(PathFilter, without_rules_everything_regular) {
    const PathFilter all;
    EXPECT_TRUE(takes(all, "a/b") && enters(all, "a"));
    EXPECT_FALSE(all.choose("l", "l", FileType::kSymlink).take);
}

TEST(PathFilter, names_at_any_depth_and_paths) {
    EXPECT_TRUE(takes(with({"*.c"}), "x/y/a.c"));
    EXPECT_FALSE(takes(with({"*.c"}), "a.h"));
    EXPECT_TRUE(takes(with({"src/*.c"}), "src/a.c"));
    EXPECT_FALSE(takes(with({"src/*.c"}), "lib/a.c"));
    EXPECT_FALSE(enters(with({"src/*.c"}), "lib"));
    EXPECT_TRUE(enters(with({"src/*.c"}), "src"));
    EXPECT_TRUE(enters(with({"*.c"}), "anywhere"));
    EXPECT_TRUE(takes(with({"*.{c,h}"}), "a.h"));
}

TEST(PathFilter, the_last_that_matches_decides) {
    const auto filter = with({"*.c", "!test_*", "test_main.c"});
    EXPECT_TRUE(takes(filter, "a.c"));
    EXPECT_FALSE(takes(filter, "test_a.c"));
    EXPECT_TRUE(takes(filter, "test_main.c"));
    EXPECT_TRUE(takes(with({"!*.c"}), "a.h"));
    EXPECT_FALSE(enters(with({"!node_modules"}), "a/node_modules"));
}

TEST(PathFilter, paths_below_the_start_or_the_root) {
    const auto filter = with({"net/*.c"}, "src");
    EXPECT_TRUE(takes(filter, "src/net/a.c"));
    EXPECT_TRUE(takes(with({"src/net/*.c"}, "src"), "src/net/a.c"));
    EXPECT_TRUE(enters(with({"src/net/*.c"}, "src"), "src/net"));
    EXPECT_FALSE(enters(filter, "src/fs"));
}

TEST(PathFilter, kinds_are_one_more_condition) {
    PathFilter filter = with({"src/**"});
    ASSERT_TRUE(filter.add_kind("py").has_value());
    EXPECT_TRUE(takes(filter, "src/a.py"));
    EXPECT_FALSE(takes(filter, "src/a.c"));
    EXPECT_FALSE(takes(filter, "a.py"));
    EXPECT_EQ(filter.add_kind("nope").error().code, Code::kInvalidArgument);
    EXPECT_EQ(filter.add_glob("../*").error().code, Code::kPathEscape);
    EXPECT_EQ(filter.add_glob("!/etc/*").error().code, Code::kPathEscape);
}

}  // namespace
}  // namespace paddock::search
