// Compares ways of doing one thing in one run: small batches in turn, many rounds, medians.
//
// A batch is short, so that being interrupted spoils few of them and the median none; all
// contenders take turns within a round, and a ratio is the median of the rounds' ratios, so that
// whatever slows the machine slows both sides of it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::bench {

struct Contender {
    std::string name;
    std::function<bool(int calls)> batch;  // false: a call failed, its time means nothing
    std::string against = {};              // the contender that its ratio is taken to, or none
    std::optional<double> at_most = {};    // bounds of that ratio
    std::optional<double> at_least = {};
};

struct Group {
    std::string title;
    std::vector<Contender> contenders;
};

struct Settings {
    int rounds = 0;
    int calls = 0;  // in one batch; 0: as many as take about kBatch
    bool json = false;
    bool check = false;  // a missed bound is exit status 1
    std::string only;    // measure just the contenders whose "title: name" contains it
    std::string directory = "/tmp";
};

inline constexpr std::chrono::microseconds kBatch{100};

// --rounds=N --calls=N --json --check --only=TEXT --dir=PATH; ends the process on anything else.
Settings read_arguments(int argc, char** argv, int rounds);

// Measures, prints, and returns the exit status: 0, 1 a bound was missed, 2 a call failed.
int compare(const std::vector<Group>& groups, const Settings& settings);

// `call()` returns whether it succeeded.
template <class Call>
std::function<bool(int)> repeat(Call call) {
    return [call](int calls) {
        bool all = true;
        for (int i = 0; i < calls; ++i) all = call() && all;
        return all;
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
