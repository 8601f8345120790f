#include "config/toml.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

using namespace paddock;
using namespace paddock::config;

namespace {

std::string path_of(const Leaf& leaf) {
    std::string path;
    for (const std::string& name : leaf.path) path += "/" + name;
    return path;
}

TEST(Toml, leaves_come_in_the_order_of_the_text_with_their_places) {
    const auto document = parse_toml("[b]\nz = 1\na = [\"x\", 'y']\n[a.c]\n  t = true\n");
    ASSERT_FALSE(document.wrong) << document.problem;
    ASSERT_EQ(document.leaves.size(), 3U);
    EXPECT_EQ(path_of(document.leaves[0]), "/b/z");
    EXPECT_EQ(document.leaves[0].value, (Place{2, 5}));
    EXPECT_EQ(std::get<std::int64_t>(document.leaves[0].content), 1);
    EXPECT_EQ(std::get<std::vector<std::string>>(document.leaves[1].content),
              (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(path_of(document.leaves[2]), "/a/c/t");
    EXPECT_EQ(document.leaves[2].key, (Place{5, 3}));
    EXPECT_EQ(document.tables.size(), 3U) << "a, a.c, b";
}

TEST(Toml, what_no_setting_takes_is_named) {
    for (const char* text : {"a = 1.5", "a = 2020-01-01", "a = [1]", "a = [{b = 1}]", "[[a]]"}) {
        const auto document = parse_toml(text);
        ASSERT_EQ(document.leaves.size(), 1U) << text;
        EXPECT_TRUE(std::holds_alternative<Unfit>(document.leaves[0].content)) << text;
    }
}

TEST(Toml, says_where_it_is_wrong) {
    const auto document = parse_toml("a = 1\nb = [\"x\"\nc = 2\n");
    ASSERT_TRUE(document.wrong);
    EXPECT_GE(document.wrong->line, 2U);
    EXPECT_FALSE(document.problem.empty());
    EXPECT_TRUE(parse_toml("a = 1\na = 2\n").wrong) << "twice";
    EXPECT_TRUE(parse_toml("a = \"\xff\"\n").wrong) << "not UTF-8";
}

// Without the scan before it, the parser overflows the stack.
TEST(Toml, depth_and_size_are_bounded) {
    std::string deep = "a";
    for (int i = 0; i < 30'000; ++i) deep += ".a";
    EXPECT_TRUE(parse_toml(deep + " = 1\n").wrong);
    EXPECT_TRUE(parse_toml("[" + deep + "]\n").wrong);
    EXPECT_TRUE(parse_toml("x = \"\"\"a\n\\\"\"\"\"\n" + deep + " = 1\n").wrong)
        << "after a string";
    EXPECT_TRUE(parse_toml("x = {" + deep + " = 1}\n").wrong);
    EXPECT_TRUE(parse_toml("x = " + std::string(30'000, '[') + "\n").wrong);
    std::string inline_tables = "x = ";
    for (int i = 0; i < 5'000; ++i) inline_tables += "{a=";
    EXPECT_TRUE(parse_toml(inline_tables + "\n").wrong);
    EXPECT_TRUE(parse_toml(std::string(limits::kConfigBytesMax + 1, '\n')).wrong);
    EXPECT_FALSE(parse_toml(std::string(limits::kConfigBytesMax, '\n')).wrong);
}

// Where toml++ asks of a character whether it is white space it is undefined what happens.
TEST(Toml, characters_beyond_ascii_are_for_comments_and_strings_of_one_line) {
    for (const char* text : {"a = \"\u00e9\" # \u00e9\n", "a = '\u02dd'",
                             "\xef\xbb\xbf"
                             "a = 1"}) {
        EXPECT_FALSE(parse_toml(text).wrong) << text;
    }
    for (const char* text :
         {"\u00e9 = 1", "a = 1\u00a0", "a = \"\"\"x\\\n \u02dd\"\"\"", "a.\u02dd"}) {
        const auto document = parse_toml(text);
        EXPECT_TRUE(document.wrong) << text;
        EXPECT_NE(document.problem.find("outside ASCII"), std::string::npos) << document.problem;
    }
}

// The parser does not take these quotes for the beginning of a string.
TEST(Toml, characters_beyond_ascii_in_a_broken_value_do_not_reach_the_parser) {
    for (const char* text : {"a = 6{\"\u00f4\"", "a = 6 \"\u00f4\"", "a = b,\"\u00f4\"",
                             "a = {1.\"\u00f4\"", "a = [1[\"\u00f4\"", "a = 'x'\n= '\u00f4'"}) {
        EXPECT_TRUE(parse_toml(text).wrong) << text;
    }
    const auto late = parse_toml("a = ['\u00f4~\u20ac', 2x]");
    EXPECT_EQ(late.wrong, (Place{1, 14})) << late.problem;
    EXPECT_EQ(parse_toml("[t.\"\u00e9\"]\n[t.\"\u00fc\"]\n['t'.'~c3~a9']\n").tables.size(), 4U);
}

TEST(Toml, dots_in_strings_and_comments_do_not_count) {
    const std::string dots(100, '.');
    const std::vector<std::string> texts = {"a = \"" + dots + "\"",
                                            "a = '" + dots + "'",
                                            "# " + dots,
                                            "a = \"\\\"" + dots + "\"",
                                            "a = \"\"\"\n" + dots + "\n\"\"\"",
                                            "a = '''\n" + dots + "'" + dots + "\n'''",
                                            "a = [\"" + dots + "\", \"x" + dots + "\"]"};
    for (const std::string& text : texts) {
        const auto document = parse_toml(text);
        EXPECT_FALSE(document.wrong) << text << ": " << document.problem;
    }
}

TEST(Toml, a_string_is_read_back_as_it_was_written) {
    for (const std::string text : {"plain", "a\"b\\c", "tab\tline\nend\x7f", "", "\xc3\xa4"}) {
        const auto document = parse_toml("a = " + toml_string(text));
        ASSERT_EQ(document.leaves.size(), 1U) << text;
        EXPECT_EQ(std::get<std::string>(document.leaves[0].content), text);
    }
}

}  // namespace

namespace {

const std::vector<std::string> kTable{"servers", "p"};
const std::vector<TomlEntry> kEntries{{"command", "\"/bin/p\""}, {"args", "[\"mcp\", \".\"]"}};
const std::string kOwn = "[servers.p]\ncommand = \"/bin/p\"\nargs = [\"mcp\", \".\"]\n";

std::string set(std::string_view text) {
    auto changed = set_entries(text, kTable, kEntries);
    return changed ? *changed : "refused: " + changed.error();
}

std::string removed(std::string_view text) {
    auto changed = remove_table(text, kTable);
    return changed ? *changed : "refused: " + changed.error();
}

TEST(TomlSplice, a_new_table_comes_last_and_goes_without_a_trace) {
    for (const std::string text :
         {"", "a = 1 # one\n",
          "# mine\n[servers.q]\ncommand = 'q'\n\n[[list]]\nc = 1.5\n[[list]]\nd = 1979-05-27\n",
          "[servers]\n", "\xef\xbb\xbf# mark\na = 'x'\n"}) {
        std::string expected = text;
        expected += text.empty() ? "" : "\n";
        expected += kOwn;
        EXPECT_EQ(set(text), expected);
        EXPECT_EQ(set(set(text)), expected) << "once is enough";
        EXPECT_EQ(removed(expected), text);
        EXPECT_EQ(removed(text), text);
    }
    EXPECT_EQ(set("a = 1"), "a = 1\n\n" + kOwn);
}

TEST(TomlSplice, changes_only_the_values_that_differ) {
    EXPECT_EQ(set("[servers.p] # mine\n  command =  'old' # why\nargs = [\n  \"mcp\", # x\n  "
                  "\"/\"\n]\nextra = true\n\n[z]\n"),
              "[servers.p] # mine\n  command =  \"/bin/p\" # why\nargs = [\"mcp\", \".\"]\nextra = "
              "true\n\n[z]\n");
    EXPECT_EQ(set("[servers.p]\nargs = ['mcp', '.']\n"),
              "[servers.p]\ncommand = \"/bin/p\"\nargs = ['mcp', '.']\n")
        << "the same in another spelling stays";
    EXPECT_EQ(set("[ servers . \"p\" ]\nnote = \"\xc3\xa4\"\ncommand = \"\xc3\xa4\xc3\xa4\" # "
                  "\xc3\xa4\n"),
              "[ servers . \"p\" ]\nargs = [\"mcp\", \".\"]\nnote = \"\xc3\xa4\"\ncommand = "
              "\"/bin/p\" # \xc3\xa4\n");
    EXPECT_EQ(set("[servers]\np = { command = 'x', args = [] }\n"),
              "[servers]\np = { command = \"/bin/p\", args = [\"mcp\", \".\"] }\n");
}

TEST(TomlSplice, removing_takes_tables_below_and_leaves_the_comments_of_others) {
    EXPECT_EQ(removed("a = 1\n\n" + kOwn + "\n[servers.p.env]\nX = '1'\n\n# of z\n[z]\nb = 2\n"),
              "a = 1\n\n# of z\n[z]\nb = 2\n");
    EXPECT_EQ(removed("[servers.p.env]\nX = '1'\n[other]\n[servers.p]\ncommand = 'x'\n"),
              "[other]\n");
    EXPECT_EQ(removed("[servers.pp]\na = 1\n"), "[servers.pp]\na = 1\n");
}

TEST(TomlSplice, what_is_not_understood_is_refused) {
    for (const char* text :
         {"a = [", "[servers]\np = { command = 'x' }\n", "servers = { q = { command = 'x' } }\n",
          "[servers]\np.command = 'x'\n", "servers = 1\n"}) {
        EXPECT_EQ(set(text).find("refused: "), 0U) << text << set(text);
    }
    EXPECT_EQ(removed("[servers]\np = { command = 'x' }\n").find("refused: "), 0U);
    const std::string in_a_string = "[x]\nb = \"\"\"\n[servers.p]\n\"\"\"\n";
    EXPECT_EQ(removed(in_a_string), in_a_string);
    EXPECT_EQ(set(in_a_string), in_a_string + "\n" + kOwn);
    EXPECT_EQ(removed(set(in_a_string)).find("refused: "), 0U) << "looks like the table";
    EXPECT_EQ(removed("a = [").find("refused: line 1"), 0U);
}

}  // namespace
