#include "config/toml_splice.h"

#include <gtest/gtest.h>

using namespace paddock::config;

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
