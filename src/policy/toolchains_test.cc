#include "policy/toolchains.h"

#include <gtest/gtest.h>

using namespace paddock::policy;

namespace {

TEST(ToolchainTable, a_directory_that_a_variable_names_has_a_marker) {
    for (const Toolchain& each : all_toolchains()) {
        EXPECT_EQ(each.variable.empty(), each.markers.empty()) << each.name;
        EXPECT_FALSE(each.shares_places && each.markers.empty()) << each.name;
    }
}

TEST(ToolchainTable, shows_parts_by_their_names) {
    for (const Toolchain& each : all_toolchains()) {
        for (const std::string_view pattern : each.shown) {
            EXPECT_FALSE(pattern.starts_with('*') || pattern.starts_with('<'))
                << each.name << ": everything in its directory: " << pattern;
            EXPECT_FALSE(pattern.ends_with("/*")) << each.name << ": " << pattern;
        }
    }
    for (const char* shown : {"bin", "lib", "include", "erts-14.2", "VERSION", "lib64"}) {
        EXPECT_TRUE(is_shown_in_prefix(shown)) << shown;
    }
    for (const char* hidden : {"etc", "conf", "var", "envs", "tmp", "data", "gcloud", "keyrings",
                               "secrets", ".npmrc", "pip.conf", "erts", "bin2", ""}) {
        EXPECT_FALSE(is_shown_in_prefix(hidden)) << hidden;
    }
}

}  // namespace
