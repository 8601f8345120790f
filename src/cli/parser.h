// The options of one command, declared once: values are taken and checked by the same table that
// feeds help, man page and completions. A word is bytes: nothing is taken apart or trimmed.
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

#include "cli/arguments.h"
#include "cli/manual.h"
#include "cli/terminal.h"

namespace paddock::cli {

class Parser {
public:
    explicit Parser(const Manual& manual);
    ~Parser() = default;
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    void flag(Option option, bool& target);
    // What `target` holds is the default, unless the environment has `variable`.
    void text(Option option, std::string& target, const std::string& variable = {});
    void texts(Option option, Words& target);  // may be given several times
    void integer(Option option, std::int64_t& target, std::optional<std::int64_t> least,
                 std::optional<std::int64_t> most);

    // One of a few words; the first is the default.
    template <class T>
    void choice(Option option, T& target, const std::vector<std::pair<std::string, T>>& choices,
                const std::string& variable = {}) {
        for (const auto& [word, meaning] : choices) option.choices.push_back(word);
        one_of(
            std::move(option), [&target, choices](std::size_t i) { target = choices[i].second; },
            variable);
    }
    void resolver(ResolverKind& target, const std::string& help);
    void output(Output& output);

    const Manual& manual() const noexcept { return manual_; }
    const std::vector<Option>& options() const noexcept { return table_; }
    bool was_given(const std::string& name) const;

    // The complaint or the help text, or nothing: then every target is set, and there are as many
    // operands as the manual says.
    std::optional<ExitMessage> parse(const Words& words);

    Words& operands() { return operands_; }

private:
    // Takes a value; the complaint about it, or nothing.
    using Take = std::function<std::string(const std::string& value)>;

    struct Entry {
        Take take;
        std::string variable;  // of the environment, taken if the option is not given
        bool repeats = false;
        bool given = false;
    };

    Entry& add(Option option, Take take);
    void one_of(Option option, std::function<void(std::size_t)> set, const std::string& variable);
    std::optional<std::size_t> find(const std::string& name) const;
    bool is_flag(const std::string& name) const;
    bool takes_value(const std::string& name) const;

    std::optional<ExitMessage> take_option(const Words& words, std::size_t& at);
    std::optional<ExitMessage> give(std::size_t index, const std::string& name,
                                    const std::string& value);
    std::optional<ExitMessage> take_variables();
    std::optional<ExitMessage> count_operands() const;
    ExitMessage unknown(const std::string& name) const;

    const Manual& manual_;
    std::vector<Option> table_;
    std::vector<Entry> entries_;  // one for each option of the table
    Words operands_;
    bool wants_help_ = false;
};

// What to say of words that make no sense, with where to look.
ExitMessage complaint(std::string text, std::string_view command = {});

// "; did you mean 'x'?", or nothing.
std::string meant(std::string_view typed, const Words& valid);

// One command of paddock: what it tells of itself, and how its words become a request.
// Takes the words of one call.
class CommandParser {
public:
    CommandParser() = default;
    CommandParser(const CommandParser&) = delete;
    CommandParser& operator=(const CommandParser&) = delete;
    virtual ~CommandParser() = default;

    virtual void declare(Parser& parser) = 0;

    // After the words were parsed without a complaint.
    virtual Request finish(Parser& parser) = 0;
};

struct Command {
    Manual manual;
    std::function<std::unique_ptr<CommandParser>()> form;
};

// In the order of the overview.
const std::vector<Command>& commands();
const Command* find_command(const std::string& name);  // null: there is none

std::vector<Option> options_of(const Command& command);
Request parse(const Command& command, const Words& words);

// What `paddock --help` prints.
std::string overview();

}  // namespace paddock::cli
