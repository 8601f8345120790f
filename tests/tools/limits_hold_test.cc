// Commands that take all they can get, and what they leave running: each ends with its limit named,
// and neither the other tools nor another session notice.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include <paddock/limits.h>
#include <paddock/tools.h>

#include "json/write.h"
#include "sandbox/child.h"
#include "tools/bash_desk.h"

namespace paddock::testing {
namespace {

struct Glutton {
    const char* name;
    const char* command;
    const char* limit;  // that has to be named
};

class LimitedDesk : public Desk {
protected:
    void SetUp() override {
        options.shell.emplace();
        options.shell->limits.processes = 60;
        options.shell->limits.memory_bytes = std::uint64_t{256} << 20;
        options.limits.calls_per_second.reset();
        options.limits.bytes_on_disk = std::uint64_t{8} << 20;
        tree({"ROOT/notes=a needle"});
        const tools::Answer answer = call("bash", {{"command", "true"}});
        if (answer.error == Code::kSandboxUnavailable) GTEST_SKIP() << answer.text();
        ASSERT_FALSE(answer.error) << answer.text();
        WorkspaceOptions plain;
        plain.root = elsewhere_.path();
        plain.shell.emplace();
        plain.limits.calls_per_second.reset();
        auto other = Workspace::open(std::move(plain));
        ASSERT_TRUE(other.has_value()) << other.error().message();
        other_.emplace(std::move(*other));
    }

    // `begun`: called once, when it has printed something.
    static std::string run(Workspace& workspace, const std::string& command,
                           const std::function<void()>& begun = {}) {
        const json::Object arguments{{"command", command}, {"timeout_ms", 600'000}};
        bool is_first = true;
        tools::CallOptions watched;
        watched.progress = [&](std::string_view) {
            if (std::exchange(is_first, false) && begun) begun();
        };
        return tools::call(workspace, "bash", json::to_text(arguments), watched).text();
    }

    void expect_that_nobody_notices() {
        EXPECT_TRUE(holds(ok("read_file", {{"path", "notes"}}), "a needle"));
        EXPECT_TRUE(holds(ok("grep", {{"pattern", "need.e"}, {"path", "."}}), "notes"));
        EXPECT_TRUE(holds(ok("list_directory", {{"path", "."}}), "notes"));
        const std::string text = run(*other_, "echo one | tr o O; echo > $$; rm $$");
        EXPECT_TRUE(text.starts_with("One\n[exit code 0 after ")) << text;
    }

    // Ends at once and leaves one that waits for the word, with an end of "gone" for all it starts.
    static std::string left_running(const std::string& command) {
        return "mkfifo go gone; (exec 9<> gone; read x < go; " + command + ") > /dev/null 2>&1 &";
    }
    void give_the_word() { os_write(ws("go"), "\n"); }

private:
    const ScratchDir elsewhere_;
    std::optional<Workspace> other_;
};

class LimitsHold : public LimitedDesk, public ::testing::WithParamInterface<Glutton> {
protected:
    static std::string limit() { return std::string("(limit: ") + GetParam().limit; }
};

TEST_P(LimitsHold, and_nobody_else_notices) {
    std::atomic<bool> over = false;
    std::string said;
    // While it is called nobody reads what the command prints or asks for its limits.
    std::thread glutton([&] {
        said = run(workspace(), std::string("echo begun; ") + GetParam().command,
                   [&] { expect_that_nobody_notices(); });
        over = true;
    });
    while (!over && !HasFailure()) expect_that_nobody_notices();
    glutton.join();
    EXPECT_TRUE(holds(said, limit() + ")"))
        << said.substr(0, 400) << " ... " << said.substr(said.size() < 400 ? 0 : said.size() - 400);
    // The session itself goes on as well.
    const std::string text = run(workspace(), "rm -f f*; echo next");
    EXPECT_TRUE(text.starts_with("next\n[exit code 0 after ")) << text;
}

INSTANTIATE_TEST_SUITE_P(
    of, LimitsHold,
    ::testing::Values(
        Glutton{"forks", "bomb() { bomb | bomb & }; bomb; sleep 1000", "processes"},
        Glutton{"sleepers", "for i in $(seq 200); do sleep 1000 & done; wait", "processes"},
        Glutton{"memory", "head -c 2G /dev/zero | tail -c 1G", "memory"},
        Glutton{"output", "head -c 10G /dev/zero", "output"}, Glutton{"yes", "yes", "output"},
        Glutton{"errors", "yes >&2", "output"},
        Glutton{"disk", "for ((i = 0;; ++i)); do head -c 900000 /dev/zero > f$((i % 200)); done",
                "disk"}),
    [](const auto& glutton) { return std::string(glutton.param.name); });

// What is left when its command has ended.
class LeftLimitsHold : public LimitsHold {
protected:
    static bool is_told(const std::string& text) {
        return holds(text, limit() + ", operator setting: ");
    }
};

TEST_P(LeftLimitsHold, while_no_command_runs) {
    const std::string left = run(workspace(), left_running(GetParam().command));
    ASSERT_TRUE(left.starts_with("[exit code 0 after ")) << left;
    EXPECT_FALSE(is_told(left)) << left;
    give_the_word();
    std::string told;
    while (!is_told(told)) told = ok("bash_output", {{"id", "b2"}});
    EXPECT_TRUE(holds(told, "\n[What earlier commands had left running was ended: ")) << told;
    EXPECT_FALSE(is_told(ok("bash_output", {{"id", "b2"}}))) << "told once";
    const std::string text = run(workspace(), "rm -f f*; echo next");
    EXPECT_TRUE(text.starts_with("next\n[exit code 0 after ")) << text;
}

TEST_P(LeftLimitsHold, and_no_innocent_command_is_blamed) {
    run(workspace(), left_running(GetParam().command));
    // It ends when nobody has the other end any more.
    std::string told = run(workspace(), "exec 8< gone; echo waiting; read x <&8; echo survived",
                           [&] { give_the_word(); });
    EXPECT_TRUE(told.starts_with("waiting\nsurvived\n[exit code 0 after ")) << told;
    while (!is_told(told) && !HasFailure()) told = run(workspace(), "true");
}

INSTANTIATE_TEST_SUITE_P(
    of, LeftLimitsHold,
    ::testing::Values(
        Glutton{"forks", "bomb() { bomb | bomb & }; bomb", "processes"},
        Glutton{"sleepers", "for i in $(seq 200); do sleep 1000 & done; wait", "processes"},
        Glutton{"disk", "for ((i = 0;; ++i)); do head -c 900000 /dev/zero > f$((i % 200)); done",
                "disk"}),
    [](const auto& glutton) { return std::string(glutton.param.name); });

TEST_F(LimitedDesk, what_was_left_prints_no_more_than_is_kept) {
    const std::string left = run(workspace(), "mkfifo go; (read x < go; exec yes) &");
    EXPECT_TRUE(left.starts_with("[exit code 0 after ")) << left;
    give_the_word();
    std::string told;
    while (!holds(told, "(limit: output, operator setting: none)")) {
        told = ok("bash_output", {{"id", "b2"}, {"offset", limits::kCommandOutputBytesMax}});
    }
    EXPECT_TRUE(holds(told, "left running is no longer heard: it printed more")) << told;
    const std::string text = run(workspace(), "while pgrep -x yes > seen; do :; done; echo over");
    EXPECT_TRUE(text.starts_with("over\n")) << text;
}

TEST_F(LimitedDesk, what_was_left_is_not_blamed_for_a_command) {
    run(workspace(), left_running("echo still here > answer"));
    const std::string bomb = run(workspace(), "for i in $(seq 200); do sleep 1000 & done; wait");
    EXPECT_TRUE(holds(bomb, "[limit_reached: ended after ")) << bomb;
    EXPECT_FALSE(holds(bomb, "left running")) << bomb;
    const std::string text = run(workspace(), "exec 8< gone; echo > go; read x <&8; cat answer");
    EXPECT_TRUE(text.starts_with("still here\n")) << text;
}

// A disk of its own, which has a little more than the reserve.
TEST_F(LimitedDesk, the_reserve_of_the_disk_is_kept) {
    if (!is_root()) GTEST_SKIP() << "whoever mounts it here leaves no user for commands";
    options.limits.bytes_on_disk.reset();
    reopen();
    in_child([&] {
        std::string why;
        ASSERT_TRUE(enter_private_mounts(why)) << why;
        const std::string size = std::to_string(limits::kDiskReserveBytes + (4 << 20));
        ASSERT_EQ(::mount("none", ws().c_str(), "tmpfs", 0, ("mode=0777,size=" + size).c_str()), 0);
        const std::string filler = run(workspace(), "head -c 8M /dev/zero > f; sleep 1000");
        EXPECT_TRUE(filler.starts_with("[limit_reached: ended after ")) << filler;
        EXPECT_TRUE(holds(filler, "it left less than 256 MB of the workspace's disk (limit: disk)"))
            << filler;
        const std::string text = run(workspace(), "rm f; echo freed");
        EXPECT_TRUE(text.starts_with("freed\n[exit code 0 after ")) << text;
        reopen();
    });
}

}  // namespace
}  // namespace paddock::testing
