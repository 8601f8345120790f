#include <set>

#include "cli/completion.h"

namespace paddock::cli {
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
           "complete -c paddock -n __fish_is_first_token -a help -d 'Tell more of a command'\n" +
           "complete -c paddock -n '__paddock_at help 0 0' -a " + quoted(spaced(names)) + "\n" +
           lines;
}

}  // namespace paddock::cli
