#include "tools/known_paths.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "testing/jail.h"

namespace paddock::tools {
namespace {

using search::ProtectedPath;
using search::Protection;

class KnownPathsTest : public testing::Jail {
protected:
    ProtectedPath seen(const char* path, Protection protection = Protection::kReadOnly) const {
        ProtectedPath entry;
        entry.path = path;
        entry.protection = protection;
        entry.stat = root().lstat(path).value();
        return entry;
    }

    HeldObjects held_;
    KnownPaths known_{root({.symlinks = Symlinks::kReject}), true, held_};
};

TEST_F(KnownPathsTest, what_is_to_be_protected_otherwise_is_bound_anew) {
    tree({"ROOT/a=", "ROOT/b="});
    known_.trust({seen("a")});
    known_.accept(seen("b"));
    EXPECT_EQ(known_.bind().size(), 2U);
    known_.accept(seen("b"));
    EXPECT_EQ(known_.bind().size(), 0U);
    known_.accept(seen("b", Protection::kHidden));
    EXPECT_EQ(known_.bind().size(), 1U);
    known_.trust({seen("a", Protection::kHidden), seen("b", Protection::kHidden)});
    EXPECT_EQ(known_.bind().size(), 1U);
}

// Each is still bound.
TEST_F(KnownPathsTest, counts_what_is_out_of_sight) {
    tree({"ROOT/a=", "ROOT/b="});
    known_.trust({seen("a"), seen("b")});
    (void)known_.bind();
    known_.trust({seen("b")});
    EXPECT_EQ(known_.size(), 2U);
    known_.trust({seen("a"), seen("b")});
    EXPECT_EQ(known_.size(), 2U);
}

TEST_F(KnownPathsTest, what_is_doubted_is_known_as_it_was) {
    tree({"ROOT/a=", "ROOT/b="});
    known_.trust({seen("a")});
    const Stat before = known_.find("a")->at.stat;
    os_write(ws("a"), "more");
    known_.doubt(seen("a").stat);
    known_.doubt(seen("b").stat);
    known_.trust({seen("a"), seen("b")});
    EXPECT_EQ(known_.find("a")->at.stat.size, before.size);
    EXPECT_EQ(known_.find("b"), nullptr);
    known_.follow({seen("a"), seen("b")});
    known_.trust({seen("a"), seen("b")});
    EXPECT_NE(known_.find("b"), nullptr);
}

// Half of them have other paths, the others have gone and as many are new. Comparing each with each
// takes minutes.
TEST_F(KnownPathsTest, many_that_moved_are_found_soon) {
    constexpr std::uint64_t kMany = 20'000;
    const auto entry = [](const std::string& directory, std::uint64_t inode) {
        ProtectedPath made;
        made.path = directory + "/" + std::to_string(inode);
        made.stat.identity = {1, inode};
        made.stat.created = std::chrono::nanoseconds(1);
        return made;
    };
    KnownPaths::List list;
    for (std::uint64_t i = 0; i < kMany; ++i) {
        known_.accept(entry("a", i));
        list.push_back(entry("b", i + kMany / 2));
    }
    const auto begun = std::chrono::steady_clock::now();
    known_.follow(list);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
    EXPECT_EQ(known_.gone().size(), kMany / 2);
    EXPECT_EQ(known_.size(), kMany);
    EXPECT_NE(known_.find("b/" + std::to_string(kMany - 1)), nullptr);
    EXPECT_EQ(known_.find("b/" + std::to_string(kMany)), nullptr);
}

}  // namespace
}  // namespace paddock::tools
