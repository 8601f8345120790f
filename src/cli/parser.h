// The options of one command, declared, validated and documented by CLI11. That library never sees
// a path: it would take "[a,b]", "{}" and "++" apart, and a path is bytes. So words are divided
// into options and paths first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/root_options.h>

#include "cli/ending.h"

namespace paddock::cli {

using Words = std::vector<std::string>;

// How a command presents itself.
struct Manual {
    std::string name;
    std::string summary;
    std::string usage;
    std::string examples;  // ends with the exit codes
};

class Parser {
public:
    explicit Parser(const Manual& manual);
    ~Parser();
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    void flag(const std::string& name, bool& target, const std::string& help);
    // The value of `variable` in the environment is the default, if one is named.
    void text(const std::string& name, std::string& target, const std::string& unit,
              const std::string& help, const std::string& variable = {});
    void texts(const std::string& name, Words& target, const std::string& unit,
               const std::string& help);
    void integer(const std::string& name, std::int64_t& target, std::int64_t least,
                 std::int64_t most, const std::string& help);

    // One of a few words; the first is the default.
    template <class T>
    void choice(const std::string& name, T& target,
                const std::vector<std::pair<std::string, T>>& choices, const std::string& help,
                const std::string& variable = {}) {
        Words names;
        for (const auto& [word, meaning] : choices) names.push_back(word);
        one_of(
            name, names, [&target, choices](std::size_t i) { target = choices[i].second; }, help,
            variable);
    }
    void resolver(ResolverKind& target, const std::string& help);

    bool was_given(const std::string& name) const;

    // The complaint or the help text, or nothing: then every target is set.
    std::optional<Ending> parse(const Words& words);

    Words& paths() { return paths_; }
    std::optional<Ending> refuse_paths() const;

private:
    struct Options;

    void one_of(const std::string& name, const Words& names, std::function<void(std::size_t)> set,
                const std::string& help, const std::string& variable);
    std::optional<Ending> divide(const Words& words, Words& options);
    Ending unknown(const std::string& name) const;

    const Manual& manual_;
    std::unique_ptr<Options> options_;
    Words paths_;
};

// What to say of words that make no sense, with where to look.
Ending complaint(std::string text, std::string_view command = {});

// "; did you mean 'x'?", or nothing.
std::string meant(std::string_view typed, const Words& valid);

}  // namespace paddock::cli
