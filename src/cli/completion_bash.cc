#include "cli/completion.h"

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

}  // namespace paddock::cli
