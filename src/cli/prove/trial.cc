#include "cli/prove/trial.h"

#include <exception>

#include "cli/prove/interrupt.h"
#include "cli/prove/private_mounts.h"
#include "cli/prove/swapper.h"

namespace paddock::cli::prove {
namespace {

// The same measure for both sides.
Verdict judge(const Attempt& made, bool outside_changed) {
    if (made.got.find(kSecret) != std::string::npos) return {Fate::kLeaked, {}, "outside was read"};
    if (outside_changed) return {Fate::kLeaked, {}, "outside was changed"};
    if (!made.harm.empty()) return {Fate::kLeaked, {}, std::string(made.harm)};
    if (made.would_block) return {Fate::kWouldBlock, {}, {}};
    if (made.refused) return {Fate::kRefused, made.refused, {}};
    return {Fate::kHeld, {}, {}};
}

// The careless tool or paddock, on this ground.
class Contender {
public:
    Contender(const Attack& attack, const Ground& ground, std::optional<ResolverKind> resolver)
        : attack_(attack), ground_(ground) {
        if (!resolver) return;
        RootOptions options;
        options.resolver = *resolver;
        root_ = Root::open(attack.root.empty() ? ground.ws() : std::string(attack.root), options);
    }

    // Why it cannot even start; empty if it can.
    std::string hindrance() const { return root_ && !*root_ ? root_->error().message() : ""; }
    bool is_paddock() const { return root_.has_value(); }

    Attempt make_attempt() const {
        return root_ ? attack_.guarded(ground_, **root_) : attack_.careless(ground_);
    }

private:
    const Attack& attack_;
    const Ground& ground_;
    std::optional<Result<Root>> root_;
};

Verdict run_once(const Contender& contender, const Ground& ground) {
    const std::string before = ground.outside();
    const Attempt made = contender.make_attempt();
    return judge(made, ground.outside() != before);
}

// Looking at the whole outside takes longer than most calls. What paddock might have changed there
// stays changed, so now and then is enough; of the careless tool the exact try is to be told.
constexpr int kLookEvery = 64;

// Planting a tree costs ten times as much as most calls.
int tries_of(const Race& race, int rounds) { return race.replant ? (rounds + 9) / 10 : rounds; }

Verdict run_race(const Contender& contender, const Ground& ground, const Attack& attack,
                 int rounds) {
    const Race& race = *attack.race;
    const int tries = tries_of(race, rounds);
    if (!Swapper::works(ground.ws(race.first), ground.ws(race.second))) {
        return skipped("this file system cannot exchange two names");
    }
    const std::string before = ground.outside();
    const Swapper swapper(ground.ws(race.first), ground.ws(race.second));
    Verdict verdict{Fate::kHeld, {}, {}, 0};
    int refused = 0;
    for (int i = 1; i <= tries && Interrupt::caught() == 0; ++i) {
        if (race.replant && i > 1) ground.replant(attack.tree);
        const Attempt made = contender.make_attempt();
        refused += made.refused ? 1 : 0;
        const bool look = !contender.is_paddock() || i % kLookEvery == 0 || i == tries;
        const Verdict judged = judge(made, look && ground.outside() != before);
        verdict.tries = i;
        if (judged.fate != Fate::kLeaked) continue;
        verdict.fate = judged.fate;
        verdict.detail = judged.detail;
        return verdict;
    }
    if (contender.is_paddock()) verdict.detail = std::to_string(refused) + " calls were refused";
    return verdict;
}

Verdict run_here(const Attack& attack, std::optional<ResolverKind> resolver, const Terms& terms) {
    try {
        const Ground ground(terms.scratch + "/ground");
        ground.plant(attack.tree);
        const BindMount mount(ground, attack.mounted);
        const Contender contender(attack, ground, resolver);
        if (!contender.hindrance().empty()) return skipped(contender.hindrance());
        return attack.race ? run_race(contender, ground, attack, terms.rounds)
                           : run_once(contender, ground);
    } catch (const std::exception& error) {
        return skipped(error.what());
    }
}

}  // namespace

Verdict try_attack(const Attack& attack, std::optional<ResolverKind> resolver, const Terms& terms) {
    if (attack.mounted.empty()) return run_here(attack, resolver, terms);
    return with_private_mounts([&] { return run_here(attack, resolver, terms); });
}

}  // namespace paddock::cli::prove
