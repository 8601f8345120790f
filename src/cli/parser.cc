#include "cli/parser.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/display.h"
#include "cli/workspace_options.h"
#include "text/names.h"

namespace paddock::cli {
namespace {

std::string joined(const Words& words, const char* between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

std::string range_text(std::optional<std::int64_t> least, std::optional<std::int64_t> most) {
    if (least && most) return " from " + std::to_string(*least) + " to " + std::to_string(*most);
    if (least) return " of at least " + std::to_string(*least);
    return most ? " of at most " + std::to_string(*most) : "";
}

std::optional<std::int64_t> number_of(const std::string& word) {
    std::int64_t number = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || rest != end) return std::nullopt;
    return number;
}

}  // namespace

ExitMessage complaint(std::string text, std::string_view command) {
    text += "\nTry 'paddock ";
    if (!command.empty()) text.append(command).append(" ");
    text += "--help'.";
    return {kUsageError, std::move(text)};
}

std::string meant(std::string_view typed, const Words& valid) {
    const std::string near = text::nearest_word(typed, valid);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

Parser::Parser(const Manual& manual) : manual_(manual) {
    flag({.names = {"-h", "--help"}, .help = "Show this help"}, wants_help_);
}

Parser::Entry& Parser::add(Option option, Take take) {
    table_.push_back(std::move(option));
    return entries_.emplace_back(Entry{std::move(take), {}});
}

void Parser::flag(Option option, bool& target) {
    add(std::move(option), [&target](const std::string&) -> std::string {
        target = true;
        return {};
    });
}

void Parser::text(Option option, std::string& target, const std::string& variable) {
    option.default_value = target;
    Entry& entry = add(std::move(option), [&target](const std::string& value) -> std::string {
        target = value;
        return {};
    });
    entry.variable = variable;
}

void Parser::texts(Option option, Words& target) {
    Entry& entry = add(std::move(option), [&target](const std::string& value) -> std::string {
        target.push_back(value);
        return {};
    });
    entry.repeats = true;
}

void Parser::integer(Option option, std::int64_t& target, std::optional<std::int64_t> least,
                     std::optional<std::int64_t> most) {
    option.unit = "N";
    add(std::move(option), [&target, least, most](const std::string& value) -> std::string {
        const auto number = number_of(value);
        if (!number || (least && *number < *least) || (most && *number > *most)) {
            return "is not a whole number" + range_text(least, most);
        }
        target = *number;
        return {};
    });
}

void Parser::one_of(Option option, std::function<void(std::size_t)> set,
                    const std::string& variable) {
    const Words names = option.choices;
    option.unit = joined(names, "|");
    option.default_value = names.front();
    const auto take = [names, set = std::move(set)](const std::string& value) -> std::string {
        const auto it = std::find(names.begin(), names.end(), value);
        if (it == names.end()) return "is not one of " + joined(names, ", ") + meant(value, names);
        set(static_cast<std::size_t>(it - names.begin()));
        return {};
    };
    add(std::move(option), take).variable = variable;
}

void Parser::resolver(ResolverKind& target, const std::string& help) {
    choice<ResolverKind>({.names = {"--resolver"}, .help = help + "; or $PADDOCK_RESOLVER"}, target,
                         {{"auto", ResolverKind::kProbe},
                          {"openat2", ResolverKind::kOpenat2},
                          {"walk", ResolverKind::kWalk}},
                         "PADDOCK_RESOLVER");
}

void Parser::output(Output& output) {
    flag({.names = {"--json"}, .help = "Print JSON, for programs"}, output.json);
    choice<Colours>(
        {.names = {"--color"},
         .help = "When to use colours; auto: on a terminal, unless $NO_COLOR is set"},
        output.colours,
        {{"auto", Colours::kAuto}, {"always", Colours::kAlways}, {"never", Colours::kNever}});
}

std::optional<std::size_t> Parser::find(const std::string& name) const {
    for (std::size_t i = 0; i < table_.size(); ++i) {
        const Words& names = table_[i].names;
        if (std::find(names.begin(), names.end(), name) != names.end()) return i;
    }
    return std::nullopt;
}

bool Parser::is_flag(const std::string& name) const {
    const auto index = find(name);
    return index && table_[*index].unit.empty();
}

bool Parser::takes_value(const std::string& name) const {
    const auto index = find(name);
    return index && !table_[*index].unit.empty();
}

bool Parser::was_given(const std::string& name) const {
    const auto index = find(name);
    return index && entries_[*index].given;
}

std::optional<ExitMessage> Parser::parse(const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        const bool is_operand = word.size() < 2 || word[0] != '-';
        if (word == "--" || (is_operand && manual_.takes_command)) {
            const std::size_t first = is_operand ? i : i + 1;
            operands_.insert(operands_.end(), words.begin() + static_cast<std::ptrdiff_t>(first),
                             words.end());
            break;
        }
        if (is_operand) {
            operands_.push_back(word);
        } else if (auto ending = take_option(words, i)) {
            return ending;
        }
        if (wants_help_) return ExitMessage{0, help_text(manual_, table_)};
    }
    if (auto ending = take_variables()) return ending;
    return count_operands();
}

// The option at `at`, with its value, which may be the next word. "-iw" is "-i" and "-w", "-C2" is
// "-C" and its value.
std::optional<ExitMessage> Parser::take_option(const Words& words, std::size_t& at) {
    std::string word = words[at];
    while (word.size() > 2 && word[1] != '-' && is_flag(word.substr(0, 2))) {
        if (auto ending = give(*find(word.substr(0, 2)), word.substr(0, 2), {})) return ending;
        word.erase(1, 1);
    }
    const bool is_letter = word[1] != '-' && takes_value(word.substr(0, 2));
    const std::string name = word.substr(0, is_letter ? 2 : word.find('='));
    const auto index = find(name);
    if (!index) return unknown(name);
    const bool is_alone = name == word;
    if (is_flag(name)) {
        if (is_alone) return give(*index, name, {});
        return complaint("option '" + name + "' takes no value", manual_.name);
    }
    if (!is_alone) {
        return give(*index, name, word.substr(name.size() + (word[name.size()] == '=' ? 1 : 0)));
    }
    if (at + 1 == words.size()) {
        return complaint("option '" + name + "' needs a value", manual_.name);
    }
    return give(*index, name, words[++at]);
}

std::optional<ExitMessage> Parser::give(std::size_t index, const std::string& name,
                                        const std::string& value) {
    Entry& entry = entries_[index];
    if (entry.given && !entry.repeats && !table_[index].unit.empty()) {
        return complaint("option '" + name + "' was given twice", manual_.name);
    }
    entry.given = true;
    const std::string problem = entry.take(value);
    if (problem.empty()) return std::nullopt;
    return complaint(name + ": '" + displayable(value) + "' " + problem, manual_.name);
}

std::optional<ExitMessage> Parser::take_variables() {
    for (Entry& entry : entries_) {
        if (entry.given || entry.variable.empty()) continue;
        const std::string value(host_variable(entry.variable.c_str()));
        if (value.empty()) continue;
        const std::string problem = entry.take(value);
        if (problem.empty()) continue;
        return complaint("$" + entry.variable + ": '" + displayable(value) + "' " + problem,
                         manual_.name);
    }
    return std::nullopt;
}

ExitMessage Parser::unknown(const std::string& name) const {
    Words valid;
    for (const Option& option : table_) {
        valid.insert(valid.end(), option.names.begin(), option.names.end());
    }
    // Every letter is near every other.
    const std::string guess = name.size() > 2 ? meant(name, valid) : "";
    return complaint("unknown option '" + displayable(name) + "'" + guess, manual_.name);
}

std::optional<ExitMessage> Parser::count_operands() const {
    const auto& expected = manual_.operands;
    if (operands_.size() < expected.size() && expected[operands_.size()].required) {
        return complaint("no " + expected[operands_.size()].name + " was given", manual_.name);
    }
    const bool takes_more = !expected.empty() && expected.back().many;
    if (operands_.size() <= expected.size() || takes_more) return std::nullopt;
    return complaint("unexpected argument '" + displayable(operands_[expected.size()]) + "'",
                     manual_.name);
}

}  // namespace paddock::cli
