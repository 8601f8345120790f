#include "cli/completion.h"

#include <set>

namespace paddock::cli {
namespace {

constexpr char kBashHead[] =
    R"(# Completions of paddock for bash, printed by `paddock completion bash`.

# Offers words: _paddock_words WORD...
_paddock_words() {
    local IFS=' '
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word")
}

# Offers names: _paddock_names -f|-d DIRECTORY; those below the directory, relative to it.
_paddock_names() {
    local name
    compopt -o filenames 2>/dev/null
    COMPREPLY=()
    while IFS= read -r name; do
        if [[ -d $2/$name ]]; then
            name+=/
            compopt -o nospace 2>/dev/null
        fi
        COMPREPLY+=("$name")
    done < <(cd -- "$2" 2>/dev/null && compgen "$1" -- "$word")
}

_paddock() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local command=${COMP_WORDS[1]} options= valued= root=. operands=0 only_operands= name i
    COMPREPLY=()
    # "--root=x" comes as three words.
    if [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    elif [[ $word == = ]]; then
        word=
    fi
)";

constexpr char kCount[] = R"(    for ((i = 2; i < COMP_CWORD; ++i)); do
        if [[ -n $only_operands || ${COMP_WORDS[i]} != -* ]]; then
            ((++operands))
        elif [[ ${COMP_WORDS[i]} == -- ]]; then
            only_operands=yes
        elif [[ $valued == *" ${COMP_WORDS[i]} "* ]]; then
            name=${COMP_WORDS[i]}
            [[ ${COMP_WORDS[i+1]} == = ]] && ((++i))
            ((++i))
            [[ $name == --root ]] && root=${COMP_WORDS[i]}
        fi
    done
    root=${root/#\~/$HOME}
    root=${root//\\/}
    if [[ -z $only_operands && $word == -* ]]; then
        _paddock_words $options
        return
    fi
)";

// What to do for a word, or nothing.
std::string bash_offer(Offers offers, const Words& choices) {
    if (!choices.empty()) return "_paddock_words " + spaced(choices);
    switch (offers) {
        case Offers::kPath: return "_paddock_names -f \"$root\"";
        case Offers::kDirectory: return "_paddock_names -d \"$root\"";
        case Offers::kHostFile: return "_paddock_names -f .";
        case Offers::kHostDirectory: return "_paddock_names -d .";
        case Offers::kNothing: break;
    }
    return ":";
}

std::string options_case(const std::vector<Command>& commands) {
    std::string text = "    case $command in\n";
    for (const Command& command : commands) {
        std::string all;
        std::string valued;
        for (const Option& option : options_of(command)) {
            all += (all.empty() ? "" : " ") + spaced(option.names);
            if (!option.unit.empty()) valued += spaced(option.names) + " ";
        }
        text += "        " + command.manual.name;
        text += ") options='" + all;
        text += "' valued=' " + valued;
        text += "' ;;\n";
    }
    return text + "    esac\n";
}

std::string values_case(const std::vector<Command>& commands) {
    std::string text = "    case \"$command $before\" in\n";
    for (const Command& command : commands) {
        for (const Option& option : options_of(command)) {
            if (option.unit.empty()) continue;
            std::string patterns;
            for (const std::string& name : option.names) {
                patterns +=
                    (patterns.empty() ? "'" : "|'") + command.manual.name + " " + name + "'";
            }
            text += "        " + patterns + ") " + bash_offer(option.offers, option.choices) +
                    "; return ;;\n";
        }
    }
    return text + "    esac\n";
}

std::string operands_case(const std::vector<Command>& commands) {
    std::string text = "    case \"$command $operands\" in\n";
    for (const Command& command : commands) {
        const auto& operands = command.manual.operands;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const std::string place = operands[i].many ? "'*" : std::to_string(i) + "'";
            text += "        '" + command.manual.name + " " + place + ") " +
                    bash_offer(operands[i].offers, operands[i].choices) + " ;;\n";
        }
    }
    return text + "    esac\n";
}

}  // namespace

std::string spaced(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string bash_completion(const std::vector<Command>& commands) {
    Words names;
    for (const Command& command : commands) names.push_back(command.manual.name);
    const std::string all = spaced(names);
    return std::string(kBashHead) + "    if ((COMP_CWORD == 1)); then\n        _paddock_words " +
           all + " help --help --version\n        return\n    fi\n" +
           "    if [[ $command == help ]]; then\n        _paddock_words " + all +
           "\n        return\n    fi\n" + options_case(commands) + kCount + values_case(commands) +
           operands_case(commands) + "}\n\ncomplete -F _paddock paddock\n";
}

namespace {

constexpr char kFishHead[] =
    R"(# Completions of paddock for fish, printed by `paddock completion fish`.

# True behind the command that is named first.
function __paddock_in
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"
end

# True where so many operands of the command are already there: COMMAND LEAST MOST.
function __paddock_at
    __paddock_in $argv[1]; or return 1
    set -l words (commandline -opc)[3..]
    set -l operands 0
    while set -q words[1]
        if contains -- $words[1] $__paddock_valued
            set -e words[1]
        else if not string match -q -- '-*' $words[1]
            set operands (math $operands + 1)
        end
        set -e words[1]
    end
    test $operands -ge $argv[2]; and test $operands -le $argv[3]
end

# Names below the workspace, relative to it; only directories with -d.
function __paddock_names
    set -l root .
    set -l words (commandline -opc)
    for i in (seq (count $words))
        if test "$words[$i]" = --root; and set -q words[(math $i + 1)]
            set root $words[(math $i + 1)]
        else if string match -q -- '--root=*' $words[$i]
            set root (string replace -- --root= '' $words[$i])
        end
    end
    set root (string replace -r '^~' $HOME -- $root)
    set -l word (commandline -ct)
    for name in $root/$word*
        if test -d $name
            string replace -- $root/ '' $name/
        else if test "$argv[1]" != -d
            string replace -- $root/ '' $name
        end
    end
end

complete -c paddock -f
complete -c paddock -n __fish_is_first_token -l help -d 'Show this help'
complete -c paddock -n __fish_is_first_token -l version -d 'Print the version'
)";

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

// The arguments of `complete` that offer values; empty: none are known.
std::string fish_offer(Offers offers, const Words& choices) {
    if (!choices.empty()) return " -a " + quoted(spaced(choices));
    switch (offers) {
        case Offers::kPath: return " -a '(__paddock_names)'";
        case Offers::kDirectory: return " -a '(__paddock_names -d)'";
        case Offers::kHostFile: return " -F";
        case Offers::kHostDirectory: return " -a '(__fish_complete_directories)'";
        case Offers::kNothing: break;
    }
    return {};
}

std::string option_line(const std::string& command, const Option& option) {
    std::string line = "complete -c paddock -n '__paddock_in " + command + "'";
    for (const std::string& name : option.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    // "-x" would forbid the files that "-F" offers.
    const bool takes_file = option.offers == Offers::kHostFile && option.choices.empty();
    if (!option.unit.empty()) {
        line += (takes_file ? " -r" : " -x") + fish_offer(option.offers, option.choices);
    }
    return line + " -d " + quoted(option.help) + "\n";
}

std::string operand_lines(const Manual& manual) {
    std::string lines;
    for (std::size_t i = 0; i < manual.operands.size(); ++i) {
        const Operand& operand = manual.operands[i];
        const std::string offered = fish_offer(operand.offers, operand.choices);
        if (offered.empty()) continue;
        lines += "complete -c paddock -n '__paddock_at " + manual.name + " " + std::to_string(i) +
                 " " + (operand.many ? "999" : std::to_string(i)) + "'" + offered + "\n";
    }
    return lines;
}

}  // namespace

std::string fish_completion(const std::vector<Command>& commands) {
    std::string lines;
    std::set<std::string> valued;
    Words names;
    for (const Command& command : commands) {
        const Manual& manual = command.manual;
        names.push_back(manual.name);
        lines += "\ncomplete -c paddock -n __fish_is_first_token -a " + manual.name + " -d " +
                 quoted(manual.summary) + "\n";
        for (const Option& option : options_of(command)) {
            lines += option_line(manual.name, option);
            if (!option.unit.empty()) valued.insert(option.names.begin(), option.names.end());
        }
        lines += operand_lines(manual);
    }
    return std::string(kFishHead) + "set -g __paddock_valued " +
           spaced(Words(valued.begin(), valued.end())) + "\n" +
           "complete -c paddock -n __fish_is_first_token -a help -d 'Show help for a command'\n" +
           "complete -c paddock -n '__paddock_at help 0 0' -a " + quoted(spaced(names)) + "\n" +
           lines;
}

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
           "        'help:Show help for a command.'\n"
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
