// Random calls (sequence.cc) with the same seeds outside and inside: the same results, and the same
// trees. PADDOCK_SEED sets the first seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <sstream>

#include "gate/runner.h"

namespace gate {
namespace {

constexpr long kFew = 100;
constexpr long kMany = 10'000;
constexpr int kLength = 40;
constexpr long kAtOnce = 1000;  // sequences of one run
constexpr int kShown = 3;

long first_seed() {
    const char* seed = std::getenv("PADDOCK_SEED");
    return seed == nullptr ? 1 : std::atol(seed);
}

std::vector<std::string> blocks_of(const std::string& text) {
    std::vector<std::string> blocks;
    std::istringstream lines(text);
    // The journal holds a link to what was removed or replaced.
    static const std::regex links(" links [0-9]+");
    for (std::string line; std::getline(lines, line);) {
        line = std::regex_replace(line, links, "");
        if (line.starts_with("sequence ")) blocks.emplace_back();
        if (!blocks.empty()) blocks.back() += line + "\n";
    }
    return blocks;
}

std::vector<std::string> run_sequences(const Place& place, long first, long count) {
    const Workspace workspace(place);
    const Ran ran = workspace.run({install(PADDOCK_GATE_SEQUENCE), std::to_string(first),
                                   std::to_string(count), std::to_string(kLength)});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return blocks_of(ran.out);
}

// The lines before the first difference, and both sides of it.
std::string first_difference(const std::string& outside, const std::string& inside) {
    std::istringstream here(outside);
    std::istringstream there(inside);
    std::string text;
    std::string plain;
    std::string confined;
    while (true) {
        const bool has_plain = static_cast<bool>(std::getline(here, plain));
        const bool has_confined = static_cast<bool>(std::getline(there, confined));
        if (!has_plain && !has_confined) return text;
        if (!has_plain) plain = "(none)";
        if (!has_confined) confined = "(none)";
        if (plain != confined) {
            return text + "    outside: " + plain + "\n    inside:  " + confined + "\n";
        }
        text += plain + "\n";
    }
}

void expect_same(const Place& place) {
    const long count = tries(kFew, kMany);
    int different = 0;
    for (long done = 0; done < count; done += kAtOnce) {
        const long now = std::min(kAtOnce, count - done);
        const auto outside = run_sequences(plain_place(), first_seed() + done, now);
        const auto inside = run_sequences(place, first_seed() + done, now);
        ASSERT_EQ(outside.size(), static_cast<std::size_t>(now));
        ASSERT_EQ(inside.size(), static_cast<std::size_t>(now));
        for (std::size_t i = 0; i < outside.size(); ++i) {
            if (outside[i] == inside[i]) continue;
            if (++different <= kShown) ADD_FAILURE() << first_difference(outside[i], inside[i]);
        }
    }
    EXPECT_EQ(different, 0) << "of " << count << " sequences";
}

TEST(Sequences, do_the_same_twice) { expect_same(plain_place()); }

// A sequence in which hardly anything succeeds would prove little.
TEST(Sequences, mostly_get_somewhere) {
    long succeeded = 0;
    long all = 0;
    long left = 0;
    for (const std::string& block : run_sequences(plain_place(), first_seed(), 100)) {
        std::istringstream lines(block);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t equals = line.find(" = ");
            left += line.find(": ") != std::string::npos ? 1 : 0;
            if (equals == std::string::npos) continue;
            ++all;
            succeeded += line[equals + 3] != 'E' ? 1 : 0;
        }
    }
    EXPECT_GE(all, 100 * kLength / 2);
    EXPECT_GE(succeeded * 4, all) << succeeded;
    EXPECT_GE(left, 300) << "names in the trees";
}

class SequencesInside : public PlaceTest {};

TEST_P(SequencesInside, leave_the_same_tree) { expect_same(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Gate, SequencesInside, ::testing::ValuesIn(sandboxed_places()),
                         place_name);

}  // namespace
}  // namespace gate
