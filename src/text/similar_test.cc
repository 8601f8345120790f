#include "text/similar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fault/budget.h"

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
