#include "search/file_types.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace paddock::search {
namespace {

bool is_of(std::string_view kind, std::string_view name) {
    KindFilter filter;
    EXPECT_TRUE(filter.add(kind).has_value()) << kind;
    return filter.matches(name);
}

TEST(FileTypes, by_ending_name_and_beginning) {
    EXPECT_TRUE(is_of("c", "main.c"));
    EXPECT_TRUE(is_of("c", ".c"));
    EXPECT_TRUE(is_of("cpp", "a.b.hpp"));
    EXPECT_TRUE(is_of("gradle", "build.gradle.kts"));
    EXPECT_TRUE(is_of("make", "Makefile"));
    EXPECT_TRUE(is_of("make", "Makefile.am"));
    EXPECT_TRUE(is_of("cmake", "CMakeLists.txt"));
    EXPECT_FALSE(is_of("c", "c"));
    EXPECT_FALSE(is_of("c", "main.cc"));
    EXPECT_FALSE(is_of("cmake", "xCMakeLists.txt"));
    EXPECT_FALSE(is_of("py", ""));
}

TEST(FileTypes, several_are_a_union) {
    KindFilter filter;
    EXPECT_TRUE(filter.empty());
    ASSERT_TRUE(filter.add("py") && filter.add("rust"));
    EXPECT_TRUE(filter.matches("a.py") && filter.matches("a.rs"));
    EXPECT_FALSE(filter.matches("a.c"));
}

TEST(FileTypes, an_unknown_one_is_refused) {
    KindFilter filter;
    EXPECT_EQ(filter.add("klingon").error().code, Code::kInvalidArgument);
    EXPECT_EQ(filter.add("").error().code, Code::kInvalidArgument);
}

TEST(FileTypes, the_table_is_sorted_and_each_row_usable) {
    const auto& kinds = file_kinds();
    EXPECT_TRUE(std::is_sorted(kinds.begin(), kinds.end(),
                               [](const auto& a, const auto& b) { return a.name < b.name; }));
    EXPECT_GE(kinds.size(), 60U);
    for (const FileKind& kind : kinds) {
        EXPECT_EQ(kind.patterns.find_first_of("[]{}?!/"), std::string_view::npos) << kind.name;
        for (std::size_t star = kind.patterns.find('*'); star != kind.patterns.npos;
             star = kind.patterns.find('*', star + 1)) {
            const bool ending = kind.patterns.substr(star).starts_with("*.");
            const bool beginning =
                star + 1 == kind.patterns.size() || kind.patterns[star + 1] == ' ';
            EXPECT_TRUE(ending || beginning) << kind.name;
        }
    }
}

}  // namespace
}  // namespace paddock::search
