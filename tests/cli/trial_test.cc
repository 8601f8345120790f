// The judge is not blind: whatever gets out is called a leak, whoever did it.
#include "cli/prove/trial.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <paddock/root.h>

#include "cli/arguments.h"
#include "testing/jail.h"

namespace paddock::cli::prove {
namespace {

using ::paddock::testing::ScratchDir;

constexpr std::string_view kRefusing = "../outside/secret";

PathAttack attack_with(std::vector<std::string_view> tree, Call call, std::optional<Race> race) {
    return {.id = "X-1",
            .title = "x",
            .tree = std::move(tree),
            .check = Check::kNothing,
            .call = call,
            .path = "t",
            .must = std::nullopt,
            .race = race};
}

// What the judge says of an act on this ground.
Verdict judged(const std::function<Attempt(const Ground&)>& act, std::optional<Race> race = {},
               Call call = Call::kRead) {
    const ScratchDir scratch;
    const PathAttack attack = attack_with({"t/d/", "t/x->../../outside"}, call, race);
    const Ground ground(scratch.path() + "/ground");
    ground.plant(attack.tree);
    return judge(
        ground, attack, [&] { return act(ground); }, 300);
}

Attempt read_by_root(const Ground& ground, std::string_view path) {
    RootOptions options;
    options.resolver = ::paddock::testing::resolver_under_test();
    const auto content = Root::open(ground.at("ws"), options)->read_file(path);
    return {content.value_or(""), content ? std::nullopt : std::optional(content.error().code)};
}

TEST(Trial, bytes_from_outside_are_a_leak) {
    const Verdict verdict =
        judged([](const Ground&) { return Attempt{"..." + std::string(kSecret) + "..."}; });
    EXPECT_EQ(verdict.fate, Fate::kLeaked);
}

TEST(Trial, every_change_outside_is_a_leak) {
    const auto fate = [](void (*change)(const Ground&)) {
        return judged([change](const Ground& ground) {
                   change(ground);
                   return Attempt{};
               })
            .fate;
    };
    EXPECT_EQ(fate([](const Ground& g) { std::ofstream(g.at("outside/new")) << "x"; }),
              Fate::kLeaked);
    EXPECT_EQ(fate([](const Ground& g) { ::unlink(g.at("outside/tree/leaf").c_str()); }),
              Fate::kLeaked);
    EXPECT_EQ(fate([](const Ground& g) { ::chmod(g.at("outside/secret").c_str(), 0600); }),
              Fate::kLeaked);
    EXPECT_EQ(fate([](const Ground& g) { ::chmod(g.at("outside").c_str(), 0700); }), Fate::kLeaked);
    EXPECT_EQ(fate([](const Ground& g) { std::ofstream(g.at("ws-evil/secret")) << "x"; }),
              Fate::kLeaked);
    EXPECT_EQ(fate([](const Ground&) {}), Fate::kHeld);
}

TEST(Trial, refusals_and_harmless_calls_are_told_apart) {
    const Verdict refused =
        judged([](const Ground& ground) { return read_by_root(ground, kRefusing); });
    EXPECT_EQ(refused.fate, Fate::kRefused);
    EXPECT_EQ(refused.detail, "path_escape");
    const Verdict held = judged([](const Ground& ground) {
        std::ofstream(ground.ws("t/new")) << "x";
        return read_by_root(ground, "t/new");
    });
    EXPECT_EQ(held.fate, Fate::kHeld);
}

TEST(Trial, a_race_finds_the_one_bad_try) {
    int tries = 0;
    const Verdict verdict = judged(
        [&](const Ground& ground) {
            if (++tries == 17) std::ofstream(ground.at("outside/new")) << "x";
            return Attempt{};
        },
        Race{"t/d", "t/x"});
    EXPECT_EQ(verdict.fate, Fate::kLeaked) << verdict.detail;
    EXPECT_EQ(verdict.tries, 17);
}

TEST(Trial, a_race_plants_its_tree_anew_for_each_try) {
    int tries = 0;
    int absent = 0;
    const Verdict verdict = judged(
        [&](const Ground& ground) {
            const std::string gone = ground.ws("gone-" + std::to_string(++tries));
            if (::rename(ground.ws("t").c_str(), gone.c_str()) != 0) ++absent;
            return Attempt{};
        },
        Race{"t/d", "t/x"}, Call::kRemoveAll);
    EXPECT_EQ(verdict.fate, Fate::kHeld) << verdict.detail;
    EXPECT_EQ(verdict.tries, 30);
    EXPECT_EQ(absent, 0);
}

Verdict tried(const PathAttack& attack) {
    const ScratchDir scratch;
    const Verdict verdict =
        try_path(attack, ::paddock::testing::resolver_under_test(), scratch.path(), 1);
    EXPECT_TRUE(::paddock::testing::os_list(scratch.path()).empty());
    return verdict;
}

TEST(Trial, what_cannot_be_set_up_is_skipped) {
    const Verdict verdict = tried(attack_with({"a=x", "a/b/"}, Call::kRead, {}));
    EXPECT_EQ(verdict.fate, Fate::kSkipped);
    EXPECT_NE(verdict.detail, "");
}

TEST(Trial, another_answer_than_the_row_expects_proves_nothing) {
    PathAttack attack = attack_with({}, Call::kRead, {});
    attack.must = Code::kPathEscape;
    EXPECT_EQ(tried(attack).detail, "paddock answered 'not_found', expected 'path_escape'");
    attack.must = Code::kNotFound;
    EXPECT_EQ(tried(attack).fate, Fate::kRefused);
}

Verdict verdict_of(Fate fate, const char* detail = "") { return {fate, detail, 50}; }

// Everything that is printed of it.
std::string as_text(const Report& report) {
    const Paint paint(-1, Colours::kAuto);
    std::string text;
    for (const Row& row : report.paths.rows) text += row_text(row, {}, paint);
    return text + remarks_text(report.paths) + summary_text(summarize(report), paint);
}

TEST(Report, a_single_leak_is_the_headline) {
    Report report;
    report.paths.contenders = {"careless tool", "openat2", "walk"};
    report.paths.rows = {{"X-1",
                          "x",
                          {verdict_of(Fate::kLeaked), verdict_of(Fate::kHeld),
                           verdict_of(Fate::kLeaked, "outside was read")}}};
    EXPECT_EQ(summarize(report).paddock_leaks, 1U);
    EXPECT_EQ(exit_code(summarize(report)), 1);
    const std::string text = as_text(report);
    EXPECT_NE(text.find("LEAK: X-1 (walk): outside was read"), std::string::npos) << text;
    EXPECT_NE(text.find("1 leak through paddock."), std::string::npos) << text;
}

TEST(Report, a_control_that_does_not_leak_is_no_pass) {
    Report report;
    report.paths.contenders = {"careless tool", "walk"};
    report.paths.rows = {
        {"RACE-1", "x", {verdict_of(Fate::kHeld), verdict_of(Fate::kHeld)}},
        {"X-2", "x", {verdict_of(Fate::kSkipped, "why"), verdict_of(Fate::kSkipped, "why")}}};
    EXPECT_EQ(summarize(report).careless_leaks, 0U);
    EXPECT_EQ(summarize(report).inconclusive, 1U);
    EXPECT_EQ(summarize(report).skipped, 1U);
    EXPECT_EQ(exit_code(summarize(report)), 0);
    const std::string text = as_text(report);
    EXPECT_NE(text.find("inconclusive: RACE-1: control did not leak in 50 tries"),
              std::string::npos);
    EXPECT_NE(text.find("skipped: X-2: why"), std::string::npos);
}

TEST(Report, what_paddock_was_not_tried_on_is_no_pass_either) {
    Report report;
    report.paths.contenders = {"careless tool", "walk"};
    report.paths.rows = {
        {"X-1", "x", {verdict_of(Fate::kLeaked), verdict_of(Fate::kSkipped, "why")}}};
    EXPECT_EQ(summarize(report).skipped, 1U);
    EXPECT_FALSE(report.paths.rows[0].conclusive());
    EXPECT_EQ(exit_code(summarize(report)), kUsageError);
    EXPECT_NE(as_text(report).find("skipped: X-1: why"), std::string::npos);
}

TEST(Report, a_leak_of_a_command_counts_like_any_other) {
    Report report;
    report.paths.contenders = {"careless tool", "walk"};
    report.paths.rows = {{"X-1", "x", {verdict_of(Fate::kLeaked), verdict_of(Fate::kHeld)}}};
    EXPECT_EQ(exit_code(summarize(report)), 0);
    report.commands.contenders = {"plain bash", "full"};
    report.commands.rows = {
        {"x-2", "x", {verdict_of(Fate::kLeaked), verdict_of(Fate::kWouldBlock, "hangs")}}};
    EXPECT_EQ(exit_code(summarize(report)), 1);
}

}  // namespace
}  // namespace paddock::cli::prove
