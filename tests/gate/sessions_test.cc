// The gate beyond one command: what runs on after the answer, two sessions of one workspace, a
// supervisor that is killed, and a workspace of very many directories. Nothing sealed is changed.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "gate/runner.h"

namespace gate {
namespace {

constexpr int kHangsMs = 120'000;  // only so that a mistake ends some time

constexpr const char* kOwner =
    "git init -q . && echo evil > .git/hooks/pre-commit && chmod 644 .git/hooks/pre-commit";

// One round of plants of every kind.
constexpr const char* kPlant =
    "echo evil > .git/hooks/x; echo evil > t; mv -f t .git/hooks/y; chmod +x "
    ".git/hooks/pre-commit; "
    "echo '[core] fsmonitor = evil' > t; mv -f t .git/config; mkdir .claude; rm -rf b; "
    "mkdir -p b/objects b/hooks; echo evil > b/hooks/x; mkdir b/refs; ";

// Succeeds if something was planted.
constexpr const char* kPlanted =
    "test -e .git/hooks/x -o -e .git/hooks/y -o -x .git/hooks/pre-commit -o -e .claude || "
    "grep -q evil .git/config || test -e b/refs -a -e b/hooks/x";

void expect_nothing_planted(const Workspace& workspace) {
    const Ran found = workspace.outside(std::string(kPlanted) + " && find . -newer .git/HEAD");
    EXPECT_NE(found.exit_code, 0) << found.out;
}

class Sessions : public PlaceTest {};

TEST(Plant, works_outside) {
    const Workspace workspace(plain_place());
    workspace.prepare(kOwner);
    (void)workspace.shell(kPlant);
    EXPECT_EQ(workspace.outside(kPlanted).exit_code, 0);
}

std::string call(int id, const std::string& command) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":"bash","arguments":{"command":")" + command +
           "\"}}}\n";
}

TEST_P(Sessions, what_runs_on_after_the_answer_plants_nothing) {
    const Workspace workspace(GetParam());
    workspace.prepare(kOwner);
    Running server(workspace.server_line(), workspace.environment());
    server.send(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})"
        "\n"
        R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
        "\n");
    EXPECT_NE(server.line(kHangsMs).find("serverInfo"), std::string::npos);
    const std::string later = "(until test -e go; do :; done; for i in 1 2 3 4 5; do " +
                              std::string(kPlant) +
                              "done; touch over) >/dev/null 2>&1 & echo started";
    server.send(call(2, later));
    EXPECT_NE(server.line(kHangsMs).find("started"), std::string::npos);
    workspace.prepare("touch go; until test -e over; do :; done");
    expect_nothing_planted(workspace);
    server.send(call(3, "cat over plain 2>&1; echo answered"));
    EXPECT_NE(server.line(kHangsMs).find("answered"), std::string::npos);
}

// Each exchanges what the other acts on.
TEST_P(Sessions, two_on_one_workspace_do_not_outwit_each_other) {
    const std::string count = std::to_string(tries(300, 20'000));
    const Workspace workspace(GetParam());
    workspace.prepare(kOwner);
    const auto words =
        workspace.command_line({install(PADDOCK_GATE_RACES), "directory_exchanged", count});
    Running one(words, workspace.environment());
    Running other(words, workspace.environment());
    for (Running* each : {&one, &other}) {
        const Ran ran = each->wait(kHangsMs);
        EXPECT_TRUE(ran.out.starts_with("leaks 0 of ")) << ran.all();
    }
}

// The process itself or its child, the warden.
pid_t one_of(pid_t server, bool child) {
    const std::string id = std::to_string(server);
    std::ifstream children("/proc/" + id + "/task/" + id + "/children");
    pid_t first = 0;
    return child && children >> first ? first : server;
}

TEST_P(Sessions, a_supervisor_that_is_killed_opens_nothing) {
    std::mt19937 random(1);
    const long count = tries(4, 200);
    for (long i = 0; i < count; ++i) {
        const Workspace workspace(GetParam());
        workspace.prepare(kOwner);
        // Bounded: without namespaces nobody ends the commands of a user whose warden was killed.
        const std::string script =
            "echo begun; for i in $(seq 100); do " + std::string(kPlant) + "done 2>/dev/null";
        Running running(workspace.command_line({"/bin/bash", "-c", script}),
                        workspace.environment());
        EXPECT_EQ(running.line(kHangsMs), "begun");
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 50'000));  // any moment
        ::kill(one_of(running.id(), i % 2 == 0), SIGKILL);
        EXPECT_FALSE(running.wait(kHangsMs).timed_out) << "it hangs without it";
        expect_nothing_planted(workspace);
    }
}

TEST_P(Sessions, very_many_directories_hide_nothing) {
    const long count = tries(2000, 500'000);
    const Workspace workspace(GetParam());
    workspace.prepare(std::string(kOwner) +
                      "\npython3 -c 'import os\n"
                      "for i in range(" +
                      std::to_string(count / 100) +
                      "):\n"
                      " os.mkdir(\"d%d\" % i)\n"
                      " for j in range(99): os.mkdir(\"d%d/%d\" % (i, j))\n'");
    const Ran ran =
        workspace.shell(std::string(kPlant) + "mkdir d0/.vscode; echo made > d0/1/free; true");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    expect_nothing_planted(workspace);
    EXPECT_EQ(workspace.outside("test -e d0/1/free -a ! -e d0/.vscode").exit_code, 0) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Gate, Sessions, ::testing::ValuesIn(sandboxed_places()), place_name);

}  // namespace
}  // namespace gate
