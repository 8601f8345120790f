// A race in three acts: an attacker is set loose, paddock is called again and again, and then a
// careless twin of the same operation is called until the attacker has fooled it. The test fails if
// anything outside was reached, if paddock refused what it should do, if the attacker did nothing,
// or if the twin was never fooled: then the race was no race and proves nothing.
//
// One line per test says how it went:
//   race NAME: resolver walk, rounds 20000, changes 61204, ok 9981, path_escape 10019, outside 0,
//   control fooled in round 41
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "race/attacker.h"
#include "race/snapshot.h"
#include "testing/jail.h"

namespace paddock::testing {

// PADDOCK_RACE_ROUNDS, or 20,000 (2,000 under a sanitizer).
std::uint64_t race_rounds();

// A disk would set the pace of the race otherwise.
inline constexpr WriteOptions kFast{.mode = {}, .durability = Durability::kNone};

template <class T>
Status status(const Result<T>& result) {
    if (!result) return result.error();
    return {};
}

// Everything as usual, with the resolver under test.
RootOptions options_under_test();

class Race : public Jail {
protected:
    void SetUp() override;
    void TearDown() override;

    // Sets the attacker loose. Before that, everything in OUT and below the watched directories is
    // remembered.
    void attack(Attacker::Step step);
    void watch(const std::string& directory);

    // Calls `round` race_rounds() / `divisor` times, and on until the attacker has made a change
    // for every tenth round and a hundredth of the calls has succeeded.
    void repeat(const std::function<void()>& round, std::uint64_t divisor = 1);

    // The same, for an attacker who is somebody else: `changes` says what was done so far.
    void repeat_against(const std::function<std::uint64_t()>& changes, std::uint64_t rounds,
                        std::uint64_t changes_min, const std::function<void()>& round);

    // For use in a round. count: was it a success? note_outside: something outside was reached.
    template <class T>
    bool count(const Result<T>& result) {
        if (result) return ++ok_, true;
        ++refusals_[static_cast<std::size_t>(result.error().code)];
        return false;
    }
    void note_outside(bool happened) { outside_ += happened ? 1 : 0; }
    Attacker& attacker() { return *attacker_; }

    // After the rounds: nothing outside was read or changed, and calls were refused with these
    // codes only. With no code, every call must have succeeded.
    void verdict(std::initializer_list<Code> allowed);

    // The directory that now has this name, whatever it will be called later.
    static UniqueFd hold(const std::string& directory);

    // Calls the careless twin until it says that it was fooled.
    void control(const std::function<bool()>& fooled);

private:
    struct Watched {
        UniqueFd directory;
        Snapshot before;
    };

    std::unique_ptr<Attacker> attacker_;
    std::vector<Watched> watched_;
    std::uint64_t rounds_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t ok_ = 0;
    std::array<std::uint64_t, 32> refusals_{};
    std::uint64_t outside_ = 0;
    std::uint64_t fooled_in_ = 0;
};

}  // namespace paddock::testing
