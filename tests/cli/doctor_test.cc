#include <gtest/gtest.h>

#include <set>

#include "cli/run.h"

namespace paddock::testing {
namespace {

TEST(Doctor, json_names_every_finding_and_what_is_needed) {
    const Ran ran = paddock({"doctor", "--json"});
    const auto document = ran.json();
    ASSERT_TRUE(document.is_object());
    std::set<std::string> needed;
    bool lacking = false;
    for (const auto& finding : document.at("findings").as_array()) {
        const std::string state = text_of(finding.at("state"));
        EXPECT_TRUE(state == "on" || state == "partial" || state == "missing") << state;
        EXPECT_FALSE(text_of(finding.at("without")).empty());
        if (state != "on") {
            EXPECT_FALSE(text_of(finding.at("remedy")).empty());
        }
        if (!finding.at("needed").as_bool()) continue;
        needed.insert(text_of(finding.at("name")));
        lacking = lacking || state == "missing";
    }
    EXPECT_EQ(needed, (std::set<std::string>{"landlock", "mount_ids"}));
    EXPECT_EQ(ran.exit_code, lacking ? 1 : 0);
}

TEST(Doctor, text_says_the_same) {
    const Ran ran = paddock({"doctor"});
    const auto document = paddock({"doctor", "--json"}).json();
    ASSERT_TRUE(document.is_object());
    for (const auto& finding : document.at("findings").as_array()) {
        EXPECT_NE(ran.out.find(text_of(finding.at("name"))), std::string::npos);
        if (finding.at("state") == "on") continue;
        EXPECT_NE(ran.out.find(text_of(finding.at("without"))), std::string::npos);
    }
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << "colour in a pipe";
}

}  // namespace
}  // namespace paddock::testing
