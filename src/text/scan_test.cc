#include "text/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace paddock::search::scan {
namespace {

// What each function must answer, in the plainest way.
const char* pair_by_hand(const std::string& text, std::size_t from, const BytePair& pair) {
    for (std::size_t i = from; i + pair.distance < text.size(); ++i) {
        const auto first = static_cast<unsigned char>(text[i]);
        const auto second = static_cast<unsigned char>(text[i + pair.distance]);
        if ((first | pair.first_mask) == pair.first && (second | pair.second_mask) == pair.second) {
            return text.data() + i;
        }
    }
    return nullptr;
}

class Scan : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        functions_ = &baseline_functions();
        if (GetParam() == std::string("avx2")) functions_ = avx2_functions();
        if (functions_ == nullptr) GTEST_SKIP() << "this processor has no AVX2";
    }

    // A text at the very end of its allocation, so that a read behind it is seen by sanitizers.
    std::string random_text(std::size_t size, const char* letters) {
        std::string text(size, ' ');
        const std::size_t count = std::char_traits<char>::length(letters);
        for (char& c : text) c = letters[random_() % count];
        return text;
    }

    const Functions* functions_ = nullptr;
    std::mt19937 random_{1};
};

TEST_P(Scan, pairs_are_found_wherever_they_stand) {
    for (std::size_t size = 0; size < 200; ++size) {
        const std::string text = random_text(size, "abAB..............");
        for (const std::size_t distance : {0U, 1U, 2U, 17U, 40U}) {
            for (const bool fold : {false, true}) {
                const unsigned char mask = fold ? 0x20 : 0;
                const BytePair pair{'a', 'b', mask, mask, distance};
                const std::size_t from = size == 0 ? 0 : random_() % size;
                EXPECT_EQ(functions_->find_pair(text.data() + from, text.data() + size, pair),
                          pair_by_hand(text, from, pair))
                    << size << " " << distance << " " << text;
            }
        }
    }
}

TEST_P(Scan, fingerprints_miss_nothing_and_say_which_bucket) {
    for (std::size_t bytes = 1; bytes <= Fingerprint::kBytesMax; ++bytes) {
        Fingerprint prints;
        prints.bytes = bytes;
        const std::vector<std::string> words = {"abc", "xyz"};
        for (std::size_t bucket = 0; bucket < words.size(); ++bucket) {
            for (std::size_t i = 0; i < bytes; ++i) {
                const auto byte = static_cast<unsigned char>(words[bucket][i]);
                prints.low[i][byte & 15U] |= static_cast<std::uint8_t>(1U << bucket);
                prints.high[i][byte >> 4U] |= static_cast<std::uint8_t>(1U << bucket);
            }
        }
        for (std::size_t place = 0; place + 3 <= 150; ++place) {
            for (std::size_t bucket = 0; bucket < words.size(); ++bucket) {
                std::string text(150, '.');
                text.replace(place, 3, words[bucket]);
                const auto found =
                    functions_->find_fingerprint(text.data(), text.data() + text.size(), prints);
                EXPECT_EQ(found.at, text.data() + place);
                EXPECT_EQ(found.buckets, 1U << bucket);
            }
        }
        const std::string nothing(150, '.');
        EXPECT_EQ(functions_->find_fingerprint(nothing.data(), nothing.data() + 150, prints).at,
                  nullptr);
        EXPECT_EQ(functions_->find_fingerprint(nothing.data(), nothing.data(), prints).at, nullptr);
    }
}

TEST_P(Scan, the_first_byte_outside_ascii) {
    for (std::size_t size = 0; size < 100; ++size) {
        std::string text(size, 'x');
        EXPECT_EQ(functions_->find_non_ascii(text.data(), text.data() + size), nullptr);
        for (std::size_t place = 0; place < size; ++place) {
            text[place] = '\x80';
            if (place + 1 < size) text[size - 1] = '\xff';
            EXPECT_EQ(functions_->find_non_ascii(text.data(), text.data() + size),
                      text.data() + place);
            text[place] = text[size - 1] = 'x';
        }
    }
}

TEST_P(Scan, newlines_are_counted) {
    for (std::size_t size = 0; size < 200; ++size) {
        const std::string text = random_text(size, "\n\n.\xff");
        EXPECT_EQ(functions_->count_newlines(text.data(), text.data() + size),
                  static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    }
}

INSTANTIATE_TEST_SUITE_P(Both, Scan, ::testing::Values("baseline", "avx2"));

}  // namespace
}  // namespace paddock::search::scan
