// The server as a process: what it answers, what it survives, and that it ends with all it started.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "fault/budget.h"
#include "json/write.h"
#include "mcp/recorder.h"
#include "mcp/server_process.h"
#include "testing/jail.h"
#include "testing/lock_holder.h"
#include "testing/process_status.h"

namespace paddock::testing {
namespace {

// Prints "waiting" and then waits for as long as the lock on a file of the workspace is held.
constexpr const char* kAwaitLock = "echo waiting; exec 9<gate; flock -s 9";

// "Started in the background, id 'b3'. ..."
std::string background_id(const std::string& text) {
    const std::size_t begin = text.find("id '") + 4;
    return text.substr(begin, text.find('\'', begin) - begin);
}

class McpStdio : public Jail {
protected:
    ServerProcess& server() {
        if (!server_) server_.emplace(ws());
        return *server_;
    }

    // Starts a command that holds the lock, and waits until it does.
    int start_holder(bool in_background) {
        if (in_background) {
            const std::string id = background_id(
                server().text_of("bash", {{"command", kHoldLock}, {"run_in_background", true}}));
            while (server().text_of("bash_output", {{"id", id}}).find("locked") ==
                       std::string::npos &&
                   !HasFailure()) {
            }
            return 0;
        }
        const int id = server().call("bash", {{"command", kHoldLock}},
                                     {{"_meta", json::Object{{"progressToken", "t"}}}});
        const json::Value progress = server().receive();
        EXPECT_EQ(text_at(progress, "params.message"), R"("locked\n")");
        return id;
    }

    bool is_held() { return testing::is_held(ws("held")); }
    void await_end_of_holder() { testing::await_end_of_holder(ws("held")); }

    bool has_bash() {
        const json::Value answer = server().answer_to(server().call("bash", {{"command", "true"}}));
        return text_at(answer, "result").find("sandbox_unavailable") == std::string::npos;
    }

    std::optional<ServerProcess> server_;
};

// A terabyte without a line takes minutes to read.
TEST_F(McpStdio, a_long_read_holds_up_nobody_and_can_be_cancelled) {
    std::string lines;
    for (int i = 1; i <= 10'000; ++i) lines += "line " + std::to_string(i) + "\n";
    os_write(ws("huge"), lines);
    ASSERT_EQ(::truncate(ws("huge").c_str(), off_t{1} << 40), 0);
    for (const int offset : {-5, 2'000'000}) {
        const int read = server().call("read_file", {{"path", "huge"}, {"offset", offset}});
        const int ping = server().request("ping");
        EXPECT_EQ(text_at(server().receive(), "id"), std::to_string(ping));
        server().send(
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
            std::to_string(read) + "}}");
    }
    EXPECT_NE(server().text_of("read_file", {{"path", "huge"}, {"limit", 2}}).find("2\tline 2\n"),
              std::string::npos);
    server().close_input();
    EXPECT_EQ(server().wait(), 0);
}

TEST_F(McpStdio, every_tool_works_behind_both_walls) {
    tree({"ROOT/a.txt=one\ntwo\n", "ROOT/.git/HEAD=ref: refs/heads/main\n",
          "ROOT/sub/deep/x.c=int x;\n", "ROOT/.gitignore=*.o\n", "ROOT/b.o=ignored"});
    os_write(ws("p.png"),
             std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0", 29));
    std::set<std::string> listed;
    const json::Value tools =
        at(server().answer_to(server().request("tools/list")), "result.tools");
    for (const json::Value& tool : *tools.as_array()) listed.insert(*at(tool, "name").as_string());

    std::set<std::string> called;
    const auto ok = [&](const char* tool, const json::Object& arguments) {
        called.insert(tool);
        return server().text_of(tool, arguments);
    };
    const auto holds = [](const std::string& text, std::string_view part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    holds(ok("read_file", {{"path", "a.txt"}}), "2\ttwo");
    holds(ok("read_file", {{"path", "p.png"}}), R"("mimeType":"image/png")");
    holds(ok("read_files", {{"paths", json::Array{"a.txt", "sub/deep/x.c"}}}), "int x;");
    holds(ok("write_file", {{"path", "new/w.txt"}, {"content", "w\n"}}), "w.txt");
    holds(ok("edit_file", {{"path", "a.txt"}, {"old_string", "two"}, {"new_string", "2"}}), "+2");
    holds(ok("patch",
             {{"patch", "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch"}}),
          "a.txt");
    EXPECT_EQ(os_read(ws("a.txt")), "1\n2\n");
    holds(ok("glob", {{"pattern", "**/*.c"}}), "sub/deep/x.c");
    holds(ok("grep", {{"pattern", "int"}, {"output_mode", "content"}}), "int x;");
    holds(ok("list_directory", {{"path", "."}, {"depth", 3}}), "deep");
    ok("move_path", {{"source", "new/w.txt"}, {"destination", "moved.txt"}});
    ok("copy_path", {{"source", "sub"}, {"destination", "sub2"}});
    EXPECT_TRUE(os_exists(ws("sub2/deep/x.c")));
    ok("remove_path", {{"path", "sub2"}, {"recursive", true}});
    EXPECT_FALSE(os_exists(ws("sub2")));
    ok("make_directory", {{"path", "made/here"}});
    holds(ok("file_info", {{"path", "moved.txt"}}), "moved.txt");
    holds(ok("workspace_info", {}), "bash");
    called.insert({"bash", "bash_output", "bash_input", "bash_kill"});
    EXPECT_EQ(called, listed);
    NEEDS_BASH();
    holds(ok("bash", {{"command", "cat a.txt; cd sub; echo in $PWD"}}), "1\n2\nin ");
    holds(ok("bash", {{"command", "pwd"}}), "/sub");
    holds(ok("bash",
             {{"command", "mkdir -p ../.git/hooks && echo x > ../.git/hooks/pre-commit; echo $?"}}),
          "exit code");
    const std::string cut = ok("bash", {{"command", "yes | head -c 200000"}});
    holds(cut, "bash_output");
    holds(ok("bash_output", {{"id", background_id(cut)}, {"offset", 100'000}}), "y\ny\n");
    const std::string started =
        ok("bash", {{"command", "sleep 1000"}, {"run_in_background", true}});
    holds(ok("bash_input", {{"id", background_id(started)}, {"text", "x"}}), "Sent 1 bytes");
    ok("bash_kill", {{"id", background_id(started)}});
    while (ok("bash_output", {{"id", background_id(started)}}).find("running") !=
               std::string::npos &&
           !HasFailure()) {
    }
}

TEST_F(McpStdio, nothing_outside_is_reached) {
    tree({"ROOT/link->../OUT/secret", "ROOT/.env=KEY=1"});
    for (const char* path : {"../OUT/secret", "link", "/etc/passwd", ".env"}) {
        const json::Value answer = server().answer_to(server().call("read_file", {{"path", path}}));
        EXPECT_EQ(text_at(answer, "result.isError"), "true") << path;
        EXPECT_EQ(json::to_text(answer).find(kSecret), std::string::npos);
    }
    expect_naive_leak("../OUT/secret");
}

// By the name that it gives itself, in both eras; with and without commands.
TEST_F(McpStdio, the_log_names_the_client) {
    const auto log = [&] {
        const std::string command = PADDOCK_BINARY " log --json --root '" + ws() + "'";
        std::FILE* const pipe = ::popen(command.c_str(), "r");
        std::string text;
        std::array<char, 4096> block{};
        while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) {
            text.append(block.data(), got);
        }
        ::pclose(pipe);
        return text;
    };
    const std::vector<std::vector<std::string>> kinds{{}, {"--no-bash"}};
    for (const std::vector<std::string>& more : kinds) {
        const json::Object client{{"name", "claude\n\x1b-code" + std::string(100, 'x')}};
        ServerProcess legacy(ws(), more);
        (void)legacy.answer_to(legacy.request(
            "initialize", {{"protocolVersion", "2025-11-25"}, {"clientInfo", client}}));
        (void)legacy.text_of("write_file", {{"path", "f"}, {"content", "x"}});
        legacy.close_input();
        EXPECT_EQ(legacy.wait(), 0);
        const std::string named = R"("client":"claude\\x0a\\x1b-code)" + std::string(51, 'x') + '"';
        EXPECT_NE(log().find(named), std::string::npos) << log();

        ServerProcess modern(ws(), more);
        for (const char* name : {"one", "two", "one"}) {
            const json::Object meta{
                {"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                {"io.modelcontextprotocol/clientCapabilities", json::Object{}},
                {"io.modelcontextprotocol/clientInfo", json::Object{{"name", name}}}};
            const json::Object arguments{{"path", name}, {"content", name}};
            (void)modern.answer_to(modern.call("write_file", arguments, {{"_meta", meta}}));
        }
        modern.close_input();
        EXPECT_EQ(modern.wait(), 0);
        EXPECT_NE(log().find(R"("client":"one, two")"), std::string::npos) << log();
        for (const char* name : {"f", "one", "two"}) std::filesystem::remove(ws(name));
    }
}

// A client may say what it likes of its roots: it is not asked, and nothing gets wider.
TEST_F(McpStdio, roots_of_a_client_change_nothing) {
    (void)server().answer_to(server().request(
        "initialize",
        {{"protocolVersion", "2025-11-25"},
         {"capabilities", json::Object{{"roots", json::Object{{"listChanged", true}}}}},
         {"clientInfo", json::Object{{"name", "t"}, {"version", "1"}}}}));
    server().send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    server().send(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
    server().send(R"({"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///"}]}})");
    const int id = server().call("read_file", {{"path", out("secret")}});
    const json::Value next = server().receive();
    EXPECT_EQ(text_at(next, "id"), std::to_string(id))
        << "nothing was asked: " << json::to_text(next);
    EXPECT_EQ(text_at(next, "result.isError"), "true");
    EXPECT_EQ(json::to_text(next).find(kSecret), std::string::npos);
}

TEST_F(McpStdio, the_end_of_input_lets_answers_out) {
    tree({"ROOT/a.txt=one\n"});
    NEEDS_BASH();
    const int read = server().call("read_file", {{"path", "a.txt"}});
    const int bash = server().call("bash", {{"command", "echo from bash"}});
    server().close_input();
    std::map<std::string, std::string> answers;
    for (json::Value message = server().receive(); !message.is_null();
         message = server().receive()) {
        answers[text_at(message, "id")] = text_at(message, "result");
    }
    EXPECT_NE(answers[std::to_string(read)].find("one"), std::string::npos);
    EXPECT_NE(answers[std::to_string(bash)].find("from bash"), std::string::npos);
    EXPECT_EQ(server().wait(), 0);
}

TEST_F(McpStdio, the_end_of_input_ends_background_commands) {
    NEEDS_BASH();
    start_holder(true);
    EXPECT_TRUE(is_held());
    server().close_input();
    EXPECT_EQ(server().wait(), 0);
    EXPECT_FALSE(is_held()) << "gone before the server is";
}

// No command ends after it was made, so no look after a command finds it.
TEST_F(McpStdio, what_a_background_command_plants_is_taken_at_the_end) {
    NEEDS_BASH();
    const char* plant =
        "(mkdir .claude; echo '{}' > .claude/settings.json; echo '{}' > .mcp.json; "
        "touch planted; sleep 100000) >/dev/null 2>&1 &";
    server().answer_to(server().call("bash", {{"command", plant}}));
    while (!os_exists(ws("planted"))) {
    }
    server().close_input();
    EXPECT_EQ(server().wait(), 0);
    EXPECT_FALSE(os_exists(ws(".claude")));
    EXPECT_FALSE(os_exists(ws(".mcp.json")));
}

TEST_F(McpStdio, a_client_that_vanishes_takes_everything_with_it) {
    NEEDS_BASH();
    start_holder(false);
    server().close_output();
    server().close_input();
    EXPECT_EQ(server().wait(), 0);
    EXPECT_FALSE(is_held());
}

TEST_F(McpStdio, an_output_that_nobody_reads_ends_it) {
    NEEDS_BASH();
    start_holder(false);
    server().close_output();
    EXPECT_EQ(server().wait(), 0);
    EXPECT_FALSE(is_held());
}

TEST_F(McpStdio, signals_end_it_with_all_commands) {
    NEEDS_BASH();
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR2, SIGABRT}) {
        start_holder(false);
        server().signal(number);
        EXPECT_EQ(server().wait(), 0) << number;
        EXPECT_FALSE(is_held()) << number;
        server_.reset();
        os_write(ws("held"), "");
    }
}

TEST_F(McpStdio, kill_nine_leaves_no_process) {
    NEEDS_BASH();
    for (const bool in_background : {false, true}) {
        start_holder(in_background);
        server().signal(SIGKILL);
        EXPECT_EQ(server().wait(), 256 + SIGKILL);
        await_end_of_holder();
        server_.reset();
    }
}

// The pipes stay open, since we hold them; only the parent is gone.
TEST_F(McpStdio, ends_with_the_process_that_started_it) {
    int in[2];
    int out[2];
    ASSERT_EQ(::pipe2(in, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(out, O_CLOEXEC), 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
        if (::fork() == 0) {
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            ::execl(PADDOCK_BINARY, "paddock", "mcp", "--no-bash", "--root", ws().c_str(), nullptr);
            ::_exit(127);
        }
        ::pause();
        ::_exit(0);
    }
    ::close(in[0]);
    ::close(out[1]);
    const std::string_view ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    ASSERT_EQ(::write(in[1], ping.data(), ping.size()), static_cast<ssize_t>(ping.size()));
    std::array<char, 4096> answer;
    ASSERT_GT(::read(out[0], answer.data(), answer.size()), 0);
    ::kill(parent, SIGKILL);
    ::waitpid(parent, nullptr, 0);
    EXPECT_EQ(::read(out[0], answer.data(), answer.size()), 0) << "the server is gone";
    ::close(in[1]);
    ::close(out[0]);
}

// As inetd and socat start programs.
TEST_F(McpStdio, one_socket_may_be_input_and_output) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], 0);
        ::dup2(ends[1], 1);
        ::execl(PADDOCK_BINARY, "paddock", "mcp", "--no-bash", "--root", ws().c_str(), nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    const std::string_view ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    std::array<char, 4096> answer;
    for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(::write(ends[0], ping.data(), ping.size()), static_cast<ssize_t>(ping.size()));
        const ssize_t got = ::read(ends[0], answer.data(), answer.size());
        ASSERT_GT(got, 0);
        EXPECT_EQ(std::string_view(answer.data(), static_cast<std::size_t>(got)),
                  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    }
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(McpStdio, a_full_pipe_costs_bounded_memory_and_hides_no_cancellation) {
    NEEDS_BASH();
    os_write(ws("big.txt"), std::string(45'000, 'x') + "\n");
    const int holder = start_holder(false);
    constexpr int kCalls = 1500;  // 65 MB of answers, none of which is read
    std::set<int> open;
    for (int i = 0; i < kCalls; ++i) {
        open.insert(server().call("read_file", {{"path", "big.txt"}, {"limit", 2000}}));
    }
    server().send(json::to_text(json::Object{{"jsonrpc", "2.0"},
                                             {"method", "notifications/cancelled"},
                                             {"params", json::Object{{"requestId", holder}}}}));
    await_end_of_holder();
    // A sanitizer's own memory counts, too.
    if (!kSanitized) {
        EXPECT_LT(status_kb(server().id(), "VmHWM"), 128'000U);
    }
    const int last = server().request("ping");
    open.insert(last);
    while (!open.empty()) {
        const json::Value message = server().receive();
        ASSERT_FALSE(message.is_null());
        const json::Value id = at(message, "id");
        ASSERT_NE(id.as_integer(), nullptr) << json::to_text(message);
        EXPECT_NE(*id.as_integer(), holder);
        EXPECT_EQ(open.erase(static_cast<int>(*id.as_integer())), 1U) << "answered twice";
    }
}

// Nobody reads: the pipe is full, and what was done since is told to nobody.
TEST_F(McpStdio, a_full_pipe_loses_no_write_and_leaves_no_process) {
    NEEDS_BASH();
    os_write(ws("big.txt"), std::string(45'000, 'x') + "\n");
    const std::string content(20'000, 'c');
    for (const int ending : {0, SIGTERM, SIGKILL}) {
        start_holder(true);
        for (int i = 0; i < 100; ++i) {
            (void)server().call("read_file", {{"path", "big.txt"}, {"limit", 2000}});
        }
        std::vector<std::string> names;
        for (int i = 0; i < 40; ++i) {
            names.push_back(std::to_string(ending) + "-" + std::to_string(i));
            (void)server().call("write_file", {{"path", names.back()}, {"content", content}});
        }
        for (const std::string& name : names) {
            while (!os_exists(ws(name))) std::this_thread::yield();
        }
        if (ending == 0) server().close_input();
        if (ending != 0) server().signal(ending);
        EXPECT_EQ(server().wait(), ending == SIGKILL ? 256 + SIGKILL : 0);
        await_end_of_holder();
        for (const std::string& name : names) EXPECT_TRUE(os_read(ws(name)) == content) << name;
        server_.reset();
    }
}

TEST_F(McpStdio, ten_thousand_requests_at_once_are_all_answered) {
    os_write(ws("a.txt"), "text\n");
    constexpr int kCalls = 10'000;
    (void)server();
    std::jthread writer([&] {
        for (int i = 0; i < kCalls; ++i) {
            if (i % 3 == 0) (void)server().request("ping");
            if (i % 3 == 1) (void)server().call("read_file", {{"path", "a.txt"}});
            if (i % 3 == 2) (void)server().call("glob", {{"pattern", "*.txt"}});
        }
    });
    std::set<std::int64_t> answered;
    int results = 0;
    for (int i = 0; i < kCalls; ++i) {
        const json::Value message = server().receive();
        ASSERT_FALSE(message.is_null());
        EXPECT_TRUE(answered.insert(*at(message, "id").as_integer()).second);
        if (!at(message, "result").is_null()) ++results;
    }
    EXPECT_EQ(answered.size(), 10'000U);
    EXPECT_GE(results, 2 * kCalls / 3) << "what is quick is never refused";
    if (!kSanitized) {
        EXPECT_LT(status_kb(server().id(), "VmHWM"), 128'000U);
    }
}

TEST_F(McpStdio, quick_calls_that_come_together_are_answered_once_each) {
    os_write(ws("a.txt"), "text\n");
    constexpr int kCalls = 5'000;
    (void)server();
    std::jthread writer([&] {
        for (int i = 0; i < kCalls; ++i) (void)server().call("read_file", {{"path", "a.txt"}});
        server().close_input();
    });
    std::set<std::int64_t> answered;
    for (json::Value next = server().receive(); !next.is_null(); next = server().receive()) {
        EXPECT_TRUE(answered.insert(*at(next, "id").as_integer()).second);
        EXPECT_NE(text_at(next, "result").find("text"), std::string::npos);
    }
    EXPECT_EQ(answered.size(), std::size_t{kCalls});
    writer.join();
    EXPECT_EQ(server().wait(), 0);
}

// Whoever sends both at once has read the file before it is changed.
TEST_F(McpStdio, an_edit_right_behind_its_read_is_taken) {
    const auto line = [](int id, const char* tool, const char* arguments) {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
               R"(,"method":"tools/call","params":{"name":")" + tool + R"(","arguments":)" +
               arguments + "}}\n";
    };
    for (int i = 0; i < 40; ++i) {
        os_write(ws("f" + std::to_string(i)), "old");
        const std::string path = R"({"path":"f)" + std::to_string(i) + '"';
        server().send_raw(line(1000 + 2 * i, "read_file", (path + "}").c_str()) +
                          line(1001 + 2 * i, "edit_file",
                               (path + R"(,"old_string":"old","new_string":"new"})").c_str()));
        const json::Value answer = server().answer_to(1001 + 2 * i);
        EXPECT_EQ(text_at(answer, "result.isError"), "null") << json::to_text(answer);
    }
}

// Agents send several calls at once and expect each to see what the ones before have done.
TEST_F(McpStdio, each_change_of_a_row_is_in_force_for_what_comes_behind_it) {
    for (int round = 0; round < 20; ++round) {
        const std::string name = "f" + std::to_string(round);
        const auto edit = [&](const char* old, const char* now) {
            return server().call("edit_file",
                                 {{"path", name}, {"old_string", old}, {"new_string", now}});
        };
        const int written = server().call("write_file", {{"path", name}, {"content", "one\n"}});
        const int read = server().call("read_file", {{"path", name}});
        const int edited = edit("one", "two");
        const int edited_again = edit("two", "three");
        const int moved =
            server().call("move_path", {{"source", name}, {"destination", "to/" + name}});
        const int read_again = server().call("read_file", {{"path", "to/" + name}});
        const int found = server().call("grep", {{"pattern", "three"}, {"path", "to/" + name}});
        std::map<std::int64_t, json::Value> answers;
        while (answers.size() < 7) {
            json::Value answer = server().receive();
            ASSERT_FALSE(answer.is_null());
            answers.emplace(*at(answer, "id").as_integer(), std::move(answer));
        }
        const auto expect = [&](int id, std::string_view text) {
            const json::Value& answer = answers[id];
            EXPECT_EQ(text_at(answer, "result.isError"), "null") << json::to_text(answer);
            EXPECT_NE(text_at(answer, "result.content").find(text), std::string::npos)
                << json::to_text(answer);
        };
        expect(written, "Created");
        expect(read, "one");
        expect(edited, "+two");
        expect(edited_again, "+three");
        expect(moved, "to/");
        expect(read_again, "three");
        expect(found, "to/" + name);
    }
}

// As many commands as run at once, all waiting for us, and then what takes threads too.
TEST_F(McpStdio, long_commands_hold_up_no_other_tool) {
    NEEDS_BASH();
    tree({"ROOT/a.txt=one\n", "ROOT/gate="});
    const UniqueFd gate(::open(ws("gate").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(gate.get(), LOCK_EX), 0);
    std::set<std::string> running;
    for (std::size_t i = 0; i < limits::kMcpCommandsMax; ++i) {
        running.insert(std::to_string(server().call(
            "bash", {{"command", kAwaitLock}, {"timeout_ms", 600'000}},
            {{"_meta", json::Object{{"progressToken", static_cast<std::int64_t>(i)}}}})));
    }
    const auto started = [&] {
        const json::Value message = server().receive();
        EXPECT_EQ(text_at(message, "params.message"), R"("waiting\n")") << json::to_text(message);
    };
    for (std::size_t i = 0; i < running.size(); ++i) started();
    const auto answered = [&](const char* tool, const json::Object& arguments) {
        const std::string id = std::to_string(server().call(tool, arguments));
        const json::Value message = server().receive();
        EXPECT_EQ(text_at(message, "id"), id) << "no command has ended: " << json::to_text(message);
        return text_at(message, "result.content");
    };
    EXPECT_NE(answered("grep", {{"pattern", "one"}}).find("a.txt"), std::string::npos);
    EXPECT_NE(answered("read_file", {{"path", "a.txt"}}).find("one"), std::string::npos);
    EXPECT_NE(
        answered("edit_file", {{"path", "a.txt"}, {"old_string", "one"}, {"new_string", "two"}})
            .find("+two"),
        std::string::npos);
    ASSERT_EQ(::flock(gate.get(), LOCK_UN), 0);
    while (!running.empty()) {
        const json::Value message = server().receive();
        ASSERT_EQ(running.erase(text_at(message, "id")), 1U) << json::to_text(message);
        EXPECT_TRUE(at(message, "result.isError").is_null()) << json::to_text(message);
    }
}

TEST_F(McpStdio, a_full_queue_refuses_and_what_is_quick_goes_on) {
    NEEDS_BASH();
    const auto wait = [&] { return server().call("bash", {{"command", "sleep 100000"}}); };
    constexpr std::size_t kBeyond = 50;
    const std::size_t fits = limits::kMcpCommandsMax + limits::kMcpQueueMax;
    for (std::size_t i = 0; i < fits + kBeyond; ++i) (void)wait();
    const int ping = server().request("ping");
    const std::string bound = std::to_string(limits::kMcpCommandsMax) +
                              " commands are running and " + std::to_string(limits::kMcpQueueMax) +
                              " more are waiting";
    std::size_t refused = 0;
    for (;;) {
        const json::Value message = server().receive();
        ASSERT_FALSE(message.is_null());
        if (text_at(message, "id") == std::to_string(ping)) break;
        EXPECT_EQ(text_at(message, "error.code"), "-32603") << json::to_text(message);
        EXPECT_NE(text_at(message, "error.message").find(bound), std::string::npos)
            << json::to_text(message);
        ++refused;
    }
    EXPECT_GE(refused, kBeyond);
    EXPECT_LE(refused, kBeyond + limits::kMcpCommandsMax) << "threads may take their time";
    (void)server().text_of("glob", {{"pattern", "*"}});
    server().close_output();
    EXPECT_EQ(server().wait(), 0);
}

// What was answered is there, as a whole; what was not is there as a whole or not at all.
TEST_F(McpStdio, no_answered_write_is_lost_and_none_is_half_done) {
    const std::string content(200'000, 'c');
    for (const int ending : {0, SIGTERM, SIGKILL}) {
        std::map<int, std::string> written;
        for (int i = 0; i < 40; ++i) {
            const std::string name = std::to_string(ending) + "-" + std::to_string(i);
            written[server().call("write_file", {{"path", name}, {"content", content}})] = name;
        }
        std::set<int> answered;
        const auto take = [&] {
            const json::Value message = server().receive();
            if (message.is_null()) return false;
            EXPECT_TRUE(at(message, "result.isError").is_null()) << json::to_text(message);
            return answered.insert(static_cast<int>(*at(message, "id").as_integer())).second;
        };
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(take());
        if (ending == 0) server().close_input();
        if (ending != 0) server().signal(ending);
        while (take()) {
        }
        EXPECT_TRUE(ending != 0 || answered.size() == 40) << answered.size();
        (void)server().wait();
        for (const auto& [id, name] : written) {
            if (answered.contains(id) || os_exists(ws(name))) {
                EXPECT_TRUE(os_read(ws(name)) == content) << name;
            }
        }
        server_.reset();
    }
}

TEST_F(McpStdio, an_id_that_is_in_use_is_refused) {
    NEEDS_BASH();
    const int first = start_holder(false);
    server().send(R"({"jsonrpc":"2.0","id":)" + std::to_string(first) + R"(,"method":"ping"})");
    EXPECT_EQ(text_at(server().answer_to(first), "error.code"), "-32600");
    EXPECT_TRUE(is_held()) << "the first one is not touched";
}

TEST_F(McpStdio, a_line_of_a_hundred_megabytes_is_refused_and_the_next_one_read) {
    const std::size_t before =
        (server().answer_to(server().request("ping")), status_kb(server().id(), "VmRSS"));
    const std::string block(1'000'000, 'x');
    server().send_raw(R"({"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":")");
    for (int i = 0; i < 100; ++i) server().send_raw(block);
    server().send("\"}}");
    EXPECT_EQ(text_at(server().answer_to(5), "error.code"), "-32600");
    EXPECT_EQ(text_at(server().answer_to(server().request("ping")), "result"), "{}");
    if (!kSanitized) {
        EXPECT_LT(status_kb(server().id(), "VmHWM"), before + 64'000U);
    }
}

TEST_F(McpStdio, issue_17_10_searches_across_lines_share_a_bound_on_memory) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer's own memory counts too";
    constexpr std::size_t kFileBytes = 40'000'000;
    std::string text;
    while (text.size() < kFileBytes) text += "a line of some text with nothing in it to find\n";
    os_write(ws("large"), text);
    // Others take memory of another size, which the C library must not keep for each thread.
    std::string wide = "\xff\xfe";
    for (const char c : text.substr(0, kFileBytes / 4)) wide += {c, '\0'};
    os_write(ws("wide"), wide);
    os_write(ws("half"), text.substr(0, kFileBytes / 2));
    const std::size_t before =
        (server().answer_to(server().request("ping")), status_kb(server().id(), "VmHWM"));
    std::set<int> asked;
    for (int i = 0; i < 16; ++i) {
        asked.insert(server().call("grep", {{"pattern", "t[a-z ]+\nb"}, {"multiline", true}}));
    }
    while (!asked.empty()) {
        const json::Value answer = server().receive();
        ASSERT_FALSE(answer.is_null());
        EXPECT_TRUE(at(answer, "result.isError").is_null());
        asked.erase(static_cast<int>(*at(answer, "id").as_integer()));
    }
    EXPECT_LT(status_kb(server().id(), "VmHWM"), before + 256'000U);
}

TEST_F(McpStdio, issue_17_11_a_string_cut_inside_an_emoji_is_answered_with_its_id) {
    server().send(
        R"({"method":"tools/call","params":{"name":"write_file","arguments":{"path":"a.txt",)"
        R"("content":"\ud83d"}},"jsonrpc":"2.0","id":5})");
    const json::Value answer = server().answer_to(5);
    EXPECT_EQ(text_at(answer, "error.code"), "-32700");
    EXPECT_NE(text_at(answer, "error.message").find("half of a surrogate pair"), std::string::npos);
    EXPECT_FALSE(os_exists(ws("a.txt")));
}

TEST_F(McpStdio, hostile_lines_are_refused_one_by_one) {
    const std::string deep(100'000, '[');
    for (const std::string& line :
         {std::string("garbage"), std::string("{"), std::string("\xff\xfe\x00", 3), deep,
          std::string(R"({"jsonrpc":"2.0","id":9,"id":9,"method":"ping"})"),
          std::string(R"([{"jsonrpc":"2.0","id":9,"method":"ping"}])")}) {
        server().send(line);
        const json::Value answer = server().receive();
        EXPECT_FALSE(at(answer, "error.code").is_null());
        EXPECT_TRUE(at(answer, "id").is_null());
    }
    server().send(R"({"jsonrpc":"2.0","id":9,"method":"ping","params":)" + deep);
    EXPECT_EQ(text_at(server().answer_to(9), "error.code"), "-32700");
    server().send("");
    server().send("  \r");
    EXPECT_EQ(text_at(server().answer_to(server().request("ping")), "result"), "{}");
    server().send_raw(R"({"jsonrpc":"2.0","id":77,"method":"pi)");
    server().close_input();
    EXPECT_EQ(text_at(server().receive(), "error.code"), "-32700");
    EXPECT_TRUE(server().receive().is_null());
    EXPECT_EQ(server().wait(), 0);
}

TEST_F(McpStdio, read_only_lists_no_tool_that_changes_anything) {
    server_.emplace(ws(), std::vector<std::string>{"--read-only"});
    os_write(ws("a.txt"), "text\n");
    const json::Value tools =
        at(server().answer_to(server().request("tools/list")), "result.tools");
    for (const json::Value& tool : *tools.as_array()) {
        EXPECT_EQ(text_at(tool, "annotations.readOnlyHint"), "true") << json::to_text(tool);
    }
    const json::Value write =
        server().answer_to(server().call("write_file", {{"path", "b.txt"}, {"content", "x"}}));
    EXPECT_EQ(text_at(write, "error.code"), "-32602");
    EXPECT_NE(server().text_of("read_file", {{"path", "a.txt"}}).find("text"), std::string::npos);
}

// Wall two is not optional: a kernel that refuses it gets no server.
TEST_F(McpStdio, does_not_serve_unconfined) {
    const auto without_landlock = [] {
        constexpr unsigned kRestrictSelf = 446;
        sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                              BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kRestrictSelf, 0, 1),
                              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                              BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const sock_fprog program{std::size(code), code};
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
        const int silence = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(silence, 2);
    };
    server_.emplace(ws(), std::vector<std::string>{"--no-bash"}, without_landlock);
    (void)server().request("ping");
    EXPECT_TRUE(server().receive().is_null()) << "nothing but the protocol is on the output";
    EXPECT_EQ(server().wait(), 1);
}

}  // namespace
}  // namespace paddock::testing
