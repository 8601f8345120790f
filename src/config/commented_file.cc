#include <paddock/config.h>

#include "config/setting.h"
#include "config/words.h"

namespace paddock::config {
namespace {

constexpr std::size_t kWidth = 96;

std::string comment(const std::string& text) {
    std::string lines;
    std::string line = "#";
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.size() + 1 + word.size() > kWidth) {
            lines += line + "\n";
            line = "#";
        }
        line += " " + word;
    }
    return lines + line + "\n";
}

std::string table_of(const Setting& setting) {
    return setting.key.substr(0, setting.key.rfind('.'));
}

std::string explained(const Setting& setting) {
    std::string text = setting.help + ".";
    if (setting.kind == Kind::kChoice) {
        text += " One of";
        for (const std::string& word : setting.choices) {
            text += (&word == &setting.choices.front() ? " " : ", ") + word;
        }
        text += ".";
    }
    if (setting.weakens) text += " Any other value weakens the boundary.";
    return comment(text);
}

}  // namespace

std::string commented_file() {
    std::string text =
        comment(
            "The configuration of paddock. Every setting is here with its default or, where "
            "there is none, an example; remove the '#' before a line to change it.") +
        comment(
            "'paddock config show' says what is in force and where it comes from, 'paddock "
            "config check' what is wrong.");
    std::string table;
    for (const Setting& setting : all_settings()) {
        if (table_of(setting) != table) {
            table = table_of(setting);
            text += "\n#[" + table + "]\n";
        }
        const std::string name = setting.key.substr(setting.key.rfind('.') + 1);
        const std::string value =
            setting.example.empty() ? to_toml(setting, setting.usual()) : setting.example;
        text += explained(setting);
        text.append("#").append(name).append(" = ").append(value).append("\n");
    }
    return text;
}

}  // namespace paddock::config
