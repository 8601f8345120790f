// `paddock run`: the command's own words and exit code, and what it was denied for the person.
#include "cli/run.h"

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "sandbox/proxy_peers.h"
#include "testing/jail.h"
#include "testing/shell.h"

namespace paddock::testing {
namespace {

class Run : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
        const Ran probe = run({}, {"true"});
        if (probe.exit_code == 125) GTEST_SKIP() << probe.err;
        ASSERT_EQ(probe.exit_code, 0) << probe.err;
    }

    Ran run(const std::vector<std::string>& options, const std::vector<std::string>& command,
            const Setting& setting = {}) const {
        std::vector<std::string> words{"run", "--root", ws()};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), command.begin(), command.end());
        return paddock(words, setting);
    }
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST_F(Run, tells_the_person_what_was_denied) {
    const Ran quiet = run({}, {"sh", "-c", "echo out; echo err >&2; echo > made; exit 3"});
    EXPECT_EQ(quiet.exit_code, 3);
    EXPECT_EQ(quiet.out, "out\n");
    EXPECT_EQ(quiet.err, "err\n");
    const Ran denied = run({}, {"sh", "-c", "echo > /etc/new; echo out"});
    EXPECT_EQ(denied.exit_code, 0);
    EXPECT_EQ(denied.out, "out\n");
    if (!holds(denied.err, "Denied")) GTEST_SKIP() << "denials are not told here";
    EXPECT_TRUE(
        holds(denied.err,
              "paddock: Denied by the sandbox:\n- create /etc/new: outside of the workspace "
              "(layer: "))
        << denied.err;
}

TEST_F(Run, works_in_further_directories) {
    const std::string also = base() + "/also";
    const std::string see = base() + "/see";
    for (const std::string& each : {also, see}) std::filesystem::create_directory(each);
    os_write(see + "/f", "to read");
    if (is_root()) {
        for (const std::string& each : {also, see, ws()}) {
            ASSERT_EQ(::chown(each.c_str(), 65534, 65534), 0);
        }
    }
    const std::string script = "cat " + see + "/f > " + also + "/made; echo > " + see + "/new";
    const Ran by_flags = run({"--also", also, "--see", see}, {"sh", "-c", script});
    EXPECT_EQ(os_read(also + "/made"), "to read") << by_flags.err;
    EXPECT_FALSE(os_exists(see + "/new"));
    if (holds(by_flags.err, "Denied")) {
        EXPECT_TRUE(holds(by_flags.err, "create " + see + "/new: this directory is read-only"))
            << by_flags.err;
        EXPECT_TRUE(holds(by_flags.err, "operator setting: workspace.also")) << by_flags.err;
    }
    // The same from the configuration; without either, neither is there.
    const std::string file = base() + "/paddock.toml";
    os_write(file, "[workspace]\nalso = [\"" + also + "\"]\nsee = [\"" + see + "\"]\n");
    std::filesystem::remove(also + "/made");
    (void)run({"--config", file}, {"sh", "-c", script});
    EXPECT_EQ(os_read(also + "/made"), "to read");
    std::filesystem::remove(also + "/made");
    (void)run({}, {"sh", "-c", script});
    EXPECT_FALSE(os_exists(also + "/made"));
    EXPECT_FALSE(os_exists(see + "/new"));
}

TEST_F(Run, tells_that_what_is_protected_was_not_removed) {
    tree({"ROOT/.vscode/tasks.json=mine"});
    const Ran ran = run({}, {"sh", "-c", "echo > /etc/new; rm -rf .vscode"});
    EXPECT_EQ(os_read(ws(".vscode/tasks.json")), "mine");
    if (!holds(ran.err, "mount_namespace")) GTEST_SKIP() << "not held by the kernel, or not told";
    EXPECT_TRUE(
        holds(ran.err, "\n- remove .vscode/tasks.json: protected by the rule '.vscode' (layer: "))
        << ran.err;
}

TEST_F(Run, reaches_listed_destinations_only) {
    if (!has_program("curl")) GTEST_SKIP() << "curl is not installed";
    const Origin listed(http("listed content"), "127.0.0.2");
    const Origin other(http("other content"), "127.0.0.3");
    const std::string list = "example.org," + listed.place();
    const std::vector<std::string> ask{"curl", "-sSf", "http://" + listed.place(),
                                       "http://" + other.place()};
    const Ran ran = run({}, ask, {.variables = {{"PADDOCK_BASH_NETWORK", list}}});
    if (ran.exit_code == 125) {
        EXPECT_TRUE(holds(ran.err, "sandbox_unavailable")) << ran.err;
        GTEST_SKIP() << ran.err;
    }
    EXPECT_TRUE(ran.out.starts_with("listed content")) << ran.out << ran.err;
    const std::string whole = list + "," + other.place();
    EXPECT_TRUE(holds(ran.err, "- connect to " + other.place() +
                                   ": is not on the allow list; allow it with --net " + whole +
                                   " (layer: proxy, "))
        << ran.err;
    EXPECT_EQ(other.connections(), 0);
    // As it stands there it goes before the list of the configuration.
    const Ran pasted = run({"--net", whole}, ask, {.variables = {{"PADDOCK_BASH_NETWORK", list}}});
    EXPECT_EQ(pasted.out, "listed contentother content") << pasted.err;
    // The control: the new host alone would close the others.
    const Ran alone =
        run({"--net", other.place()}, ask, {.variables = {{"PADDOCK_BASH_NETWORK", list}}});
    EXPECT_FALSE(holds(alone.out, "listed content")) << alone.out;
}

TEST_F(Run, publishes_a_server_of_the_command) {
    if (!has_program("python3")) GTEST_SKIP() << "python3 is not installed";
    const std::uint16_t port = free_port();
    const std::string number = std::to_string(port);
    // Serves whoever says something, once.
    const std::string server =
        "import socket\nserver = socket.create_server(('127.0.0.1', " + number +
        "))\n"
        "text = b''\n"
        "while not text:\n  client = server.accept()[0]; text = client.recv(99)\n"
        "client.sendall(text.upper())";
    Process process({"run", "--root", ws(), "--publish", number, "--", "python3", "-c", server});
    const std::string where = "paddock: listening: http://127.0.0.1:" + number + "\n";
    const std::string said = process.err_until(where);
    if (holds(said, "sandbox_unavailable")) {
        EXPECT_EQ(process.wait().exit_code, 125);
        GTEST_SKIP() << said;
    }
    ASSERT_TRUE(said.ends_with(where)) << said;
    const UniqueFd client = connect_to("127.0.0.1", port);
    send_all(client.get(), "hello");
    EXPECT_EQ(read_to_end(client.get()), "HELLO");
    const Ran ran = process.wait();
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, where) << "it is said once";
    // The control: it was paddock that listened.
    EXPECT_EQ(connect_error("127.0.0.1", port), ECONNREFUSED);
}

// Whatever ends paddock: nothing is planted.
class Ended : public Run {
protected:
    void expect_nothing_after(int number, const std::vector<std::string>& words) {
        Process process(words);
        while (!os_exists(ws("ready"))) std::this_thread::yield();
        ::kill(process.id(), number);
        const Ran ran = process.wait();
        EXPECT_EQ(ran.exit_code, 128 + number) << ran.err;
        EXPECT_FALSE(os_exists(ws(".vscode"))) << number;
        std::filesystem::remove(ws("ready"));
    }
};

constexpr const char* kPlant = "mkdir .vscode; : > ready; exec sleep 100000";

TEST_F(Ended, run_by_a_signal) {
    for (const int number : {SIGTERM, SIGUSR1, SIGALRM, SIGABRT, SIGRTMIN + 3}) {
        expect_nothing_after(number, {"run", "--root", ws(), "--", "sh", "-c", kPlant});
    }
}

TEST_F(Ended, a_call_by_a_signal) {
    const std::string arguments = "{\"command\": \"" + std::string(kPlant) + "\"}";
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1}) {
        expect_nothing_after(number, {"call", "bash", arguments, "--root", ws()});
    }
}

TEST_F(Run, what_follows_the_command_is_its_own) {
    const std::vector<std::string> print{"printf", "%s,", "-la", "--root", "--", "--help"};
    std::vector<std::string> words{"run", "--root", ws()};
    words.insert(words.end(), print.begin(), print.end());
    EXPECT_EQ(paddock(words).out, "-la,--root,--,--help,");
    EXPECT_EQ(run({}, print).out, "-la,--root,--,--help,");
    EXPECT_EQ(paddock({"run", "--unknown", "true"}).exit_code, 2);
}

TEST_F(Run, the_exit_code_tells_who_failed) {
    using Words = std::vector<std::string>;
    for (const Words& wrong :
         {Words{"--unknown"}, Words{"--net", "allow=a/b"}, Words{"--limit", "memory=x"},
          Words{"--limit", "memory"}, Words{"--require-layer", "foo"}, Words{"--env", "X"}}) {
        EXPECT_EQ(run(wrong, {"true"}).exit_code, 2) << wrong[0] << " " << wrong.back();
    }
    EXPECT_EQ(paddock({"run", "--root", ws()}).exit_code, 2) << "no command";

    os_write(base() + "/bad.toml", "[bash]\nnope = 1\n");
    EXPECT_EQ(run({"--config", base() + "/bad.toml"}, {"true"}).exit_code, 125);
    EXPECT_EQ(run({"--config", base() + "/bad.toml", "--env", "X"}, {"true"}).exit_code, 125);
    EXPECT_EQ(run({"--config", base() + "/none.toml"}, {"true"}).exit_code, 125);
    EXPECT_EQ(paddock({"run", "--root", ws("none"), "--", "true"}).exit_code, 125);
    Setting setting;
    setting.variables = {{"PADDOCK_BASH_NETWORK", "foo"}};
    EXPECT_EQ(paddock({"run", "--root", ws(), "--", "true"}, setting).exit_code, 125);

    tree({"ROOT/text=no program"});
    EXPECT_EQ(run({}, {"./text"}).exit_code, 126);
    EXPECT_EQ(run({}, {"./none"}).exit_code, 127);
    EXPECT_EQ(run({}, {"no-such-program"}).exit_code, 127);
}

// A directory of somebody else's: it can be read.
TEST_F(Run, a_workspace_that_the_user_may_not_write_is_for_reading) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    tree({"ROOT/src/text=content", "ROOT/.env=KEY=hidden-value"});
    ASSERT_EQ(::chmod(ws().c_str(), 0555), 0);
    const Ran refused = run({}, {"true"});
    const Ran ran = run({"--ro"}, {"cat", "src/text", ".env"});
    EXPECT_EQ(::chmod(ws().c_str(), 0755), 0);
    EXPECT_EQ(refused.exit_code, 125);
    EXPECT_TRUE(holds(refused.err,
                      "read_only: start commands: this user cannot write in the workspace; for "
                      "commands that only read, set"))
        << refused.err;
    EXPECT_TRUE(ran.out.starts_with("content")) << ran.err;
    EXPECT_NE(holds(ran.out, "hidden-value"), holds(ran.err, "Permission denied")) << ran.out;
}

// The stack of a thread is as large as that of a process may grow: no address space holds it.
class NoThreads {
public:
    NoThreads() {
        ::getrlimit(RLIMIT_STACK, &usual_);
        const rlimit large{rlim_t{1} << 50U, usual_.rlim_max};
        ::setrlimit(RLIMIT_STACK, &large);
    }
    ~NoThreads() { ::setrlimit(RLIMIT_STACK, &usual_); }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

private:
    rlimit usual_;
};

TEST_F(Run, ends_what_it_has_no_thread_to_look_after) {
    if (std::string_view(PADDOCK_SANITIZE) == "thread")
        GTEST_SKIP() << "that one needs a usual stack";
    rlimit stack;
    ::getrlimit(RLIMIT_STACK, &stack);
    if (stack.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "the stack may not grow so far here";
    const NoThreads none;
    const Ran ran = run({}, {"sh", "-c", "mkdir .vscode; sleep 1000"});
    EXPECT_EQ(ran.exit_code, 125);
    EXPECT_TRUE(holds(ran.err,
                      "paddock: limit_reached: The command was ended: the host had no thread left "
                      "to supervise it."))
        << ran.err;
    EXPECT_FALSE(os_exists(ws(".vscode")));
}

TEST_F(Run, names_the_limit_that_was_met) {
    const Ran ran = run({"--limit", "file=1M"}, {"sh", "-c", "head -c 2000000 /dev/zero > big"});
    constexpr std::string_view kTold = "- exceed the limit of file_bytes: a file grew beyond 1 MB";
    EXPECT_TRUE(holds(ran.err, kTold)) << ran.err;
    const Ran plain = run({"--limit", "file=1M"}, {"truncate", "-s", "2M", "big"});
    EXPECT_EQ(plain.exit_code, 128 + SIGXFSZ);
    EXPECT_TRUE(holds(plain.err, kTold)) << plain.err;
}

TEST_F(Run, takes_the_options_of_a_server_by_their_names) {
    const std::vector<std::string> write{"sh", "-c", "echo text > new"};
    for (const char* read_only : {"--ro", "--read-only", "--bash-read-only"}) {
        EXPECT_NE(run({read_only}, write).exit_code, 0) << read_only;
        EXPECT_FALSE(os_exists(ws("new"))) << read_only;
    }
    for (const char* limit : {"--limit=file=1M", "--bash-limits-file-bytes=1M"}) {
        EXPECT_EQ(run({limit}, {"bash", "-c", "ulimit -f"}).out, "1024\n") << limit;
    }
    EXPECT_EQ(run({"--rule", "nonsense"}, {"true"}).exit_code, 2);
    EXPECT_EQ(run({"--bash-network", "hosts"}, {"true"}).exit_code, 2);
    EXPECT_EQ(run({"--allow-host", "a/b"}, {"true"}).exit_code, 2);
    for (const std::vector<std::string>& network :
         {std::vector<std::string>{"--net", "allow=a.org"},
          {"--allow-host", "a.org", "--allow-host", "b.org"},
          {"--bash-network", "listed", "--allow-host", "a.org"}}) {
        const Ran ran = run(network, {"printenv", "HTTPS_PROXY"});
        if (holds(ran.err, "sandbox_unavailable")) continue;
        EXPECT_TRUE(ran.out.starts_with("http://")) << network[0] << ran.err;
    }
}

TEST_F(Run, is_ended_by_a_limit_that_the_kernel_does_not_keep) {
    Setting setting;
    setting.variables = {{"PADDOCK_LIMITS_BYTES_ON_DISK", "1M"}};
    const Ran full = paddock(
        {"run", "--root", ws(), "--", "sh", "-c", "head -c 2M /dev/zero > big; exec sleep 100000"},
        setting);
    EXPECT_EQ(full.exit_code, 128 + SIGKILL);
    EXPECT_TRUE(holds(full.err,
                      "- exceed the limit of bytes_on_disk: it filled the workspace (layer: "
                      "limits, operator setting: limits.bytes_on_disk)"))
        << full.err;
    const Ran many = run({"--limit", "processes=20"},
                         {"bash", "-c", "for i in {1..100}; do sleep 100000 & done; wait"});
    EXPECT_EQ(many.exit_code, 128 + SIGKILL);
    EXPECT_TRUE(holds(many.err, "- exceed the limit of processes: there were 20 processes"))
        << many.err;
}

TEST_F(Run, beyond_the_quota_says_so_and_can_only_remove) {
    Setting setting;
    setting.variables = {{"PADDOCK_LIMITS_BYTES_ON_DISK", "1M"}};
    const auto shell = [&](const char* script) {
        return paddock({"run", "--root", ws(), "--", "sh", "-c", script}, setting);
    };
    constexpr std::string_view kLeft =
        "- exceed the limit of bytes_on_disk: the workspace is over its quota (layer: ";
    constexpr std::string_view kBegan =
        "paddock: The workspace was over its quota when this command started, so it can remove ";
    const Ran passed = shell("exec truncate -s 2M f");
    EXPECT_EQ(passed.exit_code, 0);
    EXPECT_TRUE(holds(passed.err, kLeft)) << passed.err;
    EXPECT_FALSE(holds(passed.err, kBegan)) << passed.err;
    const Ran more = shell("exec truncate -s 3M f");
    EXPECT_EQ(more.exit_code, 1);
    EXPECT_TRUE(holds(more.err, kBegan)) << more.err;
    EXPECT_EQ(std::filesystem::file_size(ws("f")), 2U << 20);
    const Ran freed = shell("exec rm f");
    EXPECT_EQ(freed.exit_code, 0);
    EXPECT_TRUE(holds(freed.err, kBegan)) << freed.err;
    EXPECT_FALSE(holds(freed.err, kLeft)) << freed.err;
}

TEST_F(Run, the_network_is_asked_for_in_words) {
    for (const char* right : {"none", "host", "allow=a.org,*.b.org:443", "npm,github,a.org"}) {
        const Ran ran = run({"--net", right}, {"true"});
        EXPECT_TRUE(ran.exit_code == 0 || holds(ran.err, "sandbox_unavailable")) << ran.err;
    }
    for (const char* wrong :
         {"", "hosts", "allow", "allow=", "allow=a.b,,b.c", "allow=a b", "npm,nmp"}) {
        EXPECT_NE(run({"--net", wrong}, {"true"}).exit_code, 0) << wrong;
    }
    const Ran ran = run({"--net", "hots"}, {"true"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_TRUE(holds(ran.err, "did you mean 'host'")) << ran.err;
    const Ran misspelt = run({"--net", "npm,githb"}, {"touch", "ran"});
    EXPECT_EQ(misspelt.exit_code, 2);
    EXPECT_TRUE(holds(misspelt.err, "npm, pypi, crates, go, github, debian")) << misspelt.err;
    EXPECT_TRUE(holds(misspelt.err, "did you mean 'github'")) << misspelt.err;
    EXPECT_FALSE(os_exists(ws("ran")));
}

}  // namespace
}  // namespace paddock::testing
