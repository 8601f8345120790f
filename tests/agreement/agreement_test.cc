// Random workspaces and random paths, answered four ways.
//
//   PADDOCK_SEED              the first workspace's seed; each further one is the next number
//   PADDOCK_AGREEMENT_CASES   how many paths and changes in all
//
// A failure prints the seed of its workspace: PADDOCK_SEED=that PADDOCK_AGREEMENT_CASES=1 with the
// same test and user plays it again.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "agreement/scenario.h"
#include "testing/jail.h"

namespace paddock::agreement {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kCases = 30'000;
constexpr int kFailuresMax = 5;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

bool openat2_answers(const std::string& directory) {
    RootOptions options;
    options.resolver = ResolverKind::kOpenat2;
    return Root::open(directory, options).has_value();
}

void print(std::uint64_t seed, std::uint64_t scenarios, const Tally& tally) {
    std::printf(
        "seed %llu: %zu cases (%zu changes) in %llu workspaces; the plain OS would have "
        "left the root %zu times\n",
        static_cast<unsigned long long>(seed), tally.cases, tally.changes,
        static_cast<unsigned long long>(scenarios), tally.leaks);
    for (const auto& [answer, times] : tally.answers) {
        std::printf("  %9zu %s\n", times, answer.c_str());
    }
}

// Half of the cases, in this process as it is now.
Tally run_half(bool mounts) {
    const testing::ScratchDir scratch;
    Arena arena(scratch.path());
    const std::uint64_t seed = number_from("PADDOCK_SEED", kSeed);
    const std::uint64_t cases = (number_from("PADDOCK_AGREEMENT_CASES", kCases) + 1) / 2;
    Settings settings;
    settings.mounts = mounts;
    Tally tally;
    std::uint64_t scenarios = 0;
    int failures = 0;
    for (; tally.cases < cases && failures < kFailuresMax; ++scenarios) {
        ByteSource bytes(seed + scenarios);
        const std::string failure = run_scenario(bytes, arena, settings, tally);
        if (failure.empty()) continue;
        ++failures;
        ADD_FAILURE() << "PADDOCK_SEED=" << seed + scenarios << ": " << failure;
    }
    print(seed, scenarios, tally);
    return tally;
}

// A run in which nothing was accepted, or nothing was refused, proves nothing.
void expect_power(const Tally& tally) {
    if (tally.cases < 10'000) return;
    for (const char* answer :
         {"ok", "path_escape", "not_found", "not_a_directory", "limit_reached", "invalid_path",
          "absolute_path", "change: ok", "change: path_escape"}) {
        EXPECT_TRUE(tally.answers.contains(answer)) << answer;
    }
    EXPECT_GT(tally.leaks, tally.cases / 200);
}

class Agreement : public ::testing::Test {};

ATTACK_F(Agreement, FB_12, without_mounts) {
    if (!openat2_answers("/")) GTEST_SKIP() << "openat2 is not available here";
    expect_power(run_half(false));
}

// Last: there is no way back out of a mount namespace.
ATTACK_F(Agreement, FB_12, with_mounts) {
    if (!openat2_answers("/")) GTEST_SKIP() << "openat2 is not available here";
    std::string why;
    if (!testing::enter_private_mounts(why)) GTEST_SKIP() << why;
    const Tally tally = run_half(true);
    expect_power(tally);
    EXPECT_TRUE(tally.cases < 10'000 || tally.answers.contains("mount_crossing"));
}

}  // namespace
}  // namespace paddock::agreement
