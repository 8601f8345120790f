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
        if (finding.at("name") == "cgroup_v2") {
            EXPECT_EQ(text_of(finding.at("detail")).starts_with("delegated"), state == "on");
        }
        if (!finding.at("needed").as_bool()) continue;
        needed.insert(text_of(finding.at("name")));
        lacking = lacking || state == "missing";
    }
    EXPECT_EQ(needed, (std::set<std::string>{"landlock", "mount_ids"}));
    EXPECT_EQ(ran.exit_code, lacking ? 1 : 0);
}

TEST(Doctor, tells_what_a_session_would_be_given) {
    const auto document = paddock({"doctor", "--json"}).json();
    ASSERT_TRUE(document.is_object());
    const auto& shell = document.at("shell");
    const std::string text = paddock({"doctor"}).out;
    if (!shell.at("available").as_bool()) {
        EXPECT_FALSE(text_of(shell.at("refusal")).empty());
        EXPECT_NE(text.find("commands are refused"), std::string::npos) << text;
        return;
    }
    const std::string level = text_of(shell.at("level"));
    EXPECT_NE(text.find("sandbox of the " + level + " level"), std::string::npos) << text;
    std::set<std::string> on;
    for (const auto& layer : shell.at("layers").as_array()) {
        const std::string name = text_of(layer.at("name"));
        EXPECT_NE(text.find(name), std::string::npos) << name;
        EXPECT_FALSE(text_of(layer.at("detail")).empty()) << name;
        EXPECT_EQ(text_of(layer.at("remedy")).empty(), layer.at("state") == "on") << name;
        if (layer.at("state") == "on") on.insert(name);
    }
    EXPECT_TRUE(on.count("landlock") == 1 && on.count("seccomp") == 1);
    EXPECT_EQ(on.count("mount_namespace"), level == "full" ? 1U : 0U);
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
