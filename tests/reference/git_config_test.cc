// The reader of git configurations, compared with `git config --list` on texts that try every
// corner of the syntax.
#include <gtest/gtest.h>

#include <string>

#include "git/config.h"
#include "testing/jail.h"
#include "testing/secret_samples.h"
#include "testing/shell.h"

namespace paddock::reference {
namespace {

using testing::Chance;
using testing::Jail;

template <std::size_t N>
std::string one_of(Chance& chance, const char* const (&choice)[N]) {
    return choice[chance.below(N)];
}

std::string header(Chance& chance) {
    static constexpr const char* kHeaders[] = {"[core]",
                                               "[remote \"origin\"]",
                                               "[Remote \"a b\"]",
                                               "[a.B]",
                                               "[x \"q\\\"q\"]",
                                               "[x \"\"]",
                                               "[x\t\"t\\\\\"]",
                                               "[include]",
                                               "[x \"d.o.t\"]",
                                               "[core] bare",
                                               "[a-1]",
                                               "[x \"y\" ]",
                                               "[",
                                               "[]",
                                               "[x",
                                               "[x \"y]",
                                               "[x y]",
                                               "[a_b]",
                                               "[x \"y\"z]",
                                               "[x \"#;\"]"};
    // The last eight are mostly refused; each would hide the rest of the text.
    return chance.below(12) == 0 ? one_of(chance, kHeaders) : kHeaders[chance.below(11)];
}

std::string setting(Chance& chance) {
    static constexpr const char* kNames[] = {"name", "Name2", "na-me", "x", "URL"};
    static constexpr const char* kBad[] = {"na_me", "1x", "-x", "n.m", "na me", "\"q\""};
    static constexpr const char* kEquals[] = {" = ", "=", "\t=\t", " =", "= ", ""};
    static constexpr const char* kParts[] = {
        "word",     " ",    "  ",   "\"",     "\"quoted  text\"",
        "\\n",      "\\t",  "\\\\", "\\\"",   "\\\n",
        "\\\r\n",   "# no", "; no", "\r",     "'",
        "\\b",      "a=b",  "[x]",  "\"#\"",  "\t",
        "\xC3\xA4", "..",   "/p/q", "!cmd $1"};
    std::string line = chance.below(40) == 0 ? one_of(chance, kBad) : one_of(chance, kNames);
    line += one_of(chance, kEquals);
    for (std::uint32_t parts = chance.below(5); parts > 0; --parts) {
        line += chance.below(60) == 0 ? "\\x" : one_of(chance, kParts);
    }
    return line;
}

std::string draft(std::uint32_t seed) {
    Chance chance(seed);
    std::string text = chance.below(10) == 0 ? "\xEF\xBB\xBF" : "";
    static constexpr const char* kEnds[] = {"\n",   "\n",         "\n",   "\r\n",
                                            "\n\n", "\n# c \\\n", "\n;\n"};
    for (std::uint32_t lines = 1 + chance.below(8); lines > 0; --lines) {
        text += one_of(chance, {"", "", "\t", "  "});
        text += chance.below(3) == 0 ? header(chance) : setting(chance);
        if (lines > 1 || chance.below(3) != 0) text += one_of(chance, kEnds);
    }
    return text;
}

enum class Blanks : bool { kPlain, kVerbatim };  // what becomes of a tab that is not quoted

// As `git config --list -z` prints them.
std::string listed(const std::vector<git::GitSetting>& settings, Blanks blanks) {
    std::string text;
    for (const git::GitSetting& setting : settings) {
        text += setting.key;
        const bool differs = blanks == Blanks::kVerbatim && setting.verbatim;
        if (setting.value) text.append("\n").append(differs ? *setting.verbatim : *setting.value);
        text += '\0';
    }
    return text;
}

class GitConfig : public Jail {
protected:
    static constexpr std::uint32_t kDrafts = 400;

    std::string draft_name(std::uint32_t i) const { return ws("c" + std::to_string(i)); }

    // What git says of each: its list, or nothing where it refuses.
    void ask_git() {
        ASSERT_EQ(testing::run_shell(ws(),
                                     "for f in c*; do git config -f $f --list -z >$f.list "
                                     "2>/dev/null || rm $f.list; done; true"),
                  0);
    }
};

TEST_F(GitConfig, is_read_as_git_reads_it) {
    if (!testing::has_program("git")) GTEST_SKIP() << "git is not installed";
    os_write(ws("probe"), "[a]\nb = x\ty\n");
    const int keeps = testing::run_shell(ws(), "git config -f probe a.b | grep -q '\t'");
    const Blanks blanks = keeps == 0 ? Blanks::kVerbatim : Blanks::kPlain;
    for (std::uint32_t i = 0; i < kDrafts; ++i) os_write(draft_name(i), draft(i));
    ask_git();
    int accepted = 0;
    for (std::uint32_t i = 0; i < kDrafts; ++i) {
        const auto expected = os_read(draft_name(i) + ".list");
        const auto parsed = git::parse_git_config(draft(i));
        ASSERT_EQ(parsed.has_value(), expected.has_value()) << i << ":\n" << draft(i);
        if (!parsed) continue;
        ++accepted;
        ASSERT_EQ(listed(*parsed, blanks), *expected) << i << ":\n" << draft(i);
    }
    EXPECT_GT(accepted, static_cast<int>(kDrafts / 4));
    EXPECT_LT(accepted, static_cast<int>(kDrafts * 9 / 10));
}

TEST_F(GitConfig, is_printed_as_git_reads_it) {
    if (!testing::has_program("git")) GTEST_SKIP() << "git is not installed";
    std::vector<std::pair<std::uint32_t, std::string>> printed;
    for (std::uint32_t i = 0; i < kDrafts; ++i) {
        auto settings = git::parse_git_config(draft(i));
        if (!settings) continue;
        std::erase_if(*settings, [](const auto& one) { return one.key.find('.') == one.key.npos; });
        os_write(draft_name(i), git::print_git_config(*settings));
        printed.emplace_back(i, listed(*settings, Blanks::kPlain));
    }
    ask_git();
    for (const auto& [i, expected] : printed) {
        ASSERT_EQ(os_read(draft_name(i) + ".list"), expected) << i << ":\n" << draft(i);
    }
}

}  // namespace
}  // namespace paddock::reference
