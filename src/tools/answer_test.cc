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
    EXPECT_EQ(remarks_on_left(EndedBy::kQuota, {}, "were ended").lines,
              Sentences{"Processes that earlier commands left running were ended: it filled the "
                    "workspace (limit: disk, operator setting: limits.bytes_on_disk)."});
    EXPECT_TRUE(remarks_on_left(EndedBy::kItself, {}, "were ended").lines.empty());
}

TEST(Remarks, count_what_a_command_changed) {
    EXPECT_EQ(changes_text({}), "");
    EXPECT_EQ(changes_text({.made = 2, .removed = 1}), "[Files: 2 made, 1 removed]");
    EXPECT_EQ(changes_text({.changed = 1, .not_kept = 1}),
              "[Files: 1 changed; the old content of 1 of them was not kept (too large, or no "
              "room) and cannot be restored]");
}

}  // namespace
}  // namespace paddock::tools
