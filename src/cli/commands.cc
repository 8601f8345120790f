// The table of all commands, and what is made of it.
#include <algorithm>

#include "base/display.h"
#include "cli/clean_command.h"
#include "cli/completion.h"
#include "cli/config_command.h"
#include "cli/diff_command.h"
#include "cli/host_commands.h"
#include "cli/log_command.h"
#include "cli/man_page.h"
#include "cli/mcp.h"
#include "cli/parser.h"
#include "cli/registration.h"
#include "cli/run_command.h"
#include "cli/serve.h"
#include "cli/tool_commands.h"
#include "cli/undo_command.h"

namespace paddock::cli {
namespace {

class CompletionParser final : public CommandParser {
public:
    void declare(Parser&) override {}

    Request finish(Parser& parser) override {
        const std::string& shell = parser.operands().front();
        if (shell == "bash") return ExitMessage{0, bash_completion(commands())};
        if (shell == "zsh") return ExitMessage{0, zsh_completion(commands())};
        if (shell == "fish") return ExitMessage{0, fish_completion(commands())};
        return complaint("no completion for '" + displayable(shell) + "'" +
                             meant(shell, {"bash", "zsh", "fish"}),
                         "completion");
    }
};

class ManParser final : public CommandParser {
public:
    void declare(Parser&) override {}
    Request finish(Parser&) override { return ExitMessage{0, man_page(commands())}; }
};

std::vector<Command> shell_commands() {
    const Manual completion{
        .name = "completion",
        .summary = "Print the completions for a shell.",
        .operands = {{.name = "SHELL", .choices = {"bash", "zsh", "fish"}}},
        .examples = {"source <(paddock completion bash)",
                     "paddock completion fish > ~/.config/fish/completions/paddock.fish",
                     "paddock completion zsh > ~/.zfunc/_paddock"}};
    const Manual man{
        .name = "man", .summary = "Print the manual page.", .examples = {"paddock man | man -l -"}};
    return {{completion, [] { return std::make_unique<CompletionParser>(); }},
            {man, [] { return std::make_unique<ManParser>(); }}};
}

}  // namespace

namespace {

const std::vector<Command>& commands_without_tools() {
    static const std::vector<Command> all = [] {
        std::vector<Command> made;
        made.push_back(run_command());
        made.push_back(mcp_command());
        made.push_back(serve_command());
        made.push_back(log_command());
        made.push_back(diff_command());
        for (auto& command : undo_commands()) made.push_back(std::move(command));
        made.push_back(clean_command());
        for (auto& more :
             {host_commands(), config_commands(), registration_commands(), shell_commands()}) {
            made.insert(made.end(), more.begin(), more.end());
        }
        return made;
    }();
    return all;
}

}  // namespace

const std::vector<Command>& commands() {
    static const std::vector<Command> all = [] {
        std::vector<Command> made = tool_commands();
        const auto& others = commands_without_tools();
        made.insert(made.end(), others.begin(), others.end());
        return made;
    }();
    return all;
}

// The commands of tools last: making them takes longer than all others, and `run` waits for it.
const Command* find_command(const std::string& name) {
    for (const auto table : {&commands_without_tools, &commands}) {
        for (const Command& command : (*table)()) {
            if (command.manual.name == name) return &command;
        }
    }
    return nullptr;
}

std::vector<Option> options_of(const Command& command) {
    const auto form = command.form();
    Parser parser(command.manual);
    form->declare(parser);
    return parser.options();
}

Request parse(const Command& command, const Words& words) {
    const auto form = command.form();
    Parser parser(command.manual);
    form->declare(parser);
    if (auto ending = parser.parse(words)) return *ending;
    return form->finish(parser);
}

std::string overview() {
    std::size_t width = 0;
    for (const Command& command : commands()) width = std::max(width, command.manual.name.size());
    std::string text =
        "paddock: a directory for an agent to work in, and nothing else.\n\n"
        "usage: paddock COMMAND [options]\n\nCommands:\n";
    for (const Command& command : commands()) {
        const std::string& name = command.manual.name;
        text +=
            "  " + name + std::string(width - name.size() + 2, ' ') + command.manual.summary + "\n";
    }
    return text +
           "\n"
           "'paddock COMMAND --help' shows more. 'paddock --version' prints the version.\n\n"
           "Examples:\n"
           "  paddock doctor\n"
           "  paddock prove\n"
           "  paddock grep --root ~/project main\n\n"
           "Exit code: 0 done, 1 refused, failed or nothing found, 2 wrong usage, or the\n"
           "call could not be made.\n";
}

}  // namespace paddock::cli
