#include "fs/rel_path.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

using namespace paddock;
using namespace paddock::fs;

namespace {

PathRules rules_of(std::initializer_list<const char*> roots) {
    PathRules rules;
    for (const char* root : roots) rules.spellings.push_back(spelling_of(root).value());
    return rules;
}

// The normalised text, with a final "/" where a directory is demanded, or the code.
std::string parsed(std::string_view path, const PathRules& rules = rules_of({"/srv/ws"})) {
    const auto result = parse_path(path, rules);
    if (!result) return std::string(code_name(result.error().code));
    return result->text + (result->must_be_directory ? "/" : "");
}

TEST(RelPath, normalises_without_looking) {
    EXPECT_EQ(parsed("a"), "a");
    EXPECT_EQ(parsed("a//b/./c"), "a/b/c");
    EXPECT_EQ(parsed("sub/../file"), "file");
    EXPECT_EQ(parsed("a/b/../../c"), "c");
    EXPECT_EQ(parsed("..a/..."), "..a/...");
}

TEST(RelPath, remembers_that_a_directory_was_meant) {
    EXPECT_EQ(parsed("a/"), "a/");
    EXPECT_EQ(parsed("a/."), "a/");
    EXPECT_EQ(parsed("a/b/.."), "a/");
    EXPECT_EQ(parsed("."), "/");
    EXPECT_TRUE(parse_path("a/.", {})->ends_in_dots);
    EXPECT_TRUE(parse_path("a/b/..", {})->ends_in_dots);
    EXPECT_FALSE(parse_path("a/", {})->ends_in_dots);
    EXPECT_FALSE(parse_path("../a/./b", {}).has_value());
}

TEST(RelPath, never_climbs_above_the_root) {
    EXPECT_EQ(parsed(".."), "path_escape");
    EXPECT_EQ(parsed("a/../.."), "path_escape");
    EXPECT_EQ(parsed("../ws/a"), "path_escape");
    EXPECT_EQ(parsed("/srv/ws/.."), "path_escape");
}

TEST(RelPath, can_refuse_every_dotdot) {
    PathRules rules = rules_of({"/srv/ws"});
    rules.dotdot = DotDot::kReject;
    EXPECT_EQ(parsed("a/../b", rules), "path_escape");
    EXPECT_EQ(parsed("a/..b", rules), "a/..b");
}

TEST(RelPath, maps_absolute_paths_by_component) {
    EXPECT_EQ(parsed("/srv/ws/a"), "a");
    EXPECT_EQ(parsed("//srv/./ws//a/"), "a/");
    EXPECT_EQ(parsed("/srv/ws"), "/");
    EXPECT_EQ(parsed("/srv/ws-old/a"), "path_escape");
    EXPECT_EQ(parsed("/srv"), "path_escape");
    EXPECT_EQ(parsed("/srv/x/../ws/a"), "path_escape");
    EXPECT_EQ(parsed("/real/ws/a", rules_of({"/srv/ws", "/real/ws"})), "a");
    EXPECT_EQ(parsed("/a", rules_of({"/"})), "a");
}

TEST(RelPath, can_refuse_absolute_paths) {
    PathRules rules = rules_of({"/srv/ws"});
    rules.absolute = AbsolutePaths::kReject;
    EXPECT_EQ(parsed("/srv/ws/a", rules), "absolute_path");
}

TEST(RelPath, refuses_what_the_kernel_could_not_take) {
    EXPECT_EQ(parsed(""), "invalid_path");
    EXPECT_EQ(parsed(std::string_view("a\0b", 3)), "invalid_path");
    EXPECT_EQ(parsed(std::string(limits::kComponentBytesMax, 'a')),
              std::string(limits::kComponentBytesMax, 'a'));
    EXPECT_EQ(parsed(std::string(limits::kComponentBytesMax + 1, 'a')), "invalid_path");
    std::string longest;
    while (longest.size() < limits::kPathBytesMax) longest += "a/";
    EXPECT_EQ(parsed(longest), longest);
    EXPECT_EQ(parsed(longest + "a"), "invalid_path");
}

TEST(RelPath, splits_off_the_leaf) {
    const RelPath deep = parse_path("a/b/c", {}).value();
    EXPECT_EQ(deep.parent(), "a/b");
    EXPECT_EQ(deep.leaf(), "c");
    const RelPath top = parse_path("a", {}).value();
    EXPECT_EQ(top.parent(), "");
    EXPECT_EQ(top.leaf(), "a");
}

TEST(RelPath, takes_components_one_by_one) {
    std::string_view rest = "//a/b//";
    EXPECT_EQ(take_component(rest), "a");
    EXPECT_EQ(rest, "/b//");
    EXPECT_EQ(take_component(rest), "b");
    EXPECT_EQ(take_component(rest), "");
    EXPECT_EQ(take_component(rest), "");
}

TEST(RelPath, a_spelling_is_absolute_and_has_no_dotdot) {
    EXPECT_EQ(spelling_of("/a/./b/"), (Spelling{"a", "b"}));
    EXPECT_EQ(spelling_of("/"), Spelling{});
    EXPECT_EQ(spelling_of("a/b"), std::nullopt);
    EXPECT_EQ(spelling_of("/a/../b"), std::nullopt);
}

}  // namespace
