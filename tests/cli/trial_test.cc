// The judge is not blind: whatever gets out is called a leak, whoever did it.
#include "cli/prove/trial.h"

#include <atomic>
#include <fstream>

#include "cli/ending.h"
#include "cli/prove/report.h"
#include "testing/jail.h"

namespace paddock::cli::prove {
namespace {

using ::paddock::testing::ScratchDir;

Attempt nothing(const Ground&) { return {}; }

Verdict guarded(Attempt (*act)(const Ground&, const Root&), std::optional<Race> race = {}) {
    const ScratchDir scratch;
    Attack attack{.id = "X-1", .title = "x", .tree = {"t/d/", "t/x->../../outside"}};
    attack.careless = nothing;
    attack.guarded = act;
    attack.race = race;
    return try_attack(attack, ::paddock::testing::resolver_under_test(), {scratch.path(), 300});
}

TEST(Trial, bytes_from_outside_are_a_leak) {
    const Verdict verdict = guarded([](const Ground&, const Root&) {
        Attempt made;
        made.got = "..." + std::string(kSecret) + "...";
        return made;
    });
    EXPECT_EQ(verdict.fate, Fate::kLeaked);
}

TEST(Trial, every_change_outside_is_a_leak) {
    const auto fate = [](Attempt (*act)(const Ground&, const Root&)) { return guarded(act).fate; };
    EXPECT_EQ(fate([](const Ground& g, const Root&) {
                  std::ofstream(g.out("new")) << "x";
                  return Attempt{};
              }),
              Fate::kLeaked);
    EXPECT_EQ(fate([](const Ground& g, const Root&) {
                  EXPECT_EQ(::unlink(g.out("tree/leaf").c_str()), 0);
                  return Attempt{};
              }),
              Fate::kLeaked);
    EXPECT_EQ(fate([](const Ground& g, const Root&) {
                  EXPECT_EQ(::chmod(g.out("secret").c_str(), 0600), 0);
                  return Attempt{};
              }),
              Fate::kLeaked);
    EXPECT_EQ(fate([](const Ground& g, const Root&) {
                  std::ofstream(g.base() + "/ws-evil/secret") << "x";
                  return Attempt{};
              }),
              Fate::kLeaked);
}

TEST(Trial, refusals_and_harmless_calls_are_told_apart) {
    const Verdict refused = guarded([](const Ground&, const Root& root) {
        return attempt(root.read_file("../outside/secret"));
    });
    EXPECT_EQ(refused.fate, Fate::kRefused);
    EXPECT_EQ(refused.code, Code::kPathEscape);
    const Verdict held =
        guarded([](const Ground&, const Root& root) { return attempt(root.mkdir("t/new")); });
    EXPECT_EQ(held.fate, Fate::kHeld);
}

TEST(Trial, a_race_finds_the_one_bad_try) {
    static std::atomic<int> tries{0};
    tries = 0;
    const Verdict verdict = guarded(
        [](const Ground& g, const Root&) {
            if (++tries == 17) std::ofstream(g.out("new")) << "x";
            return Attempt{};
        },
        Race{"t/d", "t/x"});
    EXPECT_EQ(verdict.fate, Fate::kLeaked) << verdict.detail;
}

TEST(Trial, a_race_plants_its_tree_anew_for_each_try) {
    const Verdict verdict = guarded(
        [](const Ground& g, const Root& root) {
            Attempt made = attempt(root.remove_all("t"));
            if (::paddock::testing::os_list(g.ws()).size() != 0) made.harm = "left over";
            return made;
        },
        Race{"t/d", "t/x", true});
    EXPECT_EQ(verdict.fate, Fate::kHeld) << verdict.detail;
    EXPECT_EQ(verdict.tries, 30);
}

TEST(Trial, what_cannot_be_set_up_is_skipped) {
    const Attack attack{.id = "X-1",
                        .title = "x",
                        .tree = {"a=x", "a/b/"},
                        .careless = nothing,
                        .guarded = [](const Ground&, const Root&) { return Attempt{}; }};
    const ScratchDir scratch;
    const Verdict verdict = try_attack(attack, std::nullopt, {scratch.path(), 1});
    EXPECT_EQ(verdict.fate, Fate::kSkipped);
    EXPECT_NE(verdict.detail, "");
    EXPECT_TRUE(::paddock::testing::os_list(scratch.path()).empty());
}

Row row(std::string id, Verdict careless, std::vector<Verdict> guarded_verdicts) {
    Row made;
    made.id = std::move(id);
    made.race = true;
    made.careless = std::move(careless);
    made.guarded = std::move(guarded_verdicts);
    return made;
}

Verdict verdict_of(Fate fate, const char* detail = "") { return {fate, {}, detail, 50}; }

TEST(Report, a_single_leak_is_the_headline) {
    Report report;
    report.resolvers = {ResolverKind::kOpenat2, ResolverKind::kWalk};
    report.rows.push_back(
        row("X-1", verdict_of(Fate::kLeaked),
            {verdict_of(Fate::kHeld), verdict_of(Fate::kLeaked, "outside was read")}));
    EXPECT_EQ(summarize(report).paddock_leaks, 1U);
    EXPECT_EQ(exit_code(report), 1);
    const std::string text = as_text(report, Paint(-1, Colours::kAuto));
    EXPECT_NE(text.find("LEAK: X-1 (walk): outside was read"), std::string::npos) << text;
    EXPECT_NE(text.find("1 leak through paddock."), std::string::npos) << text;
}

TEST(Report, a_control_that_does_not_leak_is_no_pass) {
    Report report;
    report.resolvers = {ResolverKind::kWalk};
    report.rows.push_back(row("X-1", verdict_of(Fate::kHeld), {verdict_of(Fate::kHeld)}));
    report.rows.push_back(
        row("X-2", verdict_of(Fate::kSkipped, "why"), {verdict_of(Fate::kSkipped, "why")}));
    EXPECT_EQ(summarize(report).inconclusive, 1U);
    EXPECT_EQ(summarize(report).skipped, 1U);
    EXPECT_EQ(exit_code(report), 0);
    const std::string text = as_text(report, Paint(-1, Colours::kAuto));
    EXPECT_NE(text.find("inconclusive: X-1: control did not leak in 50 tries"), std::string::npos);
    EXPECT_NE(text.find("skipped: X-2: why"), std::string::npos);
}

TEST(Report, what_paddock_was_not_tried_on_is_no_pass_either) {
    Report report;
    report.resolvers = {ResolverKind::kWalk};
    report.rows.push_back(
        row("X-1", verdict_of(Fate::kLeaked), {verdict_of(Fate::kSkipped, "why")}));
    EXPECT_EQ(summarize(report).skipped, 1U);
    EXPECT_FALSE(report.rows[0].conclusive());
    EXPECT_EQ(exit_code(report), kUsageError);
    EXPECT_NE(as_text(report, Paint(-1, Colours::kAuto)).find("skipped: X-1: why"),
              std::string::npos);
}

TEST(Report, a_leak_of_a_command_counts_like_any_other) {
    Report report;
    report.resolvers = {ResolverKind::kWalk};
    report.rows.push_back(row("X-1", verdict_of(Fate::kLeaked), {verdict_of(Fate::kHeld)}));
    EXPECT_EQ(exit_code(report), 0);
    report.rung = "full";
    report.commands.push_back(
        row("x-2", verdict_of(Fate::kLeaked), {verdict_of(Fate::kWouldBlock, "hangs")}));
    EXPECT_EQ(exit_code(report), 1);
}

}  // namespace
}  // namespace paddock::cli::prove
