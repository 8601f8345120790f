#include "cli/man_page.h"

#include <algorithm>

#include "cli/view.h"

namespace paddock::cli {
namespace {

// As text in which every byte stands for itself.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '\\': out += "\\e"; break;
            case '-': out += "\\-"; break;
            case '\'': out += "\\(aq"; break;
            case '`': out += "\\(ga"; break;
            case '^': out += "\\(ha"; break;
            case '~': out += "\\(ti"; break;
            default: out += c;
        }
    }
    return out.starts_with('.') ? "\\&" + out : out;
}

// Sentences begin on lines of their own: roff spaces them itself.
std::string sentences(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(". ", begin), text.size() - 1) + 1;
        const std::string sentence = wrapped(text.substr(begin, end - begin), 72);
        for (const std::string_view line : lines_of(sentence)) {
            out += roff(std::string(line)) + "\n";
        }
        begin = end + 1;
    }
    return out;
}

std::string option_entry(const Option& option) {
    std::string tag;
    for (const std::string& name : option.names) {
        tag += (tag.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    }
    if (!option.unit.empty()) tag += " \\fI" + roff(option.unit) + "\\fR";
    const std::string usual =
        option.default_value.empty() ? "" : " (default: " + option.default_value + ")";
    return ".TP\n" + tag + "\n" + sentences(option.help + usual + ".");
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }

// Of the two options that not every command has.
std::string who_has_them(const std::vector<Command>& commands) {
    std::string without;
    for (const Command& command : commands) {
        const auto options = options_of(command);
        const bool has = std::any_of(options.begin(), options.end(), [](const Option& option) {
            return option.names.back() == "--json";
        });
        if (!has) without += (without.empty() ? "" : ", ") + bold(command.manual.name);
    }
    return "Every command has " + bold("--help") + ".\n" + bold("--json") + " and " +
           bold("--color") + " exist for all commands except " + without + ".\n";
}

bool is_shared(const Option& option) {
    return option.names.back() == "--help" || option.names.back() == "--json" ||
           option.names.back() == "--color";
}

std::string command_section(const Command& command) {
    const Manual& manual = command.manual;
    std::string text =
        ".SS \"paddock " + roff(usage_of(manual)) + " [options]\"\n" + sentences(manual.summary);
    if (!manual.description.empty()) text += sentences(manual.description);
    for (const Option& option : options_of(command)) {
        if (!is_shared(option)) text += option_entry(option);
    }
    const std::string exits = manual.exits.empty() ? "Exit status 1 means that " + manual.no + "."
                                                   : "Exit status: " + manual.exits;
    text += ".PP\n" + roff(exits) + "\n.PP\n.nf\n";
    for (const std::string& example : manual.examples)
        text += ".RS 4\n" + roff(example) + "\n.RE\n";
    return text + ".fi\n";
}

}  // namespace

std::string man_page(const std::vector<Command>& commands) {
    std::string text =
        ".\\\" Printed by `paddock man`.\n"
        ".TH PADDOCK 1 2026-11-17 \"paddock " PADDOCK_VERSION
        "\" \"User Commands\"\n"
        ".SH NAME\n"
        "paddock \\- a directory for an agent to work in, and nothing else\n"
        ".SH SYNOPSIS\n"
        ".B paddock\n"
        ".I command\n"
        "[options]\n"
        ".SH DESCRIPTION\n"
        "paddock opens, writes, lists, moves and removes files beneath one directory, the\n"
        "workspace, so that no path, no link and no race leads out of it.\n"
        "Files that usually hold secrets are not opened, and secrets in the output are\n"
        "replaced.\n"
        "The commands are the tools that an agent gets, for people.\n"
        ".SH OPTIONS\n" +
        who_has_them(commands) +
        "Options and operands may be mixed.\n"
        "Everything after the command of \\fBrun\\fR belongs to that command.\n"
        "After \\fB\\-\\-\\fR there are no more options.\n";
    for (const Option& option : options_of(commands.front())) {
        if (is_shared(option)) text += option_entry(option);
    }
    text += ".TP\n\\fBpaddock \\-\\-version\\fR\nPrint the version.\n.SH COMMANDS\n";
    for (const Command& command : commands) text += command_section(command);
    return text +
           ".SH EXIT STATUS\n"
           ".TP\n"
           ".B 0\n"
           "Done.\n"
           ".TP\n"
           ".B 1\n"
           "Refused, failed, or nothing found.\n"
           "Standard error says why, or with \\fB\\-\\-json\\fR the document.\n"
           ".TP\n"
           ".B 2\n"
           "Wrong usage, or the call could not be made: unknown options, no such\n"
           "workspace, output that cannot be written.\n"
           ".SH ENVIRONMENT\n"
           ".TP\n"
           ".B NO_COLOR\n"
           "If not empty, no colours are used unless \\fB\\-\\-color\\fR asks for them.\n"
           ".TP\n"
           ".B PADDOCK_RESOLVER\n"
           "The default of \\fB\\-\\-resolver\\fR.\n"
           ".TP\n"
           ".B TMPDIR\n"
           "The default of the \\fB\\-\\-dir\\fR of \\fBprove\\fR.\n"
           ".SH SEE ALSO\n"
           ".BR rg (1),\n"
           ".BR landlock (7),\n"
           ".BR openat2 (2)\n";
}

}  // namespace paddock::cli
