#include "tools/answer.h"

#include <gtest/gtest.h>

namespace paddock::tools {
namespace {

using Sentences = std::vector<std::string>;

TEST(Remarks, of_several_stand_one_after_the_other) {
    Remarks all{{"One."}};
    all.add({{"Two.", "Three."}});
    EXPECT_EQ(all.lines, (Sentences{"One.", "Two.", "Three."}));
}

TEST(Remarks, name_the_limit_that_what_was_left_has_met) {
    EXPECT_EQ(remarks_on_left(EndedBy::kQuota, {}, "was ended").lines,
              Sentences{"What earlier commands had left running was ended: it filled the workspace "
                        "(limit: disk, operator setting: limits.bytes_on_disk)."});
    EXPECT_TRUE(remarks_on_left(EndedBy::kItself, {}, "was ended").lines.empty());
}

TEST(Remarks, count_what_a_command_changed) {
    EXPECT_EQ(changes_text({}), "");
    EXPECT_EQ(changes_text({.made = 2, .removed = 1}), "[Files: 2 made, 1 removed]");
    EXPECT_EQ(changes_text({.changed = 1, .not_kept = 1}),
              "[Files: 1 changed; what was in 1 of them is not kept, and cannot be undone: too "
              "large, or no room]");
}

}  // namespace
}  // namespace paddock::tools
