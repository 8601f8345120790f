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
using Figures = std::vector<double>;  // one for each round

double median(Figures values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double median_ratio(const Figures& of, const Figures& to) {
    Figures ratios(of.size());
    std::transform(of.begin(), of.end(), to.begin(), ratios.begin(), std::divides<>());
    return median(std::move(ratios));
}

std::optional<double> figure_of(const Contender& contender, int calls) {
    const auto figure = contender.measure(calls);
    if (!figure) std::fprintf(stderr, "bench: %s failed\n", contender.name.c_str());
    return figure;
}

// How many calls take about kBatch, by the quickest of some tries: the first is cold, and any may
// be interrupted.
std::optional<int> calls_in_batch(const Contender& contender) {
    constexpr double kBatchNs = std::chrono::duration<double, std::nano>(kBatch).count();
    constexpr int kTries = 4;
    int calls = 1;
    for (int i = 0; i < kTries; ++i) {
        const auto ns = figure_of(contender, calls);
        if (!ns) return std::nullopt;
        calls = std::max(calls, static_cast<int>(kBatchNs / *ns));
    }
    return calls;
}

std::optional<int> calls_of(const Contender& contender, const Group& group,
                            const Settings& settings) {
    if (group.unit != "ns") return 1;
    return settings.calls > 0 ? settings.calls : calls_in_batch(contender);
}

// Figures for each contender; nothing if a call failed.
std::optional<std::vector<Figures>> measure(const Group& group, const Settings& settings) {
    std::vector<int> calls;
    for (const Contender& contender : group.contenders) {
        const auto fitting = calls_of(contender, group, settings);
        if (!fitting) return std::nullopt;
        calls.push_back(*fitting);
    }
    std::vector<Figures> figures(group.contenders.size());
    const auto begin = Clock::now();
    for (int round = 0; round < settings.rounds; ++round) {
        const bool out_of_time =
            group.time_max.count() > 0 && Clock::now() - begin > group.time_max;
        if (out_of_time && round >= kRoundsMin) break;
        for (std::size_t i = 0; i < figures.size(); ++i) {
            const auto figure = figure_of(group.contenders[i], calls[i]);
            if (!figure) return std::nullopt;
            figures[i].push_back(*figure);
        }
    }
    return figures;
}

struct Row {
    std::string name;
    double figure = 0;
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

std::vector<Row> rows_of(const Group& group, const std::vector<Figures>& figures) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const Contender& one = group.contenders[i];
        Row& row = rows.emplace_back();
        row.name = one.name;
        row.figure = median(figures[i]);
        const auto floor = index_of(group, one.against);
        if (!floor && !one.against.empty()) continue;
        row.against = one.against;
        row.ratio = floor ? median_ratio(figures[i], figures[*floor]) : row.figure;
        if (one.at_most) row.bound = bound_text("<=", *one.at_most);
        if (one.at_least) row.bound = bound_text(">=", *one.at_least);
        row.kept = row.ratio <= one.at_most.value_or(row.ratio) &&
                   row.ratio >= one.at_least.value_or(row.ratio);
    }
    return rows;
}

int decimals_of(const std::string& unit) { return unit == "ns" || unit.ends_with("/s") ? 0 : 1; }

void print_table(const Group& group, const std::vector<Row>& rows) {
    std::printf("%-44s %12s %8s  %-30s %s\n", group.title.c_str(), group.unit.c_str(), "ratio",
                "to", "bound");
    for (const Row& row : rows) {
        std::printf("  %-42s %12.*f", row.name.c_str(), decimals_of(group.unit), row.figure);
        if (!row.against.empty()) std::printf(" %8.2f  %s", row.ratio, row.against.c_str());
        if (!row.bound.empty()) {
            const int column = row.against.empty() ? 42 : 31;
            const int gap = std::max(1, column - static_cast<int>(row.against.size()));
            std::printf("%*s%s %s", gap, "", row.bound.c_str(), row.kept ? "kept" : "MISSED");
        }
        std::puts("");
    }
    std::puts("");
}

// One object a line. Names and titles are literals that need no escaping.
void print_json(const Group& group, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        std::printf("{\"group\": \"%s\", \"name\": \"%s\", \"%s\": %.1f", group.title.c_str(),
                    row.name.c_str(), group.unit.c_str(), row.figure);
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
    Group chosen{group.title, {}, group.unit, group.time_max};
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
        const auto figures = measure(chosen, settings);
        if (!figures) return 2;
        const auto rows = rows_of(chosen, *figures);
        (settings.json ? print_json : print_table)(group, rows);
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
        } else if (key == "--corpus") {
            settings.corpus = value;
        } else if (key == "--peers") {
            settings.peers = value;
        } else if (key == "--against") {
            settings.against = value;
        } else if (argument == "--json") {
            settings.json = true;
        } else if (argument == "--check") {
            settings.check = true;
        } else {
            end("usage: [--rounds=N] [--calls=N] [--only=TEXT] [--dir=PATH] [--corpus=PATH] "
                "[--peers=PATH] [--against=PROGRAM] [--json] [--check]");
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
