#include "json/splice.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/write.h"

using namespace paddock::json;

namespace {

const std::vector<std::string> kPath{"servers", "p"};

std::string set(std::string_view text, const Value& value = Object{{"a", 1}}) {
    auto changed = set_member(text, kPath, value);
    return changed ? *changed : "refused: " + changed.error();
}

std::string removed(std::string_view text) {
    auto changed = remove_member(text, kPath);
    return changed ? *changed : "refused: " + changed.error();
}

TEST(Splice, makes_what_is_missing) {
    const std::string whole = "{\n  \"servers\": {\n    \"p\": {\n      \"a\": 1\n    }\n  }\n}\n";
    EXPECT_EQ(set(""), whole);
    EXPECT_EQ(set(" \n"), whole);
    EXPECT_EQ(set("{}\n"), whole);
    EXPECT_EQ(set("{ }"), whole.substr(0, whole.size() - 1));
}

TEST(Splice, keeps_every_other_byte) {
    EXPECT_EQ(set("{\n\t\"z\" : 1.50,\n\t\"b\": [ ]\n}"),
              "{\n\t\"z\" : 1.50,\n\t\"b\": [ ],\n\t\"servers\": {\n\t\t\"p\": {\n\t\t\t\"a\": "
              "1\n\t\t}\n\t}\n}");
    EXPECT_EQ(
        set("{\n    \"servers\": {\n        \"q\": {}\n    },\n    \"x\": \"\\u0041\"\n}\n", 5),
        "{\n    \"servers\": {\n        \"q\": {},\n        \"p\": 5\n    },\n    \"x\": "
        "\"\\u0041\"\n}\n");
    EXPECT_EQ(set("{\"x\":{\"servers\":1},\"servers\":{\"q\":2}}", 5),
              "{\"x\":{\"servers\":1},\"servers\":{\"q\":2, \"p\": 5}}");
}

TEST(Splice, replaces_the_value_only) {
    EXPECT_EQ(set("{\"servers\": {\"p\" : [1, \"]}\\\"\"] , \"q\": 1}}", true),
              "{\"servers\": {\"p\" : true , \"q\": 1}}");
    EXPECT_EQ(set("{\"servers\": {\"\\u0070\" :1}}", 2), "{\"servers\": {\"\\u0070\" :2}}");
    const std::string once = set("{\n  \"k\": 1\n}\n");
    EXPECT_EQ(set(once), once);
}

TEST(Splice, removing_takes_back_what_setting_did) {
    for (const std::string text :
         {"{\n\t\"z\" : 1.50,\n\t\"b\": [ ]\n}", "{\"x\":1}",
          "{\n    \"servers\": {\n        \"q\": {}\n    },\n    \"x\": 1\n}\n"}) {
        EXPECT_EQ(removed(set(text)), text);
        EXPECT_EQ(removed(text), text) << "nothing to remove";
    }
    EXPECT_EQ(removed(set("{}")), "{}");
    EXPECT_EQ(removed("{\"servers\": {\"p\": 1, \"q\": 2}}"), "{\"servers\": {\"q\": 2}}");
    EXPECT_EQ(removed("{\n  \"servers\": {\n    \"p\": 1\n  },\n  \"x\": 2\n}"),
              "{\n  \"x\": 2\n}");
}

TEST(Splice, what_is_no_strict_json_is_refused) {
    for (const char* text : {"{ // mine\n}", "{\"a\": 1,}", "[]", "{", "{\"servers\": []}",
                             "{\"a\": 1, \"a\": 2}", "5"}) {
        EXPECT_EQ(set(text).find("refused: "), 0U) << text;
        EXPECT_EQ(removed(text).find("refused: "), 0U) << text;
    }
}

// Every text that is made is JSON, and says the same as the old one but for the member.
TEST(Splice, agrees_with_the_parser) {
    for (const char* text :
         {"{}", "{\"servers\":{}}", "{ \"a\":[{\"servers\":{\"p\":1}}] , \"servers\" : { } }",
          "{\"n\":-1.5e3,\"t\":true,\"s\":\"}{,\",\"servers\":{\"x\":null}}"}) {
        const std::string changed = set(text, "new");
        const Parsed parsed = parse(changed);
        ASSERT_EQ(parsed.problem, "") << changed;
        const Value* servers = parsed.value.as_object()->find("servers");
        ASSERT_NE(servers, nullptr);
        EXPECT_EQ(to_text(*servers->as_object()->find("p")), "\"new\"");
        Object before = *parse(text).value.as_object();
        Object after = *parse(changed).value.as_object();
        Object sub = before.find("servers") != nullptr ? *before["servers"].as_object() : Object();
        sub["p"] = "new";
        before["servers"] = sub;
        EXPECT_EQ(to_text(before), to_text(after));
    }
}

}  // namespace
