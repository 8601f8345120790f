#include "tools/known_paths.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace paddock::tools
