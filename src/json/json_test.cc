#include <gtest/gtest.h>

#include <limits>

#include "json/parse.h"
#include "json/write.h"

using namespace paddock;

namespace {

std::string round_trip(std::string_view text) {
    const json::Parsed parsed = json::parse(text);
    return parsed.problem.empty() ? json::to_text(parsed.value) : parsed.problem;
}

bool refuses(std::string_view text, std::string_view why) {
    const json::Parsed parsed = json::parse(text);
    return parsed.problem.find(why) != std::string::npos;
}

// Several bytes are looked at together: each place in them has to count.
TEST(Json, escapes_at_every_place) {
    for (const std::string_view special :
         {"\n", "\"", "\\", "\x7f", "\x1f", "\xc2\x85", "\xc2\xa9", "\xe2\x82\xac", "\x80"}) {
        for (std::size_t at = 0; at < 40; ++at) {
            const std::string text =
                std::string(at, 'a') + std::string(special) + std::string(40 - at, 'z');
            const std::string written = json::to_text(json::Value(text));
            EXPECT_EQ(written.find_first_of("\n\x7f\x1f\x85"), written.npos);
            const json::Parsed back = json::parse(written);
            ASSERT_NE(back.value.as_string(), nullptr) << written;
            if (special != "\x80") {
                EXPECT_EQ(*back.value.as_string(), text);
            }
        }
    }
    EXPECT_EQ(json::to_text("tab\there"), R"("tab\there")");
}

TEST(Json, escapes_many_in_a_row) {
    for (const std::string special : {"\n", "\x1f", "\xc2\x85", "\xc2\xa9", "\t\xc2\x85x"}) {
        for (const std::size_t before : {0U, 1U, 7U, 15U}) {
            std::string text(before, 'a');
            for (int i = 0; i < 300; ++i) text += special;
            const json::Parsed back = json::parse(json::to_text(json::Value(text)));
            ASSERT_NE(back.value.as_string(), nullptr);
            EXPECT_EQ(*back.value.as_string(), text);
        }
    }
}

TEST(Json, refuses_a_name_that_comes_twice_among_few_and_among_many) {
    for (const int others : {0, 1, 7, 8, 20}) {
        std::string members = R"("x":1)";
        for (int i = 0; i < others; ++i) members += ",\"n" + std::to_string(i) + "\":1";
        EXPECT_EQ(json::parse("{" + members + "}").problem, "");
        EXPECT_TRUE(refuses("{" + members + R"(,"x":2})", "same name"));
    }
}

TEST(Json, keeps_values_and_their_order) {
    for (const char* text :
         {R"({"b":1,"a":[true,false,null,-5,1.5,"x"],"":{}})", "[]", "\"\"", "-9223372036854775808",
          R"("\u0000\u007f\n\"\\ \u20ac")", "18446744073709551616e1"}) {
        const json::Parsed parsed = json::parse(text);
        ASSERT_EQ(parsed.problem, "") << text;
        EXPECT_EQ(round_trip(json::to_text(parsed.value)), json::to_text(parsed.value));
    }
    EXPECT_EQ(round_trip(R"({"b":1,"a":[true]})"), R"({"b":1,"a":[true]})");
    EXPECT_EQ(round_trip("[1.0]"), "[1]");
}

TEST(Json, refuses_what_two_readers_could_read_differently) {
    EXPECT_TRUE(refuses(R"({"a":1,"b":2,"a":3})", "same name twice"));
    EXPECT_TRUE(refuses(R"({"x":{"a":1,"\u0061":3}})", "same name twice"));
    EXPECT_TRUE(refuses("1e999", "out of range"));
    EXPECT_TRUE(refuses("[-1e999]", "out of range"));
    for (const char* text : {"", " ", "{", "[1,]", "{'a':1}", "nul", "1 2", "[1] x", "\"\xff\"",
                             "\"\\ud800\"", "\"a\nb\"", "// c\n1", "[1 2]", "+1", "01", "NaN"}) {
        EXPECT_NE(json::parse(text).problem, "") << text;
    }
}

TEST(Json, is_bounded) {
    EXPECT_TRUE(refuses(std::string(200'000, '['), "nested too deeply"));
    const std::string deep = std::string(64, '[') + std::string(64, ']');
    EXPECT_EQ(json::parse(deep).problem, "");
    EXPECT_NE(json::parse('[' + deep + ']').problem, "");
    EXPECT_NE(json::parse("[1,2,3]", {.values_max = 2}).problem, "");
    EXPECT_NE(json::parse("[[],[],{}]", {.values_max = 3}).problem, "");
    EXPECT_EQ(json::parse("[[],[],{}]", {.values_max = 4}).problem, "");
    EXPECT_NE(json::parse("[1,2,3]", {.bytes_max = 6}).problem, "");
}

TEST(Json, writes_valid_text_whatever_the_bytes) {
    EXPECT_EQ(json::to_text("a\xff\xc3(\xe2\x82\xac"),
              "\"a\xef\xbf\xbd\xef\xbf\xbd(\xe2\x82\xac\"");
    EXPECT_EQ(json::to_text("\x1b[2J\xc2\x9b"
                            "2J \xc2\xa0\xc3\x9b"),
              "\"\\u001b[2J\\u009b2J \xc2\xa0\xc3\x9b\"");
    EXPECT_EQ(json::to_text(std::numeric_limits<double>::infinity()), "null");
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    EXPECT_EQ(json::parse(json::to_text(bytes)).problem, "");
}

TEST(Json, objects_find_and_make_members) {
    json::Object object{{"a", 1}};
    EXPECT_EQ(object.find("b"), nullptr);
    object["b"] = "x";
    object["a"] = 2;
    EXPECT_EQ(json::to_text(object), R"({"a":2,"b":"x"})");
    EXPECT_EQ(json::to_indented_text(object), "{\n  \"a\": 2,\n  \"b\": \"x\"\n}");
    EXPECT_EQ(json::Value(std::uint64_t{1} << 63).kind(), "a number");
}

TEST(Json, issue_17_11_names_half_of_a_character) {
    for (const char* text : {R"("\ud83d")", R"("\uD83D x")", R"("\ude00")", R"("\ud83d\u0041")"}) {
        const std::string problem = json::parse(text).problem;
        EXPECT_TRUE(problem.starts_with("a string contains half of a surrogate pair")) << problem;
    }
    EXPECT_EQ(json::parse(R"("\ud83d\ude00")").problem, "");
}

}  // namespace
