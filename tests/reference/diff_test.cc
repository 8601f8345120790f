// What diff prints, `patch` and `git apply` must turn into the target.
#include "text/diff.h"

#include <gtest/gtest.h>

#include "escape/in_memory.h"
#include "reference/drafts.h"

namespace paddock::reference {
namespace {

// Has `command` apply DIFF to the file x of many cases, and compares.
void expect_applied_by(const std::string& base, const std::string& command) {
    constexpr int kCases = 150;
    Random random(11);
    std::vector<std::string> wanted;
    for (int i = 0; i < kCases; ++i) {
        const Endings endings = i % 2 == 0 ? Endings::kUniform : Endings::kMixed;
        const std::string before = draft(random, endings) + "end\n";
        const std::string after =
            random() % 20 == 0 ? draft(random, endings) + "x" : revised(random, before, endings);
        const std::string name = base + "/cases/" + std::to_string(i);
        spill(name + "/x", before);
        spill(name + "/diff", text::unified_diff(before, after, "a/x", "b/x").text);
        wanted.push_back(after);
    }
    ASSERT_TRUE(shell(base + "/cases",
                      "for i in *; do [ ! -s $i/diff ] || (cd $i && " + command + "); done\n"));
    for (int i = 0; i < kCases; ++i) {
        const std::string name = base + "/cases/" + std::to_string(i);
        ASSERT_EQ(slurp(name + "/x"), wanted[static_cast<std::size_t>(i)]) << slurp(name + "/diff");
    }
}

class DiffReference : public testing::InMemory {};

TEST_F(DiffReference, is_applied_by_patch) {
    if (!have("patch")) GTEST_SKIP() << "patch is not installed";
    expect_applied_by(base(), "patch --silent --binary --fuzz=0 -p1 x diff");
}

TEST_F(DiffReference, is_applied_by_git) {
    if (!have("git")) GTEST_SKIP() << "git is not installed";
    expect_applied_by(base(), "git apply --whitespace=nowarn diff");
}

// Both find a shortest script, so they remove and add as many lines.
TEST_F(DiffReference, is_as_short_as_that_of_diff) {
    if (!have("diff")) GTEST_SKIP() << "diff is not installed";
    constexpr int kCases = 100;
    Random random(12);
    std::vector<std::size_t> ours;
    for (int i = 0; i < kCases; ++i) {
        const std::string before = draft(random, Endings::kUniform);
        const std::string after = revised(random, before, Endings::kUniform);
        const std::string name = base() + "/cases/" + std::to_string(i);
        spill(name + "/x", before);
        spill(name + "/y", after);
        const text::DiffText diff = text::unified_diff(before, after, "x", "y");
        ours.push_back(diff.added + diff.removed);
    }
    ASSERT_TRUE(shell(base() + "/cases",
                      "for i in *; do diff --minimal $i/x $i/y >$i/diff || true; done\n"));
    for (int i = 0; i < kCases; ++i) {
        const std::string diff = slurp(base() + "/cases/" + std::to_string(i) + "/diff");
        std::size_t lines = 0;
        const text::Lines split(diff);
        for (std::size_t n = 0; n < split.size(); ++n) {
            lines += split[n].starts_with("< ") || split[n].starts_with("> ") ? 1U : 0U;
        }
        EXPECT_EQ(ours[static_cast<std::size_t>(i)], lines) << diff;
    }
}

}  // namespace
}  // namespace paddock::reference
