#include "text/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fault/budget.h"
#include "testing/jail.h"
#include "testing/shell.h"

using paddock::text::quote_if_needed;
using paddock::text::quote_in_sentence;
using paddock::text::unquote;

namespace {

std::string name_of(const std::string& text) { return unquote(text).value_or(text); }

TEST(Quote, leaves_plain_names_alone) {
    for (const char* name : {"", "a", "src/main.cc", "na\xC3\xAFve \xE2\x82\xAC", "a b/c d", "it's",
                             "a->b", "\xF0\x9F\x90\xB4", "a,b;c$d*[e]{f}"}) {
        EXPECT_EQ(quote_if_needed(name), name);
        EXPECT_EQ(name_of(name), name);
    }
}

TEST(Quote, writes_the_escapes_of_git) {
    EXPECT_EQ(quote_if_needed("a\377b\t"), R"("a\377b\t")");
    EXPECT_EQ(quote_if_needed("\a\b\t\n\v\f\r\x1b\x7f"), R"("\a\b\t\n\v\f\r\033\177")");
    EXPECT_EQ(quote_if_needed("say \"hi\""), R"("say \"hi\"")");
    EXPECT_EQ(quote_if_needed("a\\b"), R"("a\\b")");
    EXPECT_EQ(quote_if_needed("\xC3\xA9\n"), R"("\303\251\n")");
}

TEST(Quote, quotes_what_deceives_the_eye) {
    EXPECT_EQ(quote_if_needed("a\xE2\x80\xAE"
                              "b"),
              R"("a\342\200\256b")")
        << "override";
    EXPECT_EQ(quote_if_needed("a\xE2\x80\x8B"), R"("a\342\200\213")") << "zero-width space";
    EXPECT_EQ(quote_if_needed("\xEF\xBB\xBF"
                              "a"),
              R"("\357\273\277a")")
        << "byte order mark";
    EXPECT_EQ(quote_if_needed("\xE2\x81\xA6"), R"("\342\201\246")") << "isolate";
    EXPECT_EQ(quote_if_needed("\xC2\x85"), R"("\302\205")") << "C1 control";
    EXPECT_EQ(quote_if_needed("\xF3\xA0\x81\x81"), R"("\363\240\201\201")") << "tag";
    EXPECT_EQ(quote_if_needed("\xC0\xAF"), R"("\300\257")") << "overlong slash";
}

TEST(Quote, quotes_what_would_read_as_something_else_in_a_list) {
    for (const std::string name : {" lead", "trail ", "a  12", "a -> b", "a/ b", "a /b", " "}) {
        EXPECT_EQ(quote_if_needed(name), '"' + name + '"');
        EXPECT_EQ(name_of('"' + name + '"'), name);
    }
}

TEST(Quote, takes_back_only_what_it_would_print) {
    EXPECT_EQ(unquote(R"("a\tb")"), "a\tb");
    for (const char* text :
         {R"("foo.txt")", R"("")", R"(")", R"("\141\t")", R"("a\000b")", R"("a\0b")", R"("\777")",
          R"("\x41\t")", R"("a\t)", R"(a\t")", R"(a\tb)", R"("a"b\t")", R"("\)", R"("\")",
          R"("\t\")", R"("\011")", R"("\33\t")", "\"\xC3\xA9\\t\"", "\"a\tb\""}) {
        EXPECT_EQ(unquote(text), std::nullopt) << text;
    }
}

// Every byte string without NUL is printed as UTF-8 on one line, and comes back.
TEST(Quote, every_name_makes_the_round_trip) {
    static const std::vector<std::string> pieces = {
        "\"", "\\", "\\t", "\\377", "\t", "a", "\xC3", "\xA9", "\xE2\x80\xAE", "0", "\\\""};
    std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    std::set<std::string> shown;
    std::set<std::string> names;
    for (int i = 0; i < 50'000; ++i) {
        std::string name;
        for (auto left = random() % 6; left > 0; --left) {
            if (random() % 3 == 0) {
                name += static_cast<char>(1 + random() % 255);
            } else {
                name += pieces[random() % pieces.size()];
            }
        }
        if (random() % 3 == 0) {
            name.insert(0, "\"");
            name += '"';
        }
        const std::string text = quote_if_needed(name);
        ASSERT_EQ(name_of(text), name) << text;
        // Whatever a name looks like, what stands for it is one thing only.
        if (const auto meant = unquote(name)) {
            ASSERT_EQ(quote_if_needed(*meant), name);
        }
        ASSERT_EQ(text.find_first_of("\n\t\r"), std::string::npos);
        names.insert(name);
        shown.insert(text);
    }
    EXPECT_EQ(names.size(), shown.size());
}

TEST(Quote, a_name_is_told_from_the_sentence_around_it) {
    EXPECT_EQ(quote_in_sentence("a b/c.txt"), "a b/c.txt");
    EXPECT_EQ(quote_in_sentence("a b/c.txt", " ,"), R"("a b/c.txt")");
    EXPECT_EQ(quote_in_sentence("a) was (b"), R"("a) was (b")");
    EXPECT_EQ(quote_in_sentence("[a]"), R"("[a]")");
    EXPECT_EQ(quote_in_sentence("a' was 'b"), R"("a\047 was \047b")");
    EXPECT_EQ(quote_in_sentence("a\n'\""), R"("a\n\047\"")");
}

// git reads each quoted name and prints it again.
TEST(Quote, agrees_with_git) {
    if (!paddock::testing::has_program("git")) GTEST_SKIP() << "git is not installed";
    const paddock::testing::ScratchDir scratch;
    std::string quoted;
    for (int byte = 1; byte < 256; ++byte) {
        // The "\t" makes sure that git finds the name in need of quotes as well.
        if (byte == '/') continue;
        quoted += quote_if_needed(std::string("a\t") + static_cast<char>(byte) + "x\xC3\xA9");
        quoted += '\n';
    }
    std::ofstream(scratch.path() + "/in", std::ios::binary) << quoted;
    ASSERT_EQ(paddock::testing::run_shell(
                  scratch.path(),
                  "git init -q --template= . && "
                  "git check-ignore --no-index -v -n --stdin <in | cut -f 2 >out"),
              0);
    std::ifstream out(scratch.path() + "/out", std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(out), {}), quoted);
}

}  // namespace

namespace paddock::text {
namespace {

const std::vector<std::string> words{"resolve", "doctor", "prove", "--root", "--resolver"};

TEST(NearestWord, forgives_a_letter_too_many_too_few_wrong_or_swapped) {
    EXPECT_EQ(nearest_word("prrove", words), "prove");
    EXPECT_EQ(nearest_word("docor", words), "doctor");
    EXPECT_EQ(nearest_word("--roat", words), "--root");
    EXPECT_EQ(nearest_word("reslove", words), "resolve");
}

TEST(NearestWord, takes_a_beginning) {
    EXPECT_EQ(nearest_word("--res", words), "--resolver");
    EXPECT_EQ(nearest_word("do", words), "doctor");
}

TEST(NearestWord, does_not_guess_wildly) {
    EXPECT_EQ(nearest_word("", words), "");
    EXPECT_EQ(nearest_word("x", words), "");
    EXPECT_EQ(nearest_word("remove-everything", words), "");
    EXPECT_EQ(nearest_word(std::string(1 << 20, 'a'), words), "");
}

using Names = std::vector<std::string>;

TEST(SimilarNames, ranks_case_then_extension_then_letters_then_beginnings) {
    const Names files{"main_test.cc", "mian.cc", "main.h", "MAIN.cc", "other.cc", "Makefile"};
    EXPECT_EQ(similar_names("main.cc", files, 9),
              (Names{"MAIN.cc", "main.h", "mian.cc", "main_test.cc"}));
    EXPECT_EQ(similar_names("main.cc", files, 2), (Names{"MAIN.cc", "main.h"}));
    EXPECT_EQ(similar_names("makefile", files, 9), Names{"Makefile"});
    EXPECT_EQ(similar_names("README", Names{"README.md", "read.c"}, 9),
              (Names{"README.md", "read.c"}));
}

TEST(SimilarNames, leaves_out_what_is_far_and_the_name_itself) {
    EXPECT_EQ(similar_names("config.toml", Names{"src", "x.y", "config.toml", "a"}, 3), Names{});
    EXPECT_EQ(similar_names("", Names{"a"}, 3), Names{});
    EXPECT_EQ(similar_names(".env", Names{".envrc", ".git"}, 3), Names{".envrc"});
    EXPECT_EQ(similar_names("a", Names{}, 3), Names{});
    const Names files{"n.txt", "note.txt", "a.txt", "m", "notes", "nothing-of-that-kind-here"};
    EXPECT_EQ(similar_names("nothere", files, 9), Names{});
    EXPECT_EQ(similar_names("not", files, 9), (Names{"note.txt", "notes"}));
    EXPECT_EQ(similar_names("b.txt", files, 9), Names{}) << "one letter is all of the name";
    EXPECT_EQ(similar_names("confg.yml", Names{"config.yaml"}, 9), Names{"config.yaml"});
}

// The distance by the whole table, against the one that keeps to the diagonal.
TEST(NearestWord, agrees_with_the_plain_definition) {
    const auto plain = [](const std::string& a, const std::string& b) {
        std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                                   std::vector<std::size_t>(b.size() + 1));
        for (std::size_t i = 0; i <= a.size(); ++i) {
            for (std::size_t j = 0; j <= b.size(); ++j) {
                cost[i][j] = std::max(i, j);
                if (i == 0 || j == 0) continue;
                cost[i][j] = std::min({cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1),
                                       cost[i - 1][j] + 1, cost[i][j - 1] + 1});
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                    cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.size()][b.size()];
    };
    std::mt19937 random(6);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    const auto word = [&] {
        std::string letters(random() % 30, 'a');
        for (char& c : letters) c = static_cast<char>('a' + random() % 3);
        return letters;
    };
    const int rounds = testing::kSanitized ? 4'000 : 20'000;
    for (int round = 0; round < rounds; ++round) {
        const std::string a = word();
        const std::string b = word();
        const std::size_t most = std::clamp<std::size_t>(a.size() / 3, 1, 8);
        const bool near = plain(a, b) <= most || (a.size() > 1 && b.starts_with(a));
        EXPECT_EQ(nearest_word(a, {b}), near ? b : "") << a << " " << b;
    }
}

TEST(SimilarNames, is_bounded) {
    const Names many(100'000, std::string(255, 'a'));
    EXPECT_EQ(similar_names(std::string(255, 'b'), many, 3), Names{});
    EXPECT_EQ(similar_names(std::string(300, 'a'), many, 3), Names{});
    EXPECT_EQ(similar_names("a", Names{std::string(1 << 20, 'a')}, 3), Names{});
}

}  // namespace
}  // namespace paddock::text
