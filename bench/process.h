// Running a program as one call of a benchmark.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace paddock::bench {

using Command = std::vector<std::string>;  // the program is looked for in PATH

struct Ran {
    double ms = 0;
    double peak_mb = 0;  // of memory; never less than what this process has
};

// Runs it in `directory`; its output goes nowhere. Nothing if it cannot be run or fails; 1 is no
// failure: a search has then found nothing.
std::optional<Ran> run(const std::string& directory, const Command& command);

// The same, but its output is read, and closed after so many lines.
std::optional<Ran> run_until(const std::string& directory, const Command& command,
                             std::size_t lines);

// What a command writes, whatever the order of the lines.
struct Output {
    std::size_t lines = 0;
    std::string checksum;

    bool operator==(const Output&) const = default;
};
// By other programs, so that this process stays small. `scratch` is a directory for a file.
std::optional<Output> output_of(const std::string& directory, const Command& command,
                                const std::string& scratch);

}  // namespace paddock::bench
