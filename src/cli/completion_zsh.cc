#include "cli/completion.h"

namespace paddock::cli {
namespace {

constexpr char kZshHead[] = R"(#compdef paddock
# Completions of paddock for zsh, printed by `paddock completion zsh`.

# Names below the workspace, relative to it; only directories with -/.
_paddock_names() {
    local root=${(Q)opt_args[--root]}
    [[ $root == '~'* ]] && root=$HOME${root#'~'}
    _path_files -W "${${root:-.}:A}" "$@"
}

)";

// Inside single quotes, and inside a description where brackets and colons mean something.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += R"('\'')";
            continue;
        }
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_offer(Offers offers, const Words& choices) {
    if (!choices.empty()) {
        std::string text = "(";
        for (const std::string& choice : choices) text += (text.size() > 1 ? " " : "") + choice;
        return text + ")";
    }
    switch (offers) {
        case Offers::kPath: return "_paddock_names";
        case Offers::kDirectory: return "_paddock_names -/";
        case Offers::kHostFile: return "_files";
        case Offers::kHostDirectory: return "_directories";
        case Offers::kNothing: break;
    }
    return " ";
}

// '(-C --context)'{-C+,--context=}'[Lines shown]:N: '
std::string option_spec(const Option& option) {
    std::string all;
    std::string forms;
    for (const std::string& name : option.names) {
        all += (all.empty() ? "" : " ") + name;
        forms += forms.empty() ? "" : ",";
        forms += name;
        if (!option.unit.empty()) forms += name.starts_with("--") ? "=" : "+";
    }
    const std::string first =
        option.names.size() > 1 ? "'(" + all + ")'{" + forms + "}'" : "'" + forms;
    const std::string label = option.choices.empty() ? option.unit : option.names.back();
    const std::string value =
        option.unit.empty() ? ""
                            : ":" + escaped(label) + ":" + zsh_offer(option.offers, option.choices);
    return first + "[" + escaped(option.help) + "]" + value + "'";
}

std::string operand_spec(const Operand& operand) {
    const std::string place = operand.many ? "*" : operand.required ? "" : ":";
    return "'" + place + ":" + operand.name + ":" + zsh_offer(operand.offers, operand.choices) +
           "'";
}

std::string case_of(const Command& command) {
    std::string text = "        " + command.manual.name + ")\n            _arguments -s -S";
    for (const Option& option : options_of(command))
        text += " \\\n                " + option_spec(option);
    for (const Operand& operand : command.manual.operands) {
        text += " \\\n                " + operand_spec(operand);
    }
    return text + " ;;\n";
}

}  // namespace

std::string zsh_completion(const std::vector<Command>& commands) {
    std::string described;
    std::string names;
    std::string cases;
    for (const Command& command : commands) {
        const Manual& manual = command.manual;
        described += "        '" + manual.name + ":" + escaped(manual.summary) + "'\n";
        names += (names.empty() ? "" : " ") + manual.name;
        cases += case_of(command);
    }
    return std::string(kZshHead) +
           "_paddock() {\n"
           "    local curcontext=$curcontext state line\n"
           "    typeset -A opt_args\n"
           "    local -a commands=(\n" +
           described +
           "        'help:Tell more of a command.'\n"
           "    )\n"
           "    _arguments -C '(- *)'{-h,--help}'[Show this help]' '(- *)--version[Print the "
           "version]' \\\n"
           "        '1: :->command' '*:: :->words'\n"
           "    case $state in\n"
           "        command) _describe -t commands 'command' commands; return ;;\n"
           "        words) ;;\n"
           "        *) return ;;\n"
           "    esac\n"
           "    case $words[1] in\n"
           "        help) _arguments ':COMMAND:(" +
           names + ")' ;;\n" + cases +
           "    esac\n}\n\nif [[ $funcstack[1] == _paddock ]]; then\n    _paddock \"$@\"\nelse\n"
           "    compdef _paddock paddock\nfi\n";
}

}  // namespace paddock::cli
