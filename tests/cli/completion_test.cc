// The completions in the shells themselves, and the manual page through its checkers.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/parser.h"
#include "cli/run.h"
#include "testing/jail.h"
#include "testing/shell.h"

namespace paddock::testing {
namespace {

using Offered = std::vector<std::string>;

std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const cli::Command& command : cli::commands()) names.push_back(command.manual.name);
    return names;
}

class Completion : public Jail {
protected:
    Completion() {
        tree({"ROOT/README.md=x", "ROOT/src/main.c=x", "ROOT/src/a b=x", "OUT/other/name=x"});
    }

    // Runs a script with arguments in the workspace; its output, line by line, sorted.
    Offered output_of(const std::string& shell, const std::string& script,
                      const std::vector<std::string>& arguments) const {
        os_write(out("script"), script);
        std::string command = shell + " " + out("script");
        for (const std::string& argument : arguments) command += " \"" + argument + "\"";
        EXPECT_EQ(run_shell(ws(), command + " >" + out("offered") + " 2>" + out("errors")), 0)
            << os_read(out("errors")).value_or("");
        EXPECT_EQ(os_read(out("errors")).value_or("?"), "") << command;
        std::istringstream lines(os_read(out("offered")).value_or(""));
        Offered offered;
        for (std::string line; std::getline(lines, line);) offered.push_back(line);
        std::sort(offered.begin(), offered.end());
        return offered;
    }

    void print_completion(const std::string& shell, const std::string& file) const {
        const Ran ran = paddock({"completion", shell});
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
        os_write(out(file), ran.out);
    }

    // The words of a line, the last of which is being typed.
    Offered in_bash(const std::vector<std::string>& words) const {
        return output_of("bash --norc",
                         "source " + out("bash") +
                             "\nCOMP_WORDS=(\"$@\")\nCOMP_CWORD=$(($# - 1))\n_paddock\n"
                             "for one in \"${COMPREPLY[@]}\"; do echo \"$one\"; done\n",
                         words);
    }

    Offered in_fish(const std::string& line) const {
        Offered offered = output_of("fish --no-config",
                                    "source " + out("fish") +
                                        "\nfor one in (complete -C $argv[1])\n"
                                        "    string replace -r \"\\t.*\" \"\" -- $one\nend\ntrue\n",
                                    {line});
        return offered;
    }

    // Types the line and a tab into an interactive shell; what is offered is caught on its way.
    Offered in_zsh(const std::string& line) const {
        const std::string script = R"(emulate -R zsh
zmodload zsh/zpty || exit 1
scratch=$1 line=$2
: >$scratch/found
cat >$scratch/setup <<END
cd $PWD
fpath=($scratch \$fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a found
    case " \$* " in
        (*' -O '*|*' -A '*|*' -D '*) ;;
        (*) builtin compadd -A found "\$@"
            (( \$#found )) && print -rl -- \$found >>$scratch/found ;;
    esac
    builtin compadd "\$@"
}
over() { print -r -- comple"ted" }
comppostfuncs=(over)
bindkey '^I' complete-word
print -r -- rea"dy"
END
zpty shell zsh -f -i
zpty -w shell "source $scratch/setup"
while zpty -r shell text; do [[ $text == *ready* ]] && break; done
zpty -w -n shell "$line"$'\t'
while zpty -r shell text; do [[ $text == *completed* ]] && break; done
zpty -d shell
sort -u $scratch/found
)";
        return output_of("zsh -f", script, {out(), line});
    }
};

TEST_F(Completion, bash_offers_commands_options_values_and_files) {
    if (!has_program("bash")) GTEST_SKIP() << "bash is not installed";
    print_completion("bash", "bash");
    Offered all = command_names();
    all.insert(all.end(), {"help", "--help", "--version"});
    std::sort(all.begin(), all.end());
    EXPECT_EQ(in_bash({"paddock", ""}), all);
    EXPECT_EQ(in_bash({"paddock", "gr"}), Offered{"grep"});
    EXPECT_EQ(in_bash({"paddock", "grep", "--co"}),
              (Offered{"--color", "--config", "--context", "--count"}));
    EXPECT_EQ(in_bash({"paddock", "grep", "--color", ""}), (Offered{"always", "auto", "never"}));
    EXPECT_EQ(in_bash({"paddock", "grep", "--color", "=", "a"}), (Offered{"always", "auto"}));
    EXPECT_EQ(in_bash({"paddock", "grep", "-t", "pyth"}), Offered{"python"});
    EXPECT_EQ(in_bash({"paddock", "cat", "R"}), Offered{"README.md"});
    EXPECT_EQ(in_bash({"paddock", "cat", "README.md", "s"}), Offered{"src/"});
    EXPECT_EQ(in_bash({"paddock", "cat", "src/a"}), Offered{"src/a b"});
    EXPECT_EQ(in_bash({"paddock", "cat", "--root", "src", "m"}), Offered{"main.c"});
    EXPECT_EQ(in_bash({"paddock", "cat", "--root", "=", "../OUT", "o"}),
              (Offered{"offered", "other/"}));
    EXPECT_EQ(in_bash({"paddock", "ls", "R"}), Offered{}) << "only directories";
    EXPECT_EQ(in_bash({"paddock", "grep", "s"}), Offered{}) << "a pattern is no file";
    EXPECT_EQ(in_bash({"paddock", "grep", "-C", "2", "x", "s"}), Offered{"src/"});
    EXPECT_EQ(in_bash({"paddock", "cat", "--", "-"}), Offered{}) << "no options behind --";
    EXPECT_EQ(in_bash({"paddock", "call", "move"}), Offered{"move_path"});
    EXPECT_EQ(in_bash({"paddock", "help", "doc"}), Offered{"doctor"});
    EXPECT_EQ(in_bash({"paddock", "doctor", "R"}), Offered{});
}

TEST_F(Completion, fish_offers_the_same) {
    if (!has_program("fish")) GTEST_SKIP() << "fish is not installed";
    print_completion("fish", "fish");
    Offered all = command_names();
    all.emplace_back("help");
    std::sort(all.begin(), all.end());
    EXPECT_EQ(in_fish("paddock "), all);
    EXPECT_EQ(in_fish("paddock grep --co"),
              (Offered{"--color", "--config", "--context", "--count"}));
    EXPECT_EQ(in_fish("paddock grep --color "), (Offered{"always", "auto", "never"}));
    EXPECT_EQ(in_fish("paddock cat README.md s"), Offered{"src/"});
    EXPECT_EQ(in_fish("paddock cat --root src m"), Offered{"main.c"});
    EXPECT_EQ(in_fish("paddock cat --root=src m"), Offered{"main.c"});
    EXPECT_EQ(in_fish("paddock ls R"), Offered{});
    EXPECT_EQ(in_fish("paddock grep s"), Offered{});
    EXPECT_EQ(in_fish("paddock grep -C 2 cat s"), Offered{"src/"}) << "cat is a pattern here";
    EXPECT_EQ(in_fish("paddock call move"), Offered{"move_path"});
}

TEST_F(Completion, zsh_offers_the_same) {
    if (!has_program("zsh")) GTEST_SKIP() << "zsh is not installed";
    print_completion("zsh", "_paddock");
    Offered all = command_names();
    all.emplace_back("help");
    std::sort(all.begin(), all.end());
    EXPECT_EQ(in_zsh("paddock "), all);
    EXPECT_EQ(in_zsh("paddock grep --co"),
              (Offered{"--color", "--config", "--context", "--count"}));
    EXPECT_EQ(in_zsh("paddock grep --color "), (Offered{"always", "auto", "never"}));
    EXPECT_EQ(in_zsh("paddock cat README.md s"), Offered{"src"});
    EXPECT_EQ(in_zsh("paddock cat --root=src m"), Offered{"main.c"});
    EXPECT_EQ(in_zsh("paddock ls R"), Offered{});
    EXPECT_EQ(in_zsh("paddock grep x s"), Offered{"src"});
    EXPECT_EQ(in_zsh("paddock call move"), Offered{"move_path"});
}

TEST_F(Completion, every_option_of_every_command_is_in_all_of_them) {
    const std::string page = paddock({"man"}).out;
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const std::string script = paddock({"completion", shell}).out;
        for (const cli::Command& command : cli::commands()) {
            EXPECT_NE(page.find(".SS \"paddock " + command.manual.name), std::string::npos);
            for (const cli::Option& option : cli::options_of(command)) {
                const std::string& name = option.names.back();
                const std::string spelled = shell == "fish" ? " -l " + name.substr(2) : name;
                EXPECT_NE(script.find(spelled), std::string::npos)
                    << shell << " " << command.manual.name << " " << name;
            }
        }
    }
}

TEST_F(Completion, the_manual_page_has_no_mistakes) {
    const Ran page = paddock({"man"});
    ASSERT_EQ(page.exit_code, 0);
    os_write(out("paddock.1"), page.out);
    if (has_program("mandoc")) {
        EXPECT_EQ(run_shell(out(), "mandoc -T lint -W warning paddock.1 >lint"), 0)
            << os_read(out("lint")).value_or("");
    }
    if (has_program("groff")) {
        EXPECT_EQ(run_shell(out(), "groff -man -Tutf8 -ww -z paddock.1 2>lint"), 0);
        EXPECT_EQ(os_read(out("lint")).value_or("?"), "");
    }
    if (!has_program("mandoc") && !has_program("groff")) GTEST_SKIP() << "no mandoc, no groff";
}

}  // namespace
}  // namespace paddock::testing
