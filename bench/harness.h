// Compares ways of doing one thing in one run: small batches in turn, many rounds, medians.
//
// A batch is short, so that being interrupted spoils few of them and the median none; all
// contenders take turns within a round, and a ratio is the median of the rounds' ratios, so that
// whatever slows the machine slows both sides of it. What takes long, a search of a whole tree, is
// a batch by itself, and has as many rounds as its time allows.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::bench {

// The figure of one batch, in the unit of the group; nothing if a call failed.
using Measure = std::function<std::optional<double>(int calls)>;

struct Contender {
    std::string name;
    Measure measure;
    std::string against = {};            // the contender that its ratio is taken to, or none
    std::optional<double> at_most = {};  // bounds of that ratio, or without one of the figure
    std::optional<double> at_least = {};
};

struct Group {
    std::string title;
    std::vector<Contender> contenders;
    std::string unit = "ns";             // of one call; else measured once a round
    std::chrono::seconds time_max = {};  // then no more rounds, if there were kRoundsMin; 0: none
};
inline constexpr int kRoundsMin = 3;

struct Settings {
    int rounds = 0;
    int calls = 0;  // in one batch; 0: as many as take about kBatch
    bool json = false;
    bool check = false;  // a missed bound is exit status 1
    std::string only;    // measure just the contenders whose "title: name" contains it
    std::string directory = "/tmp";
    std::string corpus;   // as scripts/corpus prepares it; empty: a little text will do
    std::string peers;    // where the servers of bench/peers are installed; empty: nowhere
    std::string against;  // an older paddock, which this one may be little slower than; empty: none
};

inline constexpr std::chrono::microseconds kBatch{100};

// What a benchmark that cannot run exits with; ctest counts it as skipped.
inline constexpr int kSkipped = 77;

// --rounds=N --calls=N --json --check --only=TEXT --dir=PATH --corpus=PATH --peers=PATH
// --against=PROGRAM; ends the process on anything else.
Settings read_arguments(int argc, char** argv, int rounds);

// Measures, prints, and returns the exit status: 0, 1 a bound was missed, 2 a call failed.
int compare(const std::vector<Group>& groups, const Settings& settings);

// Nanoseconds of `call()`, which returns whether it succeeded.
template <class Call>
Measure repeat(Call call) {
    return [call](int calls) mutable -> std::optional<double> {
        using Clock = std::chrono::steady_clock;
        bool all = true;
        const auto begin = Clock::now();
        for (int i = 0; i < calls; ++i) all = call() && all;
        const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
        if (!all) return std::nullopt;
        return taken.count() / calls;
    };
}

// A new directory in settings.directory, removed at the end.
class Scratch {
public:
    explicit Scratch(const Settings& settings);
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace paddock::bench
