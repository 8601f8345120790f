// The gate beyond one command: what runs on after the answer, a client, a server or a supervisor
// that ends or is killed meanwhile, two sessions of one workspace, and very many directories. An
// observer outside never sees a sealed name. Without the gate it sees it each time.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "gate/runner.h"
#include "gate/watcher.h"

namespace gate {
namespace {

constexpr int kHangsMs = 120'000;  // only so that a mistake ends some time
constexpr int kRacesMs = 3'600'000;

constexpr const char* kOwner =
    "git init -q . && echo evil > .git/hooks/pre-commit && chmod 644 .git/hooks/pre-commit && "
    "touch hold";

// One round of plants of every kind.
constexpr const char* kPlant =
    "echo evil > .git/hooks/x; echo evil > t; mv -f t .git/hooks/y; chmod +x "
    ".git/hooks/pre-commit; "
    "echo '[core] fsmonitor = evil' > t; mv -f t .git/config; mkdir .claude; rm -rf b; "
    "mkdir -p b/objects b/hooks; echo evil > b/hooks/x; mkdir b/refs; ";

// Succeeds if something was planted.
constexpr const char* kPlanted =
    "test -e .git/hooks/x -o -e .git/hooks/y -o -x .git/hooks/pre-commit -o -e .claude || "
    "grep -q evil .git/config || test -e b/refs -a -e b/objects -a -e b/hooks/x";

// What those rounds plant, as it is seen from outside.
class PlantWatch {
public:
    explicit PlantWatch(const Workspace& workspace)
        : workspace_(workspace),
          watcher_(workspace.path(), {".git/config"},
                   words_of(".git/hooks/x .git/hooks/y .claude")) {}

    // Something was planted where there is no gate, and nothing elsewhere.
    void expect_as_in_its_place() {
        const auto seen = watcher_.end();
        EXPECT_EQ(watcher_.blind(), "");
        EXPECT_GT(watcher_.events(), 0U);
        const bool is_planted = workspace_.outside(kPlanted).exit_code == 0;
        const bool is_open = workspace_.place().level == Level::kPlain;
        EXPECT_EQ(is_planted, is_open);
        EXPECT_EQ(seen.size(), is_open ? 4U : 0U) << ::testing::PrintToString(seen);
    }

private:
    const Workspace& workspace_;
    Watcher watcher_;
};

class Sessions : public PlaceTest {};

TEST(Plant, works_outside) {
    const Workspace workspace(plain_place());
    workspace.prepare(kOwner);
    PlantWatch watch(workspace);
    (void)workspace.shell(kPlant);
    watch.expect_as_in_its_place();
}

std::string call(int id, const std::string& command) {
    return tool_call(id, "bash", R"({"command":")" + command + "\"}");
}

// A server, or what answers in its place where there is no sandbox: it runs the commands.
std::vector<std::string> server_line(const Workspace& workspace) {
    if (workspace.place().level != Level::kPlain) return workspace.server_line();
    return workspace.command_line(
        {"/bin/bash", "-c",
         "begin='\"command\":\"' end='\"}}}'; while IFS= read -r line; do case $line in "
         "*tools/call*) line=${line#*$begin}; eval \"${line%$end}\";; "
         "*protocolVersion*) echo serverInfo;; esac; done"});
}

void plant_after_the_answer(const Place& place) {
    const Workspace workspace(place);
    workspace.prepare(kOwner);
    PlantWatch watch(workspace);
    Running server(server_line(workspace), workspace.environment());
    start_session(server);
    const std::string later = "(until test -e go; do :; done; for i in 1 2 3 4 5; do " +
                              std::string(kPlant) +
                              "done; touch over) >/dev/null 2>&1 & echo started";
    server.send(call(2, later));
    EXPECT_NE(server.line(kHangsMs).find("started"), std::string::npos);
    workspace.prepare("touch go; until test -e over; do :; done");
    watch.expect_as_in_its_place();
    server.send(call(3, "cat over plain 2>&1; echo answered"));
    if (place.level == Level::kPlain) return;
    EXPECT_NE(server.line(kHangsMs).find("answered"), std::string::npos);
}

TEST(Plant, works_outside_after_the_answer) { plant_after_the_answer(plain_place()); }

TEST_P(Sessions, what_runs_on_after_the_answer_plants_nothing) {
    plant_after_the_answer(GetParam());
}

// How a session ends while its processes live.
enum class End { kServerKilled, kSupervisorKilled, kClientKilled, kInputClosed };

void plant_while_it_ends(const Place& place, End end, std::chrono::microseconds moment) {
    const Workspace workspace(place);
    workspace.prepare(kOwner);
    PlantWatch watch(workspace);
    std::vector<std::string> words{"/bin/bash", "-c", kClient, "client"};
    for (std::string& word : server_line(workspace)) words.push_back(std::move(word));
    Running client(words, workspace.environment());
    start_session(client);
    const auto servers = children_of(client.id());
    ASSERT_EQ(servers.size(), 1U);
    const auto supervisors = children_of(servers.front());
    // Bounded: without namespaces nobody ends the commands of a user whose warden was killed.
    client.send(call(2, "exec 9<hold; flock -s 9; (for i in $(seq 30); do " + std::string(kPlant) +
                            "done) >/dev/null 2>&1 & echo started"));
    EXPECT_NE(client.line(kHangsMs).find("started"), std::string::npos);
    std::this_thread::sleep_for(moment);  // any moment
    switch (end) {
        case End::kServerKilled: ::kill(servers.front(), SIGKILL); break;
        case End::kSupervisorKilled:
            for (const pid_t each : supervisors) ::kill(each, SIGKILL);
            break;
        case End::kClientKilled: ::kill(client.id(), SIGKILL); break;
        case End::kInputClosed: client.close_input(); break;
    }
    EXPECT_FALSE(client.wait(kHangsMs).timed_out) << "the server hangs";
    // The last of the processes is gone.
    EXPECT_EQ(workspace.outside("flock -w 100 hold true").exit_code, 0);
    watch.expect_as_in_its_place();
}

constexpr End kEnds[] = {End::kServerKilled, End::kSupervisorKilled, End::kClientKilled,
                         End::kInputClosed};

TEST(Plant, works_outside_while_a_session_ends) {
    for (const End end : kEnds) plant_while_it_ends(plain_place(), end, {});
}

TEST_P(Sessions, one_that_ends_while_its_processes_live_plants_nothing) {
    std::mt19937 random(1);
    for (long i = tries(1, 50); i > 0; --i) {
        for (const End end : kEnds) {
            plant_while_it_ends(GetParam(), end, std::chrono::microseconds(random() % 50'000));
        }
    }
}

void plant_from_two_sessions(const Place& place) {
    const Workspace workspace(place);
    workspace.prepare(kOwner);
    PlantWatch watch(workspace);
    const auto words = workspace.command_line(
        {"/bin/bash", "-c", "for i in $(seq 20); do " + std::string(kPlant) + "done 2>/dev/null"});
    Running one(words, workspace.environment());
    Running other(words, workspace.environment());
    for (Running* each : {&one, &other}) EXPECT_FALSE(each->wait(kHangsMs).timed_out);
    watch.expect_as_in_its_place();
}

TEST(Plant, works_outside_from_two_sessions) { plant_from_two_sessions(plain_place()); }

TEST_P(Sessions, two_on_one_workspace_plant_nothing) { plant_from_two_sessions(GetParam()); }

// Each exchanges what the other acts on.
TEST_P(Sessions, two_on_one_workspace_do_not_outwit_each_other) {
    const std::string count = std::to_string(tries(300, 100'000));
    const Workspace workspace(GetParam());
    workspace.prepare(kOwner);
    // Whoever made them while the other one exchanges would make half of one in the other.
    (void)workspace.shell("mkdir -p p/g/refs p/g/objects p/g/hooks p/x/hooks");
    const auto words =
        workspace.command_line({install(PADDOCK_GATE_RACES), "directory_exchanged", count});
    Running one(words, workspace.environment());
    Running other(words, workspace.environment());
    for (Running* each : {&one, &other}) {
        const Ran ran = each->wait(kRacesMs);
        EXPECT_TRUE(ran.out.starts_with("leaks 0 of ")) << ran.all();
        EXPECT_FALSE(ran.out.ends_with("harmless 0\n")) << "everything is refused";
    }
}

// A search that meets a directory at neither of its places would leave what lies there open.
TEST_P(Sessions, a_secret_in_a_directory_that_another_one_moves_stays_hidden) {
    if (GetParam().level == Level::kLow) GTEST_SKIP() << "there nothing covers secrets";
    const Workspace workspace(GetParam());
    workspace.prepare(
        "mkdir -p a/x; echo decoy > a/x/.env; for i in $(seq 200); do mkdir -p "
        "m$i/q; done");
    constexpr const char* kRead = "for i in $(seq 40); do cat a/x/.env zz/.env; done 2>/dev/null";
    EXPECT_NE(workspace.outside(kRead).out.find("decoy"), std::string::npos);
    Running mover(workspace.command_line({"/bin/bash", "-c",
                                          "echo begun; until test -e over; do mv a/x zz; mv zz "
                                          "a/x; done"}),
                  workspace.environment());
    EXPECT_EQ(mover.line(kHangsMs), "begun");
    for (long i = tries(8, 200); i > 0; --i) {
        EXPECT_EQ(workspace.shell(kRead).out, "");
    }
    workspace.prepare("touch over");
    (void)mover.wait(kHangsMs);
}

// The process itself and its child, the warden, in turn.
void plant_while_a_supervisor_is_killed(const Place& place, bool child,
                                        std::chrono::microseconds moment) {
    const Workspace workspace(place);
    workspace.prepare(kOwner);
    PlantWatch watch(workspace);
    // Bounded: without namespaces nobody ends the commands of a user whose warden was killed.
    const std::string script =
        "echo begun; for i in $(seq 100); do " + std::string(kPlant) + "done 2>/dev/null";
    Running running(workspace.command_line({"/bin/bash", "-c", script}), workspace.environment());
    EXPECT_EQ(running.line(kHangsMs), "begun");
    std::this_thread::sleep_for(moment);  // any moment
    const auto children = children_of(running.id());
    ::kill(child && !children.empty() ? children.front() : running.id(), SIGKILL);
    EXPECT_FALSE(running.wait(kHangsMs).timed_out) << "it hangs without it";
    watch.expect_as_in_its_place();
}

TEST(Plant, works_outside_until_it_is_killed) {
    // It has planted by then.
    plant_while_a_supervisor_is_killed(plain_place(), true, std::chrono::seconds(1));
}

TEST_P(Sessions, a_supervisor_that_is_killed_opens_nothing) {
    std::mt19937 random(1);
    const long count = tries(4, 200);
    for (long i = 0; i < count; ++i) {
        plant_while_a_supervisor_is_killed(GetParam(), i % 2 == 0,
                                           std::chrono::microseconds(random() % 50'000));
    }
}

void plant_among_very_many_directories(const Place& place) {
    const long count = tries(2000, 500'000);
    const Workspace workspace(place);
    workspace.prepare(std::string(kOwner) +
                      "\npython3 -c 'import os\n"
                      "for i in range(" +
                      std::to_string(count / 100) +
                      "):\n"
                      " os.mkdir(\"d%d\" % i)\n"
                      " for j in range(99): os.mkdir(\"d%d/%d\" % (i, j))\n'");
    PlantWatch watch(workspace);
    const Ran ran =
        workspace.shell(std::string(kPlant) + "mkdir d0/.vscode; echo made > d0/1/free; true");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    watch.expect_as_in_its_place();
    EXPECT_EQ(workspace.outside("test -e d0/1/free").exit_code, 0) << ran.err;
    const bool is_open = place.level == Level::kPlain;
    EXPECT_EQ(workspace.outside("test -e d0/.vscode").exit_code == 0, is_open) << ran.err;
}

TEST(Plant, works_outside_among_very_many_directories) {
    plant_among_very_many_directories(plain_place());
}

TEST_P(Sessions, very_many_directories_hide_nothing) {
    plant_among_very_many_directories(GetParam());
}

// A secret of the owner's, put where a search for secrets might not look, and read by the next
// session.
struct PutAway {
    const char* name;
    const char* first;
    const char* then;
};

constexpr const char* kSecrets =
    "git init -q . && mkdir -p app/in plain && echo TOPSECRET > app/.env && "
    "echo TOPSECRET > app/in/server.key && echo plain > plain/file";

constexpr PutAway kPutAway[] = {
    {"in_the_store_of_objects", "mv app .git/objects/ab", "cat .git/objects/ab/.env"},
    {"among_branches", "mkdir a; mv app/in a/refs; mkdir -p .git/modules; mv a .git/modules/a",
     "cat .git/modules/a/refs/server.key"},
    {"with_its_repository", "mkdir -p d e; mv app d/objects; mv d e/.git",
     "cat e/.git/objects/.env"},
    {"in_a_package", "mkdir node_modules; mv app node_modules/app",
     "cat node_modules/app/in/server.key"},
    {"in_a_closed_directory", "chmod 000 app", "chmod 755 app; cat app/.env"},
    {"in_a_closed_directory_that_was_moved", "mkdir x; mv app x/app; chmod 000 x/app x",
     "chmod 755 x; chmod 755 x/app; cat x/app/.env"},
    {"in_a_closed_directory_in_the_store", "chmod 000 app/in; mv app .git/objects/app",
     "chmod 755 .git/objects/app/in; cat .git/objects/app/in/server.key"},
    {"too_deep_to_be_named",
     "deep() { d=$1; for i in $(seq 1900); do d=$d/a; done; mkdir -p $d; echo $d; }; "
     "one=$(deep x); two=$(deep y); mv app $one/; mv x $two/",
     "python3 -c 'import os\nf=os.open(\"y\",0)\n"
     "for n in [\"a\"]*1900+[\"x\"]+[\"a\"]*1900+[\"app\",\".env\"]:\n"
     " g=os.open(n,0,dir_fd=f); os.close(f); f=g\nos.write(1,os.read(f,99))'"},
};

TEST(PutAway, is_read_outside) {
    for (const PutAway& each : kPutAway) {
        const Workspace workspace(plain_place());
        workspace.prepare(kSecrets);
        (void)workspace.shell(each.first);
        const Ran read = workspace.shell(each.then);
        EXPECT_NE(read.out.find("TOPSECRET"), std::string::npos) << each.name << read.all();
    }
}

TEST_P(Sessions, a_later_one_reads_no_secret_that_was_put_away) {
    if (GetParam().level == Level::kLow) GTEST_SKIP() << "without a mount namespace nothing hides";
    for (const PutAway& each : kPutAway) {
        const Workspace workspace(GetParam());
        workspace.prepare(kSecrets);
        (void)workspace.shell(each.first);
        const Ran read = workspace.shell(std::string(each.then) + "; echo; cat plain/file");
        EXPECT_EQ(read.out.find("TOPSECRET"), std::string::npos) << each.name;
        const Ran there = workspace.outside(
            "chmod -R u+rwx . ; "
            "grep -rls TOPSECRET . | wc -l");
        EXPECT_EQ(there.out, "2\n") << each.name << ": both are there, where the owner finds them";
    }
}

// Moving and closing directories is everyday work.
TEST_P(Sessions, directories_are_moved_and_closed_as_ever) {
    const Workspace workspace(GetParam());
    workspace.prepare(kSecrets);
    const Ran ran = workspace.shell(
        "set -e; mv app moved; mkdir -p node_modules/p own; echo k > node_modules/p/x.key; "
        "mv node_modules/p node_modules/q; mv plain node_modules/plain; echo x > own/f; "
        "chmod 000 own; chmod 755 own; cat own/f; chmod 700 .git; chmod 755 .git .; "
        "git init -q sub; mv sub/.git .git/modules; mv .git/modules sub/.git; git -C sub status");
    EXPECT_EQ(ran.exit_code, 0) << ran.all();
}

TEST_P(Sessions, nobody_shuts_the_journal_in) {
    const Workspace workspace(GetParam());
    workspace.prepare("git init -q . && echo precious > notes");
    const Ran ran = workspace.shell(
        "rm notes; chmod 000 .git; chmod 600 .git; chmod 000 .; chmod a-x $PWD; "
        "python3 -c 'import os\nos.fchmod(os.open(\".git\",0),0)'");
    EXPECT_NE(ran.err.find("the journal of paddock"), std::string::npos) << ran.err;
    EXPECT_EQ(workspace.outside("stat -c %a .git .").out, "755\n755\n");
}

TEST_P(Sessions, nobody_reads_the_journal_of_a_workspace_below) {
    if (GetParam().level == Level::kLow) GTEST_SKIP() << "without a mount namespace nothing hides";
    const Workspace workspace(GetParam());
    workspace.prepare(
        "git init -q . && mkdir -p sub/.git/paddock/s/kept && touch sub/.git/paddock/lock && "
        "echo private > sub/.git/paddock/s/kept/a1");
    const Ran ran = workspace.shell(
        "exec 9<sub/.git/paddock/lock && echo held; cat sub/.git/paddock/s/kept/a1; "
        "echo work > sub/f; cat sub/f");
    EXPECT_EQ(ran.out, "work\n") << ran.all();
}

// A tracked file with the committed bytes is no secret until the owner writes one into it. What the
// session writes into it makes it none.
TEST_P(Sessions, a_tracked_file_is_free_until_the_owner_writes_to_it) {
    const Workspace workspace(GetParam());
    workspace.prepare(
        "git init -q . && echo A=1 > .env && echo A=1 > .env.test && git add -f .env .env.test && "
        "git -c user.name=A -c user.email=a@example.org commit -q -m first");
    Running server(workspace.server_line(), workspace.environment());
    start_session(server);
    const auto read = [&](int id, const std::string& path) {
        server.send(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                    R"(,"method":"tools/call","params":{"name":"read_file","arguments":{"path":")" +
                    path + "\"}}}\n");
        return server.line(kHangsMs);
    };
    EXPECT_NE(read(2, ".env").find("A=1"), std::string::npos);
    EXPECT_NE(read(3, ".env.test").find("A=1"), std::string::npos);
    server.send(call(4, "cat .env.test && echo B=2 >> .env.test; cat .env.test"));
    EXPECT_NE(server.line(kHangsMs).find("B=2"), std::string::npos);
    EXPECT_NE(read(5, ".env.test").find("B=2"), std::string::npos) << "the session wrote it";
    workspace.prepare("echo word=TOPSECRET >> .env");
    const std::string later = read(6, ".env");
    EXPECT_NE(later.find("denied_by_rule"), std::string::npos) << later;
}

INSTANTIATE_TEST_SUITE_P(Gate, Sessions, ::testing::ValuesIn(sandboxed_places()), place_name);

}  // namespace
}  // namespace gate
