#include "text/quote.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

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
