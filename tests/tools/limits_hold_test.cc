// Commands that take all they can get: each ends with its limit named, and another session does not
// notice.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <paddock/tools.h>

#include "json/write.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

struct Glutton {
    const char* name;
    const char* command;
    const char* limit;  // that has to be named
};

class LimitsHold : public Desk, public ::testing::WithParamInterface<Glutton> {
protected:
    void SetUp() override {
        options.shell.emplace();
        options.shell->limits.processes = 60;
        options.shell->limits.memory_bytes = std::uint64_t{256} << 20;
        options.limits.calls_per_second.reset();
        options.limits.bytes_on_disk = std::uint64_t{8} << 20;
        const tools::Answer answer = call("bash", {{"command", "true"}});
        if (answer.error == Code::kSandboxUnavailable) GTEST_SKIP() << answer.text();
        ASSERT_FALSE(answer.error) << answer.text();
    }

    static tools::Answer run(Workspace& workspace, const std::string& command) {
        const json::Object arguments{{"command", command}, {"timeout_ms", 600'000}};
        return tools::call(workspace, "bash", json::to_text(arguments));
    }
};

TEST_P(LimitsHold, and_another_session_does_not_notice) {
    const ScratchDir elsewhere;
    WorkspaceOptions plain;
    plain.root = elsewhere.path();
    plain.shell.emplace();
    plain.limits.calls_per_second.reset();
    auto other = Workspace::open(std::move(plain));
    ASSERT_TRUE(other.has_value()) << other.error().message();
    ASSERT_FALSE(run(*other, "true").error);

    Workspace& own = workspace();
    std::atomic<bool> over = false;
    std::string said;
    std::thread glutton([&] {
        said = run(own, GetParam().command).text();
        over = true;
    });
    int ran = 0;
    do {
        const std::string text = run(*other, "echo one | tr o O; echo > file; rm file").text();
        EXPECT_TRUE(text.starts_with("One\n[exit code 0 after ")) << text;
        ++ran;
    } while (!over && !HasFailure());
    glutton.join();
    EXPECT_GE(ran, 1);
    EXPECT_NE(said.find(std::string("(limit: ") + GetParam().limit + ")"), said.npos)
        << said.substr(0, 400) << " ... " << said.substr(said.size() < 400 ? 0 : said.size() - 400);
    // The session itself goes on as well.
    const std::string text = run(own, "rm -f f*; echo next").text();
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

}  // namespace
}  // namespace paddock::testing
