#include "cli/arguments.h"

#include "base/display.h"
#include "cli/parser.h"

namespace paddock::cli {
namespace {

Words command_names() {
    Words names;
    for (const Command& command : commands()) names.push_back(command.manual.name);
    return names;
}

Request parse_help(const Words& topics) {
    if (topics.empty()) return ExitMessage{0, overview()};
    const std::string& topic = topics.front();
    if (const Command* command = find_command(topic)) return parse(*command, {"--help"});
    return complaint("there is no help for '" + displayable(topic) + "'" +
                     meant(topic, command_names()));
}

}  // namespace

Request parse_arguments(const std::vector<std::string>& words) {
    if (words.empty()) return ExitMessage{kUsageError, "no command given\n\n" + overview()};
    const std::string& first = words.front();
    const Words rest(words.begin() + 1, words.end());
    if (first == "--version" || first == "-V" || first == "version") {
        return ExitMessage{0, "paddock " PADDOCK_VERSION "\n"};
    }
    if (first == "--help" || first == "-h" || first == "help") return parse_help(rest);
    if (const Command* command = find_command(first)) return parse(*command, rest);
    Words names = command_names();
    names.insert(names.end(), {"--help", "--version"});
    const std::string near = meant(first, names);
    if (!first.starts_with('-')) {
        return complaint("unknown command '" + displayable(first) + "'" + near);
    }
    return complaint("unknown option '" + displayable(first) + "'" +
                     (near.empty() ? "; options follow the command" : near));
}

}  // namespace paddock::cli
