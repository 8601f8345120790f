// Commands that take all they can get, and what they leave running: each ends with its limit named,
// and neither the other tools nor another session notice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include <paddock/limits.h>
#include <paddock/tools.h>
#include <paddock/unique_fd.h>

#include "fault/budget.h"
#include "fault/faults.h"
#include "json/write.h"
#include "sandbox/child.h"
#include "tools/bash_desk.h"
#include "tools/limit_watch.h"

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
        // Commands are copies of a process that a sanitizer makes larger than that.
        options.shell->limits.memory_bytes = std::uint64_t{kSanitized ? 768U : 256U} << 20;
        options.limits.calls_per_second.reset();
        options.limits.bytes_on_disk = std::uint64_t{8} << 20;
        tree({"ROOT/notes=a needle"});
        os_write(ws("inmate"), os_read(PADDOCK_INMATE).value_or(""));
        ASSERT_EQ(::chmod(ws("inmate").c_str(), 0755), 0);
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

    // Calls until the answer holds `part`, or long enough.
    static std::string answer_with(std::string_view part,
                                   const std::function<std::string()>& call) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
        for (;;) {
            std::string text = call();
            if (holds(text, part) || HasFailure()) return text;
            if (std::chrono::steady_clock::now() > deadline) {
                ADD_FAILURE() << "never '" << part << "', at last: " << text;
                return text;
            }
        }
    }
    std::string output_with(std::string_view part, const json::Object& arguments) {
        return answer_with(part, [&] { return ok("bash_output", arguments); });
    }

    // `passing`: passes a limit of the disk, and in one step, so that no check comes between. Two
    // steps in a row may be seen as one, so there are some more.
    void expect_that_a_writer_is_not_spared_for_ever(const std::string& passing) {
        constexpr int kStepsMax = 40;
        run(workspace(), "mkfifo go");
        const UniqueFd held(::open(ws("go").c_str(), O_RDWR | O_CLOEXEC));
        const std::string id =
            id_in(ok("bash", {{"command", "exec 7<> go; echo begun; read x <&7; " + passing +
                                              "; while read x <&7; do echo > f$((++i)); done"},
                              {"run_in_background", true}}));
        std::string said = output_with("begun", {{"id", id}});
        for (int i = 0; i < kStepsMax && holds(said, "[running"); ++i) {
            run(workspace(), "sleep 1000 > /dev/null 2>&1 &");
            give_the_word();
            said = output_with("(limit: disk", {{"id", id}});
            EXPECT_TRUE(i > 0 || holds(said, "[running")) << said;
        }
        EXPECT_TRUE(holds(said, "[limit_reached: ended after ")) << said;
    }

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
        Glutton{"memfd", "./inmate hold_memory done memfd 1000 stay", "memory"},
        Glutton{"shared_memory", "./inmate hold_memory done shared 1000 stay", "memory"},
        Glutton{"forked_memory", "./inmate hold_memory done children 120 stay", "memory"},
        Glutton{"memory_that_takes_long_to_look_at",
                "./inmate hold_memory done mappings 14 readers 16 private 600 stay", "memory"},
        Glutton{"disk", "for ((i = 0;; ++i)); do head -c 900000 /dev/zero > f$((i % 200)); done",
                "disk"}),
    [](const auto& glutton) { return std::string(glutton.param.name); });

// What is left when its command has ended.
class LeftLimitsHold : public LimitsHold {
protected:
    static std::string told_limit() { return limit() + ", operator setting: "; }
};

TEST_P(LeftLimitsHold, while_no_command_runs) {
    const std::string left = run(workspace(), left_running(GetParam().command));
    ASSERT_TRUE(left.starts_with("[exit code 0 after ")) << left;
    EXPECT_FALSE(holds(left, told_limit())) << left;
    give_the_word();
    const std::string told = output_with(told_limit(), {{"id", "b2"}});
    EXPECT_TRUE(holds(told, "\n[Processes that earlier commands left running were ended: "))
        << told;
    EXPECT_FALSE(holds(ok("bash_output", {{"id", "b2"}}), told_limit())) << "told once";
    const std::string text = run(workspace(), "rm -f f*; echo next");
    EXPECT_TRUE(text.starts_with("next\n[exit code 0 after ")) << text;
}

TEST_P(LeftLimitsHold, and_no_innocent_command_is_blamed) {
    run(workspace(), left_running(GetParam().command));
    // It ends when nobody has the other end any more.
    const std::string waiting =
        run(workspace(), "exec 8< gone; echo waiting; read x <&8; echo survived",
            [&] { give_the_word(); });
    EXPECT_TRUE(waiting.starts_with("waiting\nsurvived\n[exit code 0 after ")) << waiting;
    if (holds(waiting, told_limit())) return;
    (void)answer_with(told_limit(), [&] { return run(workspace(), "true"); });
}

INSTANTIATE_TEST_SUITE_P(
    of, LeftLimitsHold,
    ::testing::Values(
        // Each leaves one that stays: without it all may have failed and gone before they are
        // counted.
        Glutton{"forks", "bomb() { sleep 1000 & bomb | bomb & }; bomb", "processes"},
        Glutton{"sleepers", "for i in $(seq 200); do sleep 1000 & done; wait", "processes"},
        Glutton{"memfd", "./inmate hold_memory done memfd 1000 stay", "memory"},
        Glutton{"disk", "for ((i = 0;; ++i)); do head -c 900000 /dev/zero > f$((i % 200)); done",
                "disk"}),
    [](const auto& glutton) { return std::string(glutton.param.name); });

// What is kept of it is bounded, and it goes on.
TEST_F(LimitedDesk, what_was_left_prints_more_than_is_kept_and_nobody_notices) {
    const std::string left =
        run(workspace(), "mkfifo go; (read x < go; yes | head -c 40000000; echo over) &");
    EXPECT_TRUE(left.starts_with("[exit code 0 after ")) << left;
    give_the_word();
    (void)output_with("over\n", {{"id", "b2"}, {"offset", 40'000'000}});
    const std::string gap =
        ok("bash_output", {{"id", "b2"}, {"offset", limits::kCommandOutputBytesMax / 2}});
    EXPECT_TRUE(holds(gap, " were not kept; the output after them is shown")) << gap.substr(0, 100);
    expect_that_nobody_notices();
}

TEST_F(LimitedDesk, what_was_left_is_not_blamed_for_a_command) {
    run(workspace(), left_running("echo still here > answer"));
    const std::string bomb = run(workspace(), "for i in $(seq 200); do sleep 1000 & done; wait");
    EXPECT_TRUE(holds(bomb, "[limit_reached: ended after ")) << bomb;
    EXPECT_FALSE(holds(bomb, "left running")) << bomb;
    const std::string text = run(workspace(), "exec 8< gone; echo > go; read x <&8; cat answer");
    EXPECT_TRUE(text.starts_with("still here\n")) << text;
}

TEST_F(LimitedDesk, what_was_left_excuses_a_writer_once) {
    expect_that_a_writer_is_not_spared_for_ever("truncate -s 9M f0");
}

constexpr std::string_view kLeftBeyondQuota =
    "; the workspace is over its quota (limit: disk); remove files; until then commands cannot "
    "write";
constexpr std::string_view kBeganBeyondQuota =
    "[The workspace was over its quota when this command started, so it can remove files but not "
    "write them (limit: disk, operator setting: limits.bytes_on_disk).]";

// In one step, at the end of the command: no check comes between.
TEST_F(LimitedDesk, a_command_that_ends_beyond_the_quota_is_told_and_the_next_can_only_remove) {
    EXPECT_FALSE(holds(run(workspace(), "echo > small"), "quota"));
    const std::string passed = run(workspace(), "exec truncate -s 9M f");
    EXPECT_TRUE(passed.starts_with("[exit code 0 after ")) << passed;
    EXPECT_TRUE(holds(passed, kLeftBeyondQuota)) << passed;
    EXPECT_TRUE(holds(passed,
                      "\n"
                      "- exceed the limit of bytes_on_disk: the workspace is over its quota "
                      "(layer: limits, operator setting: limits.bytes_on_disk)"))
        << passed;
    EXPECT_EQ(refused("write_file", {{"path", "g"}, {"content", "x"}}), "quota_exceeded");
    for (const char* more : {"exec truncate -s 9M g", "exec head -c 9M /dev/zero > g"}) {
        const std::string next = run(workspace(), more);
        EXPECT_TRUE(next.starts_with(std::string(more).substr(5, 4))) << next;
        EXPECT_TRUE(holds(next, ": File too large\n[exit code 1 after ")) << next;
        EXPECT_TRUE(holds(next, kBeganBeyondQuota)) << next;
        EXPECT_TRUE(holds(next, kLeftBeyondQuota)) << next;
        EXPECT_EQ(os_read(ws("g")), "");
    }
    const std::string freed = run(workspace(), "rm f; echo freed");
    EXPECT_TRUE(freed.starts_with("freed\n[exit code 0 after ")) << freed;
    EXPECT_TRUE(holds(freed, kBeganBeyondQuota)) << freed;
    EXPECT_FALSE(holds(freed, kLeftBeyondQuota)) << freed;
    EXPECT_FALSE(holds(run(workspace(), "echo again > g"), "quota"));
    EXPECT_EQ(os_read(ws("g")), "again\n");
}

TEST_F(LimitedDesk, so_is_a_command_in_the_background) {
    const auto start = [&](const char* command) {
        return ok("bash", {{"command", command}, {"run_in_background", true}});
    };
    const std::string id = id_in(start("exec truncate -s 9M f"));
    EXPECT_TRUE(holds(output_with("[exit code", {{"id", id}}), kLeftBeyondQuota));
    EXPECT_TRUE(holds(start("true"), kBeganBeyondQuota));
}

// The warden cannot read /proc.
TEST_F(LimitedDesk, the_quota_is_kept_while_processes_cannot_be_counted) {
    reopen();
    {
        const Faults faults(storm(sys::Call::kSeek, EIO));
        (void)ok("bash", {{"command", "true"}});
    }
    const std::string filler =
        run(workspace(), "mkfifo go; echo; read x < go; head -c 9M /dev/zero > f; sleep 1000",
            [&] { give_the_word(); });
    EXPECT_TRUE(holds(filler, "\n[limit_reached: ended after ")) << filler;
    EXPECT_TRUE(holds(filler, "(limit: disk)")) << filler;
}

// A disk of its own, which has a little more than the reserve.
class SmallDisk : public LimitedDesk {
protected:
    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "whoever mounts it here leaves no user for commands";
        LimitedDesk::SetUp();
        options.limits.bytes_on_disk.reset();
        reopen();
    }

    void on_it(const std::function<void()>& body) {
        in_child([&] {
            std::string why;
            ASSERT_TRUE(enter_private_mounts(why)) << why;
            const std::string size =
                std::to_string(options.shell->limits.disk_reserve_bytes + (4 << 20));
            ASSERT_EQ(::mount("none", ws().c_str(), "tmpfs", 0, ("mode=0777,size=" + size).c_str()),
                      0);
            body();
            reopen();
        });
    }

    void expect_that_it_is_ended(const std::string& filler) {
        const std::string said = run(workspace(), "echo; read x < go; " + filler + "; sleep 1000",
                                     [&] { give_the_word(); });
        EXPECT_TRUE(holds(said, "\n[limit_reached: ended after ")) << said;
        const std::string reserve = std::to_string(options.shell->limits.disk_reserve_bytes >> 20U);
        EXPECT_TRUE(holds(said, "it left less than " + reserve +
                                    " MB free on the workspace's disk (limit: disk)"))
            << said;
        EXPECT_TRUE(holds(said, "operator setting: bash.limits.disk_reserve_bytes")) << said;
    }
};

TEST_F(SmallDisk, keeps_the_reserve_that_the_operator_set) {
    options.shell->limits.disk_reserve_bytes = std::uint64_t{20} << 20;
    on_it([&] {
        run(workspace(), "mkfifo go");
        expect_that_it_is_ended("head -c 8M /dev/zero > f");
    });
}

TEST_F(SmallDisk, may_be_filled_where_there_is_no_reserve) {
    options.shell->limits.disk_reserve_bytes = 0;
    on_it([&] {
        const std::string said =
            run(workspace(), "head -c 8M /dev/zero > f; [ $(stat -f -c %a .) = 0 ] && echo full");
        EXPECT_TRUE(holds(said, "No space left on device\nfull\n[exit code 0")) << said;
    });
}

TEST_F(SmallDisk, keeps_its_reserve) {
    on_it([&] {
        run(workspace(), "mkfifo go");
        expect_that_it_is_ended("head -c 8M /dev/zero > f");
        expect_that_it_is_ended("head -c 1M /dev/zero >> f");
        const std::string text = run(workspace(), "rm f; echo freed");
        EXPECT_TRUE(text.starts_with("freed\n[exit code 0 after ")) << text;
    });
}

TEST_F(SmallDisk, what_was_left_excuses_a_writer_once) {
    on_it([&] {
        const std::string filled = run(workspace(), "head -c 4M /dev/zero > f");
        EXPECT_TRUE(filled.starts_with("[exit code 0 after ")) << filled;
        expect_that_a_writer_is_not_spared_for_ever("echo > f0");
    });
}

// A disk that nobody else writes to, and a user for whom permissions count.
class QuotaOfAUser : public Jail {
protected:
    static constexpr std::uint64_t kQuota = std::uint64_t{1} << 20;
    static constexpr std::chrono::milliseconds kNow{0};

    void SetUp() override {
        if (!is_root()) GTEST_SKIP() << "cannot mount a disk for an ordinary user";
    }

    void measured(const std::function<void(tools::DiskUse& disk)>& body,
                  const std::function<void()>& before = {}) {
        in_child([&] {
            constexpr unsigned kUser = 65534;
            std::string why;
            ASSERT_TRUE(enter_private_mounts(why)) << why;
            ASSERT_EQ(::chmod(base().c_str(), 0755), 0);
            ASSERT_EQ(::mount("none", ws().c_str(), "tmpfs", 0, "mode=0777,size=64m"), 0);
            ASSERT_EQ(::setresgid(kUser, kUser, kUser), 0);
            ASSERT_EQ(::setresuid(kUser, kUser, kUser), 0);
            if (before) before();
            tools::DiskUse disk(root(), ".", kQuota);
            EXPECT_EQ(disk.excess(kNow), 0U);
            body(disk);
        });
    }

    // A file of it in the directory, which is closed like that before something is written.
    void write_behind(const char* directory, mode_t closed) const {
        const UniqueFd file(::open(ws(std::string(directory) + "/f").c_str(),
                                   O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
        ASSERT_EQ(::chmod(ws(directory).c_str(), closed), 0);
        const std::string text(2 * kQuota, 'x');
        ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
};

TEST_F(QuotaOfAUser, a_closed_directory_hides_nothing) {
    for (const mode_t closed : {0000U, 0100U, 0300U, 0400U}) {
        measured([&](tools::DiskUse& disk) {
            tree({"ROOT/d/"});
            write_behind("d", closed);
            EXPECT_GE(disk.excess(kNow), kQuota) << closed;
            ASSERT_EQ(::chmod(ws("d").c_str(), 0700), 0);
            EXPECT_GE(disk.excess(kNow), kQuota) << closed;
            os_write(ws("d/f"), "");
            EXPECT_EQ(disk.excess(kNow), 0U) << closed;
        });
    }
}

TEST_F(QuotaOfAUser, a_closed_workspace_hides_nothing) {
    measured([&](tools::DiskUse& disk) {
        tree({"ROOT/w/"});
        tools::DiskUse below(root(), "w", kQuota);
        EXPECT_EQ(below.excess(kNow), 0U);
        write_behind("w", 0);
        EXPECT_GE(below.excess(kNow), kQuota);
        EXPECT_GE(disk.excess(kNow), kQuota);
    });
}

TEST_F(QuotaOfAUser, what_was_closed_before_is_opened_and_closed_again_by_somebody) {
    const auto close = [&] {
        tree({"ROOT/d/"});
        ASSERT_EQ(::chmod(ws("d").c_str(), 0), 0);
    };
    measured(
        [&](tools::DiskUse& disk) {
            // A kernel may count the time of a change in milliseconds.
            const auto changed = [&] { return root().lstat("d")->changed; };
            for (const auto closed = changed(); changed() == closed;) {
                ASSERT_EQ(::chmod(ws("d").c_str(), 0700), 0);
            }
            write_behind("d", 0);
            EXPECT_GE(disk.excess(kNow), kQuota);
        },
        close);
}

// The disk gets fuller, and the workspace does not.
TEST_F(QuotaOfAUser, what_was_closed_before_blames_nobody) {
    const auto close = [&] {
        tree({"ROOT/w/closed/", "ROOT/w/listed/f="});
        ASSERT_EQ(::chmod(ws("w/closed").c_str(), 0), 0);
        ASSERT_EQ(::chmod(ws("w/listed").c_str(), 0400), 0);
    };
    measured(
        [&](tools::DiskUse&) {
            tools::DiskUse below(root(), "w", kQuota);
            EXPECT_EQ(below.excess(kNow), 0U);
            os_write(ws("elsewhere"), std::string(2 * kQuota, 'x'));
            EXPECT_EQ(below.excess(kNow), 0U);
        },
        close);
}

}  // namespace
}  // namespace paddock::testing
