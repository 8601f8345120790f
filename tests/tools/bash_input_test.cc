// Commands that are talked to: what bash_input sends, to a pipe or a terminal.
#include <chrono>

#include <paddock/limits.h>

#include "json/write.h"
#include "tools/bash_desk.h"

namespace paddock::testing {
namespace {

class BashInput : public BashDesk {
protected:
    std::string start(std::string_view command, bool terminal = false) {
        return id_in(
            ok("bash",
               {{"command", command}, {"run_in_background", !terminal}, {"terminal", terminal}}));
    }
    void send(const std::string& id, std::string_view text) {
        (void)ok("bash_input", {{"id", id}, {"text", text}});
    }
    void press(const std::string& id, std::string_view key) {
        (void)ok("bash_input", {{"id", id}, {"keys", json::Array{key}}});
    }
    // What bash_output gives, until it holds `part` or the command has ended.
    std::string heard(const std::string& id, std::string_view part) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(3);
        std::string text;
        do {
            text = ok("bash_output", {{"id", id}, {"offset", 0}});
            if (holds(text, part) || !holds(text, "[running")) return text;
            std::this_thread::yield();
        } while (std::chrono::steady_clock::now() < deadline);
        ADD_FAILURE() << "never '" << part << "', at last: " << text;
        return text;
    }
};

TEST_F(BashInput, goes_to_the_standard_input_of_a_command) {
    const std::string id = start("while read line; do echo got $line; done; echo end");
    send(id, "one\ntwo\n");
    EXPECT_TRUE(heard(id, "two").starts_with("got one\ngot two\n"));
    (void)ok("bash_input", {{"id", id}, {"text", "three"}, {"keys", json::Array{"enter"}}});
    EXPECT_TRUE(holds(heard(id, "three"), "got three\n"));
    (void)ok("bash_input", {{"id", id}, {"eof", true}});
    EXPECT_TRUE(holds(heard(id, "end\n[exit"), "got three\nend\n[exit code 0 after "));
}

TEST_F(BashInput, may_be_opened_by_name) {
    const std::string id = start("head -n 1 /dev/stdin");
    send(id, "by name\n");
    EXPECT_TRUE(heard(id, "[exit").starts_with("by name\n[exit code 0"));
}

TEST_F(BashInput, interrupts_without_a_terminal_as_with_one) {
    for (const bool terminal : {false, true}) {
        const std::string id = start(
            "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.01; done", terminal);
        (void)heard(id, "ready\n");
        press(id, "ctrl-c");
        const std::string text = heard(id, "[exit");
        EXPECT_TRUE(holds(text, "caught\n")) << text;
        EXPECT_TRUE(holds(text, "[exit code 7 after ")) << text;
    }
}

TEST_F(BashInput, of_a_command_that_does_not_read_is_refused_when_it_is_full) {
    const std::string id = start("sleep 1000");
    const tools::Answer full =
        call("bash_input", {{"id", id}, {"text", std::string(1 << 20, 'x')}});
    EXPECT_EQ(full.error, Code::kLimitReached);
    EXPECT_TRUE(holds(full.text(), " of 1048576 bytes and reads no more: its input buffer is full"))
        << full.text();
    EXPECT_EQ(refused("bash_input", {{"id", id}, {"text", "x"}}), "limit_reached");
    EXPECT_TRUE(bash("echo others go on").starts_with("others go on\n"));
    const std::string screen = start("stty raw -echo; echo ready; sleep 1000", true);
    (void)heard(screen, "ready");
    EXPECT_EQ(refused("bash_input", {{"id", screen}, {"text", std::string(1 << 20, 'x')}}),
              "limit_reached");
}

TEST_F(BashInput, is_refused_where_nobody_can_read_it) {
    const std::string id = start("read x; echo got $x");
    send(id, "y\n");
    (void)heard(id, "[exit");
    EXPECT_EQ(refused("bash_input", {{"id", id}, {"text", "x"}}), "not_found");
    EXPECT_EQ(refused("bash_input", {{"id", "b999"}, {"text", "x"}}), "not_found");
    const std::string ended = start("cat; echo over; sleep 1000");
    press(ended, "ctrl-d");
    (void)heard(ended, "over\n");
    EXPECT_EQ(refused("bash_input", {{"id", ended}, {"text", "x"}}), "not_available");
    EXPECT_EQ(refused("bash_input", {{"id", ended}}), "invalid_argument");
    EXPECT_EQ(refused("bash_input", {{"id", ended}, {"keys", json::Array{"any"}}}),
              "invalid_argument");
}

// An id is one of the session: the same one elsewhere is another command, or none.
ATTACK_F(BashInput, WD_10, never_gets_to_a_command_of_another_session) {
    const std::string id = start("read x; echo got $x");
    const ScratchDir elsewhere;
    WorkspaceOptions others = options;
    others.root = elsewhere.path();
    const Workspace other = Workspace::open(others).value();
    const auto call_other = [&](std::string_view tool, const json::Object& arguments) {
        return tools::call(other, tool, json::to_text(arguments));
    };
    const json::Object evil{{"id", id}, {"text", "evil\n"}};
    EXPECT_EQ(call_other("bash_input", evil).error, Code::kNotFound);
    (void)call_other("bash", {{"command", "true"}});
    const tools::Answer own =
        call_other("bash", {{"command", "read x; echo own $x"}, {"run_in_background", true}});
    ASSERT_EQ(id_in(own.text()), id) << "the same id in both sessions";
    EXPECT_FALSE(call_other("bash_input", evil).error);
    std::string text;
    while (!holds(text, "own evil")) {
        text = call_other("bash_output", {{"id", id}, {"offset", 0}}).text();
    }
    EXPECT_FALSE(holds(ok("bash_output", {{"id", id}, {"offset", 0}}), "evil"));
    send(id, "mine\n");
    EXPECT_TRUE(heard(id, "[exit").starts_with("got mine\n"));
}

TEST_F(BashInput, is_not_there_in_a_read_only_workspace) {
    reopen();
    options.read_only = true;
    EXPECT_EQ(refused("bash_input", {{"id", "b1"}, {"text", "x"}}), "not_available");
}

TEST_F(BashInput, a_terminal_is_one) {
    const std::string text =
        heard(start("tty -s && stty size && echo $TERM && test -t 2 && echo yes", true), "[exit");
    EXPECT_TRUE(text.starts_with("40 120\nxterm\nyes\n[exit code 0 after ")) << text;
    // Without one nothing has changed.
    EXPECT_TRUE(heard(start("tty -s || echo none $TERM"), "[exit").starts_with("none dumb\n"));
}

TEST_F(BashInput, talks_to_an_interactive_shell) {
    const std::string id = start("PS1='ready> ' bash --norc --noprofile -i", true);
    (void)heard(id, "ready> ");
    send(id, "echo $((6 * 7))\n");
    EXPECT_TRUE(holds(heard(id, "42\nready> "), "ready> echo $((6 * 7))\n42\n"));
    // The last line again, by its history: at a prompt, where keys are read one by one.
    press(id, "up");
    press(id, "enter");
    EXPECT_TRUE(holds(heard(id, "42\nready> echo $((6 * 7))\n42\nready> "), "42\nready> "));
    press(id, "ctrl-d");
    EXPECT_TRUE(holds(heard(id, "[exit"), "[exit code 0 after ")) << heard(id, "[exit");
}

TEST_F(BashInput, talks_to_python) {
    if (!holds(bash("command -v python3 || echo none"), "/python3")) GTEST_SKIP() << "no python3";
    const std::string id = start("PYTHON_BASIC_REPL=1 python3 -q", true);
    (void)heard(id, ">>> ");
    send(id, "import os; print(os.isatty(0), 6 * 7)\n");
    EXPECT_TRUE(holds(heard(id, "True 42\n>>> "), "True 42\n>>> "));
    // Not at a prompt, where readline may be about to wait and miss the signal.
    send(id, "import time; print('loop'), time.sleep(1000)\n");
    (void)heard(id, "\nloop\n");
    press(id, "ctrl-c");
    (void)heard(id, "KeyboardInterrupt\n>>> ");
    send(id, "print('still', 'here')\n");
    (void)heard(id, "still here\n>>> ");
    (void)ok("bash_input", {{"id", id}, {"eof", true}});
    // Python ends as its interruption would have ended it, here as outside.
    EXPECT_FALSE(holds(heard(id, "[exit"), "[running"));
}

TEST_F(BashInput, an_editor_is_used_by_keys) {
    if (!holds(bash("command -v vi || echo none"), "/vi")) GTEST_SKIP() << "no vi";
    bash("echo 'first line' > file");
    const std::string id = start("vi -u NONE -N file; echo after", true);
    (void)heard(id, "first line");
    send(id, "osecond line");
    (void)heard(id, "second line");
    press(id, "escape");
    send(id, ":wq\n");
    EXPECT_TRUE(holds(heard(id, "[exit"), "after\n[exit code 0 after "));
    EXPECT_EQ(os_read(ws("file")), "first line\nsecond line\n");
}

TEST_F(BashInput, a_program_that_has_the_whole_screen_is_seen_as_it_paints) {
    if (!holds(bash("command -v less || echo none"), "/less")) GTEST_SKIP() << "no less";
    bash("seq 1000 > numbers");
    const std::string id = start("echo before; LESS= less numbers; echo after", true);
    EXPECT_TRUE(heard(id, "numbers").starts_with("1\n2\n3\n"));
    press(id, "page-down");
    EXPECT_TRUE(heard(id, "\n78").starts_with("40\n41\n"));
    send(id, "q");
    EXPECT_TRUE(heard(id, "[exit").starts_with("before\nafter\n[exit code 0 after "));
}

}  // namespace
}  // namespace paddock::testing
