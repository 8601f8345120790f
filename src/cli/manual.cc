#include "cli/manual.h"

#include <algorithm>

namespace paddock::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kHelpColumn = 26;

std::string spelled(const Option& option) {
    std::string text;
    for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
    // A long name lines up with the others, whether there is a short one or not.
    if (option.names.front().starts_with("--")) text.insert(0, 4, ' ');
    if (!option.unit.empty()) text += " " + option.unit;
    return text;
}

std::string explained(const Option& option) {
    return option.help +
           (option.default_value.empty() ? "" : " (default: " + option.default_value + ")");
}

std::string option_lines(const Option& option) {
    const std::string left = "  " + spelled(option);
    std::string right = wrapped(explained(option), kWidth, kHelpColumn);
    if (left.size() + 2 > kHelpColumn) return left + "\n" + right;
    return right.replace(0, left.size(), left);
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
    std::string lines;
    std::string line(indent, ' ');
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        begin = end + 1;
        const bool is_first = line.size() == indent;
        if (!is_first && line.size() + 1 + word.size() > width) {
            lines += line + "\n";
            line.assign(indent, ' ');
        } else if (!is_first) {
            line += ' ';
        }
        line += word;
    }
    return lines + line + "\n";
}

std::string usage_of(const Manual& manual) {
    std::string usage = manual.name;
    for (const Operand& operand : manual.operands) {
        const std::string name = operand.name + (operand.many ? "..." : "");
        usage += operand.required ? " " + name : " [" + name + "]";
    }
    return usage;
}

std::string help_text(const Manual& manual, const std::vector<Option>& options) {
    std::string text = manual.summary + "\n\nusage: paddock " + usage_of(manual) + " [options]\n";
    if (!manual.description.empty()) text += "\n" + wrapped(manual.description, kWidth);
    text += "\nOptions:\n";
    for (const Option& option : options) text += option_lines(option);
    text += "\nExamples:\n";
    for (const std::string& example : manual.examples) text += "  " + example + "\n";
    const std::string codes =
        manual.exits.empty()
            ? "0 done, 1 " + manual.no + ", 2 wrong usage, or the call could not be made."
            : manual.exits;
    return text + "\n" + wrapped("Exit code: " + codes, kWidth);
}

}  // namespace paddock::cli
