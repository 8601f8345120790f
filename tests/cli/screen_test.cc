// The commands on a terminal: colours and columns, and nothing that a file could say to the
// terminal itself.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "cli/run.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

class Screen : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
    }

    std::string see(const std::vector<std::string>& words,
                    std::map<std::string, std::string> variables = {}) const {
        variables.insert({{"TERM", "xterm"}, {"NO_COLOR", ""}});
        const Ran ran =
            paddock(words, {.directory = ws(), .variables = variables, .terminal = true});
        EXPECT_GE(ran.exit_code, 0) << words[0];
        return ran.out;
    }
};

// What is left of an output without the colours that paddock uses and the layout of lines.
std::string without_colours(const std::string& text) {
    return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

bool would_be_obeyed(const std::string& text) {
    const std::string rest = without_colours(text);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const auto byte = static_cast<unsigned char>(rest[i]);
        const bool is_c1 =
            byte == 0xc2 && i + 1 < rest.size() && static_cast<unsigned char>(rest[i + 1]) < 0xa0;
        if (is_c1 || byte == 0x7f || (byte < 0x20 && byte != '\n' && byte != '\t')) return true;
    }
    return false;
}

TEST_F(Screen, cat_has_dim_numbers) {
    tree({"ROOT/f=one\ntwo\n"});
    EXPECT_EQ(see({"cat", "f"}), "     \x1b[2m1\x1b[0m\tone\n     \x1b[2m2\x1b[0m\ttwo\n");
}

TEST_F(Screen, grep_has_headings_and_marks_matches) {
    tree({"ROOT/a=x needle y\nz\n", "ROOT/b=needle\n"});
    EXPECT_EQ(see({"grep", "-A1", "need.e"}),
              "\x1b[35ma\x1b[0m\n\x1b[32m1\x1b[0m:x \x1b[1;31mneedle\x1b[0m y\n\x1b[2m2\x1b[0m-z\n"
              "\n\x1b[35mb\x1b[0m\n\x1b[32m1\x1b[0m:\x1b[1;31mneedle\x1b[0m\n");
    EXPECT_EQ(see({"grep", "needle", "b", "--color=never"}), "b\n1:needle\n");
}

TEST_F(Screen, ls_has_a_column_of_sizes) {
    tree({"ROOT/d/", "ROOT/big=x", "ROOT/a=12", "ROOT/l->a"});
    os_write(ws("big"), std::string(123'456, 'x'));
    EXPECT_EQ(without_colours(see({"ls"})), "       d/\n    2  a\n 123k  big\n       l -> a\n");
    EXPECT_NE(see({"ls"}).find("\x1b[1;34md/\x1b[0m"), std::string::npos);
}

TEST_F(Screen, colours_can_be_had_or_not) {
    tree({"ROOT/f=one\n"});
    const auto has_colours = [](const std::string& text) {
        return text.find('\x1b') != std::string::npos;
    };
    EXPECT_TRUE(has_colours(see({"cat", "f"})));
    EXPECT_FALSE(has_colours(see({"cat", "f", "--color=never"})));
    EXPECT_FALSE(has_colours(see({"cat", "f"}, {{"NO_COLOR", "1"}})));
    EXPECT_FALSE(has_colours(see({"cat", "f"}, {{"TERM", "dumb"}})));
    EXPECT_TRUE(has_colours(see({"cat", "f", "--color=always"}, {{"NO_COLOR", "1"}})));
    EXPECT_TRUE(has_colours(see({"doctor"})));
    EXPECT_FALSE(has_colours(see({"doctor", "--color", "never"})));
    const auto piped = [&](const std::vector<std::string>& words) {
        return paddock(words, {.directory = ws()}).out;
    };
    EXPECT_FALSE(has_colours(piped({"grep", "one"})));
    EXPECT_TRUE(has_colours(piped({"grep", "one", "--color=always"})));
}

// Names, contents, link targets, messages: whatever a file says arrives as text.
TEST_F(Screen, no_file_can_speak_to_the_terminal) {
    const std::string spell =
        "\x1b]0;owned\x07\x1b[2J\xc2\x9b"
        "1mneedle\x7f\r\x08";
    const std::string name = "n\x1b[2J\x07";
    tree({"ROOT/d/"});
    os_write(ws("f"), spell + "\n");
    os_write(ws("d/" + name), spell + "\n");
    ASSERT_EQ(::symlink(("to\x1b[2J" + std::string("x")).c_str(), ws("link").c_str()), 0);
    EXPECT_TRUE(would_be_obeyed(os_read(ws("f")).value_or(""))) << "what a careless cat prints";
    EXPECT_TRUE(would_be_obeyed(paddock({"cat", "f"}, {.directory = ws()}).out))
        << "in a pipe the content is what it is";
    const std::string odd_path = "d/" + name;
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"cat", "f"},
             {"cat", odd_path},
             {"cat", odd_path + "2"},
             {"cat", "f", "--json"},
             {"ls", "--depth=3"},
             {"ls", "d", "."},
             {"ls", "--json"},
             {"grep", "needle"},
             {"grep", "-l", "needle"},
             {"grep", "-c", "needle"},
             {"grep", "-C1", "owned", "--color=always"},
             {"grep", "needle", "--json"},
             {"glob", "**"},
             {"info", "link", odd_path},
             {"edit", "f", "--old", "needle", "--new", "thread", "-n"},
             {"edit", "f", "--old", "needles", "--new", "x"},
             {"edit", odd_path, "--old", "needle", "--new", "x", "--json", "-n"},
             {"call", "read_file", R"({"path":"f"})"},
             {"call", "read_files", R"({"paths":["f","x\u001b[2J"]})"},
             {"call", "read_file", R"({"path":"f"})", "--json"},
             {"call", "read_file", R"({"\u001b[2J":1})"},
             {"call", "x\x1b[2J"},
             {"call", "bash", R"({"command":"cat f; > $'new\\x1b[2J'; cd $'/x\\x1b[2J'"})"},
             {"call", "bash", R"({"command":"cat f; > $'n2\\x1b[2J'; > $'/x\\x1b[2J'"})", "--json"},
             {"resolve", odd_path, "link", "\x1b[2J"},
             {"resolve", "--json", odd_path, "link"},
             {"ls", "--root", "\x1b[2J"},
             {"cat", "--x\x1b[2J"},
             {"\x1b[2J"}}) {
        std::string seen = see(words);
        // Of paddock's own, when a command takes long.
        if (words.size() > 1 && words[1] == "bash") {
            seen = std::regex_replace(seen, std::regex("\r\x1b\\[K"), "");
        }
        EXPECT_FALSE(seen.empty()) << words[0];
        EXPECT_FALSE(would_be_obeyed(seen)) << ::testing::PrintToString(words) << "\n"
                                            << ::testing::PrintToString(seen);
    }
    const std::string piped = paddock({"grep", "owned", "--color=always"}, {.directory = ws()}).out;
    EXPECT_FALSE(would_be_obeyed(piped)) << "colours go to a terminal in the end";
}

// A row for each attack, and their columns line up although they are printed one by one.
TEST_F(Screen, prove_shows_how_far_it_is) {
    const std::string seen = see({"prove", "--dir", base(), "--rounds", "1", "--resolver", "walk"});
    EXPECT_FALSE(would_be_obeyed(seen));
    const std::string text = without_colours(seen);
    EXPECT_TRUE(text.starts_with("Linux ")) << text;
    std::set<std::ptrdiff_t> columns;
    const std::regex row("(^|\n)([A-Z]+-[0-9]+ .*)(LEAKED|would block|did not leak)");
    for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it) {
        columns.insert((*it)[2].length());
    }
    EXPECT_EQ(columns.size(), 1U) << text;
}

}  // namespace
}  // namespace paddock::testing
