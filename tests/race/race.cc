#include "race/race.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace paddock::testing {
namespace {

constexpr std::uint64_t kRounds = PADDOCK_RACE_ROUNDS;

// How much longer than asked for an unlucky race goes on: on a loaded machine the attacker may get
// little time.
constexpr std::uint64_t kPatience = 50;

// A twin that survives this many rounds is not careless: with a core for each side, the luckiest
// one was fooled within some thousands; where six programs shared each core, within a million.
constexpr std::uint64_t kControlRounds = 20'000'000;

}  // namespace

std::uint64_t race_rounds() {
    const char* text = std::getenv("PADDOCK_RACE_ROUNDS");
    if (text == nullptr) return kRounds;
    const std::uint64_t rounds = std::strtoull(text, nullptr, 10);
    if (rounds == 0) throw std::runtime_error("PADDOCK_RACE_ROUNDS must be a number above 0");
    return rounds;
}

RootOptions options_under_test() {
    RootOptions options;
    options.resolver = resolver_under_test();
    return options;
}

void Race::SetUp() {
    const auto opened = Root::open(ws(), options_under_test());
    if (!opened) GTEST_SKIP() << opened.error().message();
    tree({"try/a", "try/b"});
    if (!exchange_once(base() + "/try/a", base() + "/try/b")) {
        GTEST_SKIP() << "this file system cannot exchange two names (RENAME_EXCHANGE)";
    }
}

void Race::TearDown() {
    attacker_.reset();
    if (rounds_ == 0) return;
    std::string line = "race ";
    line += ::testing::UnitTest::GetInstance()->current_test_info()->name();
    const auto add = [&line](std::string_view name, std::uint64_t value) {
        line += std::string(", ") + std::string(name) + ' ' + std::to_string(value);
    };
    line += resolver_under_test() == ResolverKind::kWalk ? ": resolver walk" : ": resolver openat2";
    add("rounds", rounds_);
    add("changes", changes_);
    add("ok", ok_);
    for (std::size_t i = 0; i < refusals_.size(); ++i) {
        if (refusals_[i] != 0) add(code_name(static_cast<Code>(i)), refusals_[i]);
    }
    add("outside", outside_);
    if (fooled_in_ != 0) add("control fooled in round", fooled_in_);
    std::puts(line.c_str());
}

UniqueFd Race::hold(const std::string& directory) {
    return UniqueFd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void Race::watch(const std::string& directory) {
    UniqueFd fd = hold(directory);
    Snapshot before = take_snapshot(fd.get());
    watched_.push_back({std::move(fd), std::move(before)});
}

void Race::attack(Attacker::Step step) {
    attacker_.reset();
    watch(out());
    attacker_ = std::make_unique<Attacker>(std::move(step));
}

void Race::repeat(const std::function<void()>& round, std::uint64_t divisor) {
    const std::uint64_t rounds = std::max<std::uint64_t>(race_rounds() / divisor, 1);
    repeat_against([this] { return attacker_->changes(); }, rounds, rounds / 10, round);
}

void Race::repeat_against(const std::function<std::uint64_t()>& changes, std::uint64_t rounds,
                          std::uint64_t changes_min, const std::function<void()>& round) {
    const std::uint64_t before = changes();
    const std::uint64_t ok_min = rounds / 100;
    // Under load either side may have whole slices of time to itself.
    const auto is_enough = [&] {
        changes_ = changes() - before;
        return rounds_ >= rounds && changes_ >= changes_min && ok_ >= ok_min;
    };
    for (rounds_ = 0; !is_enough() && rounds_ < rounds * kPatience; ++rounds_) {
        if (attacker_) attacker_->begin_round();
        round();
    }
    EXPECT_GE(changes_, changes_min) << "the attacker got no chance: the race proves nothing";
    EXPECT_GE(ok_, ok_min) << "hardly anything succeeded";
}

void Race::verdict(std::initializer_list<Code> allowed) {
    for (const Watched& watched : watched_) {
        outside_ += differences(watched.before, take_snapshot(watched.directory.get()));
    }
    EXPECT_EQ(outside_, 0U) << "something outside was reached";
    for (std::size_t i = 0; i < refusals_.size(); ++i) {
        const Code code = static_cast<Code>(i);
        if (std::find(allowed.begin(), allowed.end(), code) != allowed.end()) continue;
        EXPECT_EQ(refusals_[i], 0U) << "refused as " << code_name(code);
    }
}

void Race::control(const std::function<bool()>& fooled) {
    for (std::uint64_t round = 1; round <= kControlRounds; ++round) {
        if (attacker_) attacker_->begin_round();
        if (!fooled()) continue;
        fooled_in_ = round;
        return;
    }
    ADD_FAILURE() << "the careless twin was never fooled: the race proves nothing";
}

}  // namespace paddock::testing
