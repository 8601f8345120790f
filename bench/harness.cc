#include "harness.h"

#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace paddock::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Times = std::vector<double>;  // nanoseconds a call, one for each round

double median(Times values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double median_ratio(const Times& of, const Times& to) {
    Times ratios(of.size());
    std::transform(of.begin(), of.end(), to.begin(), ratios.begin(), std::divides<>());
    return median(std::move(ratios));
}

// Nanoseconds a call; nothing if one failed.
std::optional<double> time_batch(const Contender& contender, int calls) {
    const auto begin = Clock::now();
    const bool good = contender.batch(calls);
    const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
    if (!good) {
        std::fprintf(stderr, "bench: %s failed\n", contender.name.c_str());
        return std::nullopt;
    }
    return taken.count() / calls;
}

// How many calls take about kBatch, by the quickest of some tries: the first is cold, and any may
// be interrupted.
std::optional<int> calls_in_batch(const Contender& contender) {
    constexpr double kBatchNs = std::chrono::duration<double, std::nano>(kBatch).count();
    constexpr int kTries = 4;
    int calls = 1;
    for (int i = 0; i < kTries; ++i) {
        const auto ns = time_batch(contender, calls);
        if (!ns) return std::nullopt;
        calls = std::max(calls, static_cast<int>(kBatchNs / *ns));
    }
    return calls;
}

// One Times for each contender; nothing if a call failed.
std::optional<std::vector<Times>> measure(const Group& group, const Settings& settings) {
    std::vector<int> calls;
    for (const Contender& contender : group.contenders) {
        const auto fitting = settings.calls > 0 ? settings.calls : calls_in_batch(contender);
        if (!fitting) return std::nullopt;
        calls.push_back(*fitting);
    }
    std::vector<Times> times(group.contenders.size());
    for (int round = 0; round < settings.rounds; ++round) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            const auto ns = time_batch(group.contenders[i], calls[i]);
            if (!ns) return std::nullopt;
            times[i].push_back(*ns);
        }
    }
    return times;
}

struct Row {
    std::string name;
    double ns = 0;
    std::string against;
    double ratio = 0;
    std::string bound;  // "<= 1.15"
    bool kept = true;
};

std::string bound_text(const char* sign, double bound) {
    char text[32];
    std::snprintf(text, sizeof text, "%s %.2f", sign, bound);
    return text;
}

// Absent if it was not chosen for measuring.
std::optional<std::size_t> index_of(const Group& group, const std::string& name) {
    for (std::size_t i = 0; i < group.contenders.size(); ++i) {
        if (group.contenders[i].name == name) return i;
    }
    return std::nullopt;
}

std::vector<Row> rows_of(const Group& group, const std::vector<Times>& times) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const Contender& one = group.contenders[i];
        Row& row = rows.emplace_back();
        row.name = one.name;
        row.ns = median(times[i]);
        const auto floor = index_of(group, one.against);
        if (!floor) continue;
        row.against = one.against;
        row.ratio = median_ratio(times[i], times[*floor]);
        if (one.at_most) row.bound = bound_text("<=", *one.at_most);
        if (one.at_least) row.bound = bound_text(">=", *one.at_least);
        row.kept = row.ratio <= one.at_most.value_or(row.ratio) &&
                   row.ratio >= one.at_least.value_or(row.ratio);
    }
    return rows;
}

void print_table(const std::string& title, const std::vector<Row>& rows) {
    std::printf("%-44s %12s %8s  %-30s %s\n", title.c_str(), "ns", "ratio", "to", "bound");
    for (const Row& row : rows) {
        std::printf("  %-42s %12.0f", row.name.c_str(), row.ns);
        if (!row.against.empty()) std::printf(" %8.2f  %s", row.ratio, row.against.c_str());
        if (!row.bound.empty()) {
            const int gap = std::max(1, 31 - static_cast<int>(row.against.size()));
            std::printf("%*s%s %s", gap, "", row.bound.c_str(), row.kept ? "kept" : "MISSED");
        }
        std::puts("");
    }
    std::puts("");
}

// One object a line. Names and titles are literals that need no escaping.
void print_json(const std::string& title, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        std::printf("{\"group\": \"%s\", \"name\": \"%s\", \"ns\": %.1f", title.c_str(),
                    row.name.c_str(), row.ns);
        if (!row.against.empty()) {
            std::printf(", \"against\": \"%s\", \"ratio\": %.4f", row.against.c_str(), row.ratio);
        }
        if (!row.bound.empty()) {
            std::printf(", \"bound\": \"%s\", \"kept\": %s", row.bound.c_str(),
                        row.kept ? "true" : "false");
        }
        std::puts("}");
    }
}

Group chosen_of(const Group& group, const std::string& only) {
    Group chosen{group.title, {}};
    for (const Contender& one : group.contenders) {
        if ((group.title + ": " + one.name).find(only) != std::string::npos) {
            chosen.contenders.push_back(one);
        }
    }
    return chosen;
}

[[noreturn]] void end(const std::string& why) {
    std::fprintf(stderr, "bench: %s\n", why.c_str());
    std::exit(2);
}

}  // namespace

int compare(const std::vector<Group>& groups, const Settings& settings) {
    bool all_kept = true;
    for (const Group& group : groups) {
        const Group chosen = chosen_of(group, settings.only);
        if (chosen.contenders.empty()) continue;
        const auto times = measure(chosen, settings);
        if (!times) return 2;
        const auto rows = rows_of(chosen, *times);
        (settings.json ? print_json : print_table)(group.title, rows);
        std::fflush(stdout);
        for (const Row& row : rows) all_kept = all_kept && row.kept;
    }
    return settings.check && !all_kept ? 1 : 0;
}

Settings read_arguments(int argc, char** argv, int rounds) {
    Settings settings;
    settings.rounds = rounds;
    for (const std::string_view argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
        const std::size_t sign = std::min(argument.find('='), argument.size());
        const std::string_view key = argument.substr(0, sign);
        const std::string value(argument.substr(std::min(sign + 1, argument.size())));
        const bool counts = key == "--rounds" || key == "--calls";
        if (counts) {
            int& count = key == "--rounds" ? settings.rounds : settings.calls;
            const char* last = value.data() + value.size();
            const auto [stop, error] = std::from_chars(value.data(), last, count);
            if (error != std::errc() || stop != last || count < 1) {
                end(std::string(key) + " needs a positive number");
            }
        } else if (key == "--only") {
            settings.only = value;
        } else if (key == "--dir") {
            settings.directory = value;
        } else if (argument == "--json") {
            settings.json = true;
        } else if (argument == "--check") {
            settings.check = true;
        } else {
            end("usage: [--rounds=N] [--calls=N] [--only=TEXT] [--dir=PATH] [--json] [--check]");
        }
    }
    return settings;
}

Scratch::Scratch(const Settings& settings) : path_(settings.directory + "/paddock-bench-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) end("cannot make a directory in " + settings.directory);
    path_ = std::filesystem::canonical(path_);
}

Scratch::~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace paddock::bench
