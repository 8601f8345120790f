// What a command was denied, at the end of its result; and listed destinations, through the proxy.
// All on loopback addresses.
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "sandbox/proxy_peers.h"
#include "testing/secret_samples.h"
#include "testing/shell.h"
#include "tools/bash_desk.h"
#include "tools/denied_reads.h"

namespace paddock::testing {
namespace {

std::string line(const std::string& what, std::string_view layer, std::string_view setting) {
    return "\n- " + what + " (layer: " + std::string(layer) +
           ", operator setting: " + std::string(setting) + ")";
}

class Denials : public BashDesk {
protected:
    void SetUp() override {
        BashDesk::SetUp();
        if (IsSkipped()) return;
        if (!holds(bash("echo > /etc/probe"), "Denied"))
            GTEST_SKIP() << "denials are not told here";
        full_ = holds(bash("echo > /etc/probe"), "mount_namespace");
    }

    std::string_view files() const { return full_ ? "mount_namespace" : "landlock"; }

    bool full_ = true;
};

TEST_F(Denials, are_the_end_of_a_result) {
    const std::string text = bash("echo before; echo > /usr/new; echo > /etc/passwd; exit 3");
    const std::string block =
        "]\n[Denied by the sandbox:" +
        line("create /usr/new: outside of the workspace", files(), "workspace.root") +
        line("write /etc/passwd: outside of the workspace", files(), "workspace.root") + "]";
    EXPECT_TRUE(text.starts_with("before\n")) << text;
    EXPECT_TRUE(holds(text, "[exit code 3 after ")) << text;
    EXPECT_TRUE(text.ends_with(block)) << text;
}

TEST_F(Denials, name_a_write_beside_the_workspace) {
    const std::string text = bash("echo > ../beside; echo > /dev/beside");
    const std::string above = ws().substr(0, ws().rfind('/'));
    EXPECT_TRUE(holds(text, line("create " + above + "/beside: outside of the workspace", files(),
                                 "workspace.root")))
        << text;
    if (full_) {
        EXPECT_TRUE(holds(text, "create /dev/beside: outside of the workspace")) << text;
    }
    EXPECT_FALSE(os_exists(above + "/beside"));
}

// In a directory of the owner's that commands do not see; the kernel would say that it does not
// exist.
TEST_F(Denials, name_a_write_in_a_directory_that_commands_do_not_see) {
    if (!full_) GTEST_SKIP() << "without a mount namespace commands see each directory";
    const std::string other = ws().substr(0, ws().rfind('/')) + "/other";
    ASSERT_EQ(::mkdir(other.c_str(), 0755), 0);
    const std::string made = other + "/new";
    for (const std::string& command :
         {"echo > " + made, "mkdir " + made, "mkdir -p " + made + "/d", "ln -s a " + made,
          "touch here; mv here " + made, std::string("cp /etc/passwd ../other/new")}) {
        const std::string text = bash(command);
        EXPECT_TRUE(holds(text, "Read-only file system")) << text;
        EXPECT_TRUE(holds(text, "create " + other)) << text;
        EXPECT_FALSE(os_exists(made));
    }
    // What is missing where commands may write is just missing.
    EXPECT_TRUE(holds(bash("echo > /tmp/absent/new"), "No such file or directory"));
    EXPECT_TRUE(holds(bash("echo > absent/new"), "No such file or directory"));
    EXPECT_FALSE(holds(bash("cat " + other + "/absent; rm -f " + other + "/a"), "Denied"));
}

TEST_F(Denials, are_not_spoken_of_where_there_are_none) {
    EXPECT_FALSE(holds(
        bash("echo x > new; cat a.txt new; mkdir -p /tmp/x; echo > /var/tmp/y; ls /etc; rm new; "
             "echo > /dev/null; cat /no/such/file; rm -f /no/such/file"),
        "Denied"));
}

// The rules excuse packages and branches; a secret is not moved among them.
TEST_F(Denials, by_a_rule_follow_what_a_command_moves) {
    tree({"ROOT/certs/server.key=KEYDATA", "ROOT/z/.git/refs/heads/",
          "ROOT/node_modules/p/public.key=PUBLIC", "ROOT/node_modules/p/.vscode/a=theirs"});
    reopen();
    EXPECT_TRUE(holds(bash("mv certs z/.git/refs/heads/"), "Denied"));
    EXPECT_TRUE(holds(bash("mv certs node_modules/"), "Denied"));
    EXPECT_EQ(refused("read_file", {{"path", "certs/server.key"}}), "denied_by_rule");
    EXPECT_TRUE(os_exists(ws("certs/server.key")));
    bash("mv node_modules/p node_modules/q && mv node_modules/q node_modules/p");
    EXPECT_TRUE(os_exists(ws("node_modules/p/public.key")));
    (void)ok("write_file", {{"path", "node_modules/p/.vscode/b"}, {"content", "x"}});
}

// Without HEAD it is no repository, until a command gives it back.
TEST_F(Denials, hold_for_a_repository_that_a_command_has_made_unlike_one) {
    if (!full_) GTEST_SKIP() << "no mount namespaces here: nothing is held";
    tree({"ROOT/srv/HEAD=ref: refs/heads/main\n", "ROOT/srv/objects/", "ROOT/srv/refs/",
          "ROOT/srv/config=[core]\n", "ROOT/srv/hooks/"});
    const json::Object hook = {{"path", "srv/hooks/post-update"}, {"content", "evil"}};
    EXPECT_EQ(refused("write_file", hook), "denied_by_rule");
    bash("mv srv/HEAD srv/H");
    EXPECT_EQ(refused("write_file", hook), "denied_by_rule");
    (void)ok("read_file", {{"path", "srv/config"}});
    EXPECT_EQ(refused("write_file", {{"path", "srv/config"}, {"content", "evil"}}),
              "denied_by_rule");
    bash("mv srv/H srv/HEAD");
    EXPECT_FALSE(os_exists(ws("srv/hooks/post-update")));
}

TEST_F(Denials, by_a_rule_are_told) {
    tree({"ROOT/.git/hooks/", "ROOT/.git/config=[core]\n", "ROOT/.git/HEAD=ref: refs/heads/main\n",
          "ROOT/.git/objects/", "ROOT/.git/refs/", "ROOT/.vscode/tasks.json=x"});
    const std::string text = bash(
        "echo x > .git/hooks/pre-commit; mv .git elsewhere; rm -r .vscode; git config "
        "core.fsmonitor x");
    for (const char* told :
         {"create .git/hooks/pre-commit: protected by the rule 'hooks of a git repository'",
          "rename elsewhere: protected by the rule '.git'",
          "remove .vscode/tasks.json: protected by the rule '.vscode'",
          "rename .git/config: protected by the rule 'settings of a git repository': "
          "core.fsmonitor"}) {
        EXPECT_TRUE(holds(text, line(told, "gate", "workspace.rules"))) << text;
    }
}

TEST_F(Denials, in_a_read_only_session_are_told) {
    options.shell->read_only = true;
    reopen();
    EXPECT_TRUE(holds(
        bash("echo > new"),
        line("create " + ws("new") + ": the workspace is read-only", files(), "bash.read_only")));
}

TEST_F(Denials, of_background_commands_are_in_their_output) {
    const std::string id = id_in(
        ok("bash", {{"command", "echo > /etc/one; echo ended"}, {"run_in_background", true}}));
    const std::string text = output_with(id, "[exit code");
    EXPECT_TRUE(holds(text, "- create /etc/one: outside of the workspace")) << text;
    EXPECT_TRUE(text.ends_with("]")) << text;
}

TEST_F(Denials, of_processes_that_were_left_running_are_told_later) {
    const std::string text =
        bash("mkfifo go gone; (read x < go; echo > /etc/late; echo > gone) > left & true");
    EXPECT_FALSE(holds(text, "Denied")) << text;
    EXPECT_FALSE(holds(bash("echo > go; read x < gone"), "Denied")) << "not of this command";
    EXPECT_TRUE(holds(ok("bash_output", {{"id", "b4"}}), "- create /etc/late")) << text;
}

TEST_F(Denials, name_the_limit_that_was_met) {
    options.shell->limits.file_bytes = 1 << 20;
    options.shell->limits.processes = 60;
    reopen();
    EXPECT_TRUE(holds(bash("head -c 2000000 /dev/zero > big"),
                      line("exceed the limit of file_bytes: a file grew beyond 1 MB", "limits",
                           "bash.limits.file_bytes")));
    const tools::Answer ended =
        call("bash", {{"command", "for i in $(seq 200); do sleep 1000 & done; wait"}});
    EXPECT_EQ(ended.command.value_or(tools::CommandResult()).ended_by, "processes");
    const std::string bomb = ended.text();
    EXPECT_TRUE(holds(bomb, line("exceed the limit of processes: there were 60 processes", "limits",
                                 "bash.limits.processes")))
        << bomb;
    // What the operator cannot set is no denial; the caller hears what to do.
    const std::string late = call("bash", {{"command", "sleep 1000"}, {"timeout_ms", 100}}).text();
    EXPECT_TRUE(
        holds(late, "it reached its time limit (limit: timeout_ms); give a larger timeout_ms"))
        << late;
    EXPECT_FALSE(holds(late, "Denied by the sandbox"));
    options.limits.bytes_on_disk = 3 << 19;
    reopen();
    EXPECT_TRUE(holds(call("bash", {{"command", "cp big more; sleep 1000"}}).text(),
                      line("exceed the limit of bytes_on_disk: it filled the workspace", "limits",
                           "limits.bytes_on_disk")));
}

// The kernel refuses these to the command and tells nobody else.
TEST_F(Denials, name_a_limit_that_a_failed_command_speaks_of) {
    if (!has_program("python3")) GTEST_SKIP() << "python3 is not installed";
    options.shell->limits.open_files = 64;
    options.shell->limits.scratch_bytes = 1 << 20;
    reopen();
    const auto perhaps = [](std::string_view key, const std::string& words) {
        return line("exceed the limit of " + std::string(key) + ": it printed '" + words +
                        "', perhaps because of this limit",
                    "limits", "bash.limits." + std::string(key));
    };
    const std::string files = bash("python3 -c 'all = [open(\"a.txt\") for i in range(99)]'");
    EXPECT_TRUE(holds(files, perhaps("open_files", "Too many open files"))) << files;
    if (full_) {
        const std::string scratch = bash("head -c 2M /dev/zero > /tmp/f");
        EXPECT_TRUE(holds(scratch, perhaps("scratch_bytes", "No space left on device"))) << scratch;
    }
    EXPECT_FALSE(holds(bash("echo Too many open files"), "limit")) << "it did not fail";
    if (!full_) return;
    options.shell->limits.scratch_bytes = 64 << 20;
    options.shell->limits.memory_bytes = 32 << 20;
    reopen();
    const std::string shared = bash("head -c 40M /dev/zero > /dev/shm/f");
    EXPECT_TRUE(holds(shared, perhaps("memory_bytes", "No space left on device"))) << shared;
}

TEST_F(Denials, of_the_network_are_told) {
    if (!full_) GTEST_SKIP() << "no network namespace here: there are no sockets to connect";
    const std::string why =
        ": direct connections are closed, and the program ignored HTTPS_PROXY; use HTTPS, or --net "
        "host";
    const std::string text = bash("echo > /dev/tcp/192.0.2.1/443; echo > /dev/tcp/127.0.0.1/9");
    EXPECT_TRUE(
        holds(text, line("connect to 192.0.2.1:443" + why, "network_namespace", "bash.network")))
        << text;
    EXPECT_FALSE(holds(text, "to 127.0.0.1")) << text;
}

TEST_F(Denials, cannot_be_forged_into_other_lines) {
    const std::string text = bash("mkdir $'/etc/a\\n- write b: nothing (layer: none'");
    EXPECT_TRUE(holds(text, "\\x0a- write b")) << text;
}

std::string line(const CommandDenial& denial) {
    return line(denial.operation + " " + denial.target + ": " + denial.reason +
                    (denial.option.empty() ? "" : "; allow it with " + denial.option),
                denial.layer, denial.setting);
}

TEST_F(Denials, are_values_too) {
    tree({"ROOT/.vscode/tasks.json=x"});
    const tools::Answer answer =
        call("bash", {{"command", "rm -r .vscode; mkdir $'/etc/a\\n\\xff'; exit 3"}});
    ASSERT_TRUE(answer.command);
    const auto& denials = answer.command->denials;
    ASSERT_EQ(denials.size(), 2U) << answer.text();
    for (const CommandDenial& denial : denials) {
        EXPECT_TRUE(holds(answer.text(), line(denial))) << answer.text();
        EXPECT_TRUE(denial.needed);
    }
    EXPECT_EQ(denials.back().operation, "create");
    EXPECT_EQ(denials.back().target, "/etc/a\\x0a\\xff");
    EXPECT_FALSE(answer.command->more_denials);
}

TEST_F(Denials, as_values_hold_no_secrets) {
    Chance chance(7);
    const std::string token = "ghp_" + chance.text("abcdefghijkmnpqrstuvwxyzABCDEFGHJ", 36);
    const tools::Answer answer = call("bash", {{"command", "mkdir /etc/" + token}});
    ASSERT_TRUE(answer.command);
    ASSERT_EQ(answer.command->denials.size(), 1U);
    EXPECT_EQ(answer.command->denials[0].target, "/etc/[REDACTED:github-token]") << answer.text();
}

// The filter knows none of the lines but the first (docs/decisions/0007).
TEST_F(Denials, as_values_do_not_divide_a_secret) {
    Chance chance(8);
    std::string command = std::string("mkdir '/etc/-----BEGIN RSA PRIVATE") + " KEY-----'";
    std::vector<std::string> lines;
    for (int i = 0; i < 20; ++i) {
        lines.push_back(chance.text("abcdefghijkmnpqrstuvwxyzABCDEFGHJ0123456789+", 64));
        command += " /etc/" + lines.back();
    }
    command += std::string(" '/etc/-----END RSA PRIVATE") + " KEY-----'";
    const tools::Answer answer = call("bash", {{"command", command + " 2> /dev/null"}});
    ASSERT_TRUE(answer.command);
    for (const std::string& part : lines) {
        EXPECT_FALSE(holds(answer.text(), part)) << answer.text();
        for (const CommandDenial& denial : answer.command->denials) {
            EXPECT_FALSE(holds(denial.target, part)) << denial.target;
        }
    }
    EXPECT_TRUE(answer.command->more_denials);
}

class HiddenReads : public Denials {
protected:
    void SetUp() override {
        Denials::SetUp();
        if (IsSkipped()) return;
        tree({"ROOT/.env=x", "ROOT/sub/server.key=x", "ROOT/one/.envrc=x", "ROOT/two/.envrc=x",
              "ROOT/home/.ssh/id=x", "ROOT/plain=x", "ROOT/odd'\n- x/.env=x", "ROOT/real=x",
              "ROOT/my.key->real", "ROOT/other.key->real"});
        reopen();
    }

    static std::string denied(const std::string& path, std::string_view rule,
                              const std::string& allowed) {
        return line("read " + path + ": hidden from commands: protected by the rule '" +
                        std::string(rule) + "'" +
                        (allowed.empty() ? "" : "; allow it with --rule 'allow " + allowed + "'"),
                    "mount_namespace", "workspace.rules");
    }
};

TEST_F(HiddenReads, are_told_with_the_rule_and_what_allows_them) {
    const std::string text = bash("cat .env");
    if (!full_) {
        EXPECT_FALSE(holds(text, "hidden")) << "nothing is covered";
        return;
    }
    EXPECT_TRUE(text.ends_with("[Denied by the sandbox:" + denied(".env", ".env", "/.env") + "]"))
        << text;
    const auto told = [this](const std::string& command, const std::string& whole) {
        const std::string answer = bash(command);
        EXPECT_TRUE(holds(answer, whole)) << answer;
    };
    const std::string ssh = denied("home/.ssh", ".ssh", "/home/.ssh");
    told("cat sub/server.key", denied("sub/server.key", "*.key", "/sub/server.key"));
    told("cd home; cat .ssh/id; ls .ssh; cd ..", ssh);
    told("(cd home; cat ./.ssh/id)", ssh);
    told("find . > /dev/null", ssh);
    told("cat " + ws(".env"), denied(".env", ".env", "/.env"));
    told("(cd one; cat .envrc)", denied(".envrc", ".envrc", "**/.envrc"));
    told("echo \"Error: EACCES: permission denied, open '" + ws("one/.envrc") + "'\"",
         denied("one/.envrc", ".envrc", "/one/.envrc"));
    told("cd odd*; cat .env", denied("\"odd\\047\\n- x/.env\"", ".env", ""));
    bash("cd ..");
    told("cat my.key", denied("my.key", "*.key", ""));
    const std::string id =
        id_in(ok("bash", {{"command", "cat .env; echo ended"}, {"run_in_background", true}}));
    EXPECT_TRUE(holds(output_with(id, "[exit code"), denied(".env", ".env", "/.env")));
}

TEST_F(HiddenReads, are_told_however_many_files_are_called_so) {
    if (!full_) GTEST_SKIP() << "no mount namespaces here: nothing is covered";
    const std::size_t count = tools::kComplaintNamesMax + 10;
    for (std::size_t i = 0; i < count; ++i) {
        tree({"ROOT/many/" + std::to_string(i) + "/.envrc=x"});
    }
    reopen();
    for (std::size_t i = 0; i < count; i += 5) {
        const std::string path = "many/" + std::to_string(i) + "/.envrc";
        const std::string text = bash("cat " + path);
        EXPECT_TRUE(holds(text, denied(path, ".envrc", "/" + path))) << text;
    }
}

TEST_F(HiddenReads, are_told_of_nothing_else) {
    for (const std::string& command : std::vector<std::string>{
             "echo cat: plain: Permission denied; echo cat: /etc/.env: Permission denied",
             "echo .env; cat .env 2> /dev/null", "echo .env; echo Permission denied",
             "echo cat: x.env: Permission denied", "echo cat: .env.d: Permission denied",
             "mkdir -m 0 shut; echo x > new.key; chmod 0 new.key; cat shut/x new.key",
             "cat " + out("secret") + "/.env"}) {
        const std::string text = bash(command);
        EXPECT_FALSE(holds(text, "hidden from commands")) << text;
    }
    if (!full_) return;
    // What the gate knows for certain is not guessed.
    const std::string text = bash("echo x > .env");
    EXPECT_TRUE(holds(text, "- write .env: protected by the rule '.env'")) << text;
    EXPECT_FALSE(holds(text, "hidden from commands")) << text;
}

TEST_F(HiddenReads, cannot_be_forged) {
    if (!full_) GTEST_SKIP() << "no mount namespaces here: nothing is covered";
    const std::string text = bash(
        "printf \"Permission denied '.env)\\\\n- read x: y' \\x1b[31m.env\\n- read z: Permission "
        "denied\"");
    EXPECT_TRUE(text.ends_with("[Denied by the sandbox:" + denied(".env", ".env", "/.env") + "]"))
        << text;
}

// An option on the command line replaces the list of the operator's file.
TEST_F(HiddenReads, name_no_option_that_drops_rules_of_the_operator) {
    if (!full_) GTEST_SKIP() << "no mount namespaces here: nothing is covered";
    options.rules = {{"plain", PathAccess::kDeny}};
    reopen();
    const std::string text = bash("cat .env plain");
    EXPECT_TRUE(holds(text, denied(".env", ".env", ""))) << text;
    EXPECT_TRUE(holds(text, denied("plain", "plain", ""))) << text;
}

TEST_F(HiddenReads, are_allowed_by_what_they_name) {
    if (!full_) GTEST_SKIP() << "no mount namespaces here: nothing is covered";
    for (const auto& [path, pattern] :
         std::vector<std::pair<std::string, std::string>>{{"sub/server.key", "/sub/server.key"},
                                                          {"home/.ssh/id", "/home/.ssh"},
                                                          {"one/.envrc", "**/.envrc"}}) {
        options.rules = {{pattern, PathAccess::kAllow}};
        reopen();
        EXPECT_TRUE(bash("cat " + path).starts_with("x\n[exit code 0")) << path;
    }
}

// Of programs that ignore the proxy.
class LookUps : public Denials {
protected:
    void SetUp() override {
        Denials::SetUp();
        if (IsSkipped()) return;
        if (!full_) GTEST_SKIP() << "no network namespace here";
        if (!has_program("python3")) GTEST_SKIP() << "python3 is not installed";
    }

    void allow(std::vector<std::string> entries) {
        options.shell->network_allow = std::move(entries);
        reopen();
    }

    // Without an answer each would take longer than the tool waits.
    std::string python(const std::string& call) {
        return bash("export RES_OPTIONS='timeout:30 attempts:5'; python3 -c 'import socket; " +
                    call + "' 2>&1");
    }
    std::string look_up(const std::string& host) {
        return python("socket.getaddrinfo(\"" + host + "\", 443)");
    }

    static std::string only(const std::string& what, std::string_view setting) {
        return "\n[Denied by the sandbox:" + line("look up " + what, "proxy", setting) + "]";
    }
};

TEST_F(LookUps, fail_at_once_with_host_and_option) {
    const std::string why = " is out of reach: commands have no network; allow it with ";
    for (const auto& [host, option] : {std::pair{"registry.npmjs.org", "--net npm"},
                                       {"github.com", "--net github"},
                                       {"a.example", "--allow-host a.example"}}) {
        const std::string text = look_up(host);
        EXPECT_TRUE(holds(text, "gaierror")) << text;
        EXPECT_TRUE(text.ends_with(only(host + (":" + why) + option, "bash.network"))) << text;
    }
}

TEST_F(LookUps, of_an_allowed_host_say_why_they_fail) {
    allow({"a.example:443", "npm"});
    const std::string why =
        ": is allowed through the proxy only, but the program ignored HTTPS_PROXY; use HTTPS, or "
        "--net host";
    for (const std::string host : {"a.example", "registry.npmjs.org"}) {
        const std::string text = look_up(host);
        EXPECT_TRUE(text.ends_with(only(host + why, "bash.network_allow"))) << text;
    }
    const std::string text = look_up("b.example");
    EXPECT_TRUE(text.ends_with(
        only("b.example: is not on the allow list; allow it with --net a.example:443,npm,b.example",
             "bash.network_allow")))
        << text;
}

TEST_F(LookUps, that_nobody_needs_are_not_told) {
    const std::string text =
        python(
            "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect((\"127.0.0.1\", 53)); "
            "socket.getaddrinfo(socket.gethostname(), 80, socket.AF_INET6)") +
        python("socket.gethostbyaddr(\"192.0.2.1\")") +
        python("socket.getaddrinfo(\"app.localhost\", 80, socket.AF_INET6); 1 / 0");
    EXPECT_FALSE(holds(text, "exit code 0")) << text;
    EXPECT_FALSE(holds(text, "Denied")) << text;
}

TEST_F(LookUps, at_other_name_servers_are_told_with_their_address) {
    for (const std::string server : {"192.0.2.1:53", "127.0.0.53:53"}) {
        std::string path = server;
        path.replace(path.find(':'), 1, "/");
        const std::string text = bash("echo > /dev/udp/" + path + "; exit 1");
        EXPECT_TRUE(
            holds(text, "- look up a host name at " + server + ": direct connections are closed"))
            << text;
    }
}

// As on any machine: the port is for root.
TEST_F(LookUps, take_no_port_from_commands) {
    for (const std::string type : {"DGRAM", "STREAM"}) {
        for (const std::string address : {"127.0.0.1", ""}) {
            const std::string text = python("socket.socket(socket.AF_INET, socket.SOCK_" + type +
                                            ").bind((\"" + address + "\", 53))");
            EXPECT_TRUE(holds(text, "PermissionError")) << text;
        }
    }
    EXPECT_TRUE(bash("python3 -c 'import socket; s = socket.socket(socket.AF_INET, "
                     "socket.SOCK_DGRAM); s.bind((\"127.0.0.1\", 5353)); print(\"bound\")'")
                    .starts_with("bound\n"));
}

// Without sockets there is neither a proxy nor a name server: programs say what they looked up.
class LookUpsWithoutSockets : public Denials {
protected:
    void SetUp() override {
        Denials::SetUp();
        if (IsSkipped()) return;
        if (full_) GTEST_SKIP() << "a name server answers here";
    }

    static std::string denied(const std::string& host, const std::string& option) {
        return line("look up " + host +
                        ": is out of reach: commands have no network, and allowed hosts need a "
                        "network namespace (see `paddock doctor`)" +
                        (option.empty() ? "" : "; allow it with " + option),
                    "seccomp", "bash.network");
    }
};

TEST_F(LookUpsWithoutSockets, are_told_with_host_and_option) {
    const std::string npm = "echo getaddrinfo EAI_AGAIN registry.npmjs.org";
    const std::string failed = bash(npm + "; exit 1");
    EXPECT_TRUE(failed.ends_with(
        "\n[Denied by the sandbox:" + denied("registry.npmjs.org", "--net npm") + "]"))
        << failed;
    const std::string succeeded = bash(npm);
    EXPECT_TRUE(
        succeeded.ends_with("\n"
                            "[Blocked, but the command succeeded: registry.npmjs.org (--net npm)]"))
        << succeeded;
    EXPECT_FALSE(holds(bash("echo registry.npmjs.org; exit 1"), "Denied"));
}

TEST_F(LookUpsWithoutSockets, of_real_programs_are_told) {
    const auto expect_told = [this](const char* program, const std::string& command,
                                    const std::string& told) {
        if (!has_program(program)) return;
        const std::string text = bash(command + " 2>&1");
        EXPECT_TRUE(holds(text, told)) << text;
    };
    const std::string example = denied("a.example", "--allow-host a.example");
    expect_told("curl", "curl -sS https://a.example/", example);
    expect_told("git", "git ls-remote https://a.example/", example);
    expect_told("node", "node -e 'fetch(\"https://a.example/\")'", example);
    expect_told("python3", "python3 -c 'import socket; socket.getaddrinfo(\"a.example\", 443)'",
                denied("any host", ""));
}

class Destinations : public Denials {
protected:
    void SetUp() override {
        Denials::SetUp();
        if (IsSkipped()) return;
        if (!full_) GTEST_SKIP() << "no network namespace here";
        if (!has_program("curl")) GTEST_SKIP() << "curl is not installed";
    }

    void allow(std::vector<std::string> entries) {
        options.shell->network_allow = std::move(entries);
        reopen();
    }

    // Addresses of the loopback but 127.0.0.1 are reached through the proxy.
    static std::string url(const Origin& origin) { return "http://" + origin.place() + "/"; }
    std::string curl(const std::string& arguments) {
        return bash("curl -sSf --max-time 60 " + arguments + " 2>&1");
    }
    std::string denied(const std::string& place, std::string_view why) const {
        const bool is_metadata = place.starts_with("169.254.");
        std::string list;
        for (const std::string& each : options.shell->network_allow) list += each + ",";
        list += place;
        if (list.find_first_of("*[") != list.npos) list = "'" + list + "'";
        const std::string option = is_metadata ? "" : "; allow it with --net " + list;
        return line("connect to " + place + ": " + std::string(why) + option, "proxy",
                    "bash.network_allow");
    }

    const Origin listed_{http("listed content"), "127.0.0.2"};
    const Origin other_{http("other content"), "127.0.0.3"};
    static constexpr std::string_view kUnlisted = "is not on the allow list";
};

TEST_F(Destinations, without_a_list_nothing_is_reached) {
    EXPECT_FALSE(holds(curl(url(listed_)), "listed content"));
    EXPECT_EQ(listed_.connections(), 0);
}

TEST_F(Destinations, on_the_list_are_reached_and_others_are_refused_and_told) {
    allow({listed_.place()});
    const std::string reached = curl(url(listed_));
    EXPECT_TRUE(reached.starts_with("listed content\n[exit code 0 after")) << reached;
    EXPECT_FALSE(holds(reached, "Denied")) << reached;
    EXPECT_TRUE(holds(curl("--proxytunnel " + url(listed_)), "listed content"));
    EXPECT_TRUE(holds(curl("--proxy $ALL_PROXY " + url(listed_)), "listed content"));

    const std::string refused = curl(url(other_));
    EXPECT_FALSE(holds(refused, "other content"));
    EXPECT_TRUE(
        refused.ends_with("\n[Denied by the sandbox:" + denied(other_.place(), kUnlisted) + "]"))
        << refused;
    EXPECT_EQ(other_.connections(), 0);
    EXPECT_FALSE(holds(bash("true"), "Denied")) << "told once";
}

TEST_F(Destinations, of_this_machine_and_of_private_networks_have_to_be_listed_themselves) {
    // What a name or a pattern leads to is not enough: these are all below localhost, the loopback.
    const std::string port = ":" + std::to_string(listed_.port());
    allow({"*.localhost", listed_.place()});
    const std::string text = curl("--noproxy '' http://app.localhost" + port + "/");
    EXPECT_FALSE(holds(text, "content")) << text;
    EXPECT_TRUE(holds(text, "- connect to app.localhost" + port + ": ")) << text;
    for (const std::string place : {"169.254.169.254:80", "10.0.0.1:80", "192.168.0.1:80",
                                    "127.0.0.1:80", "[::1]:80", "[fd00::1]:80"}) {
        const std::string answer = curl("--noproxy '' 'http://" + place + "/'");
        EXPECT_TRUE(holds(answer, denied(place, kUnlisted))) << answer;
    }
    EXPECT_EQ(listed_.connections(), 0);
}

TEST_F(Destinations, are_not_reached_around_the_proxy) {
    allow({listed_.place()});
    const std::string text =
        curl("--noproxy '*' " + url(listed_)) + curl("--noproxy '*' http://192.0.2.1/");
    EXPECT_FALSE(holds(text, "content")) << text;
    EXPECT_TRUE(holds(text, line("connect to 192.0.2.1:80: direct connections are closed, and the "
                                 "program ignored HTTPS_PROXY; use HTTPS, or --net host",
                                 "network_namespace", "bash.network")))
        << text;
    EXPECT_EQ(listed_.connections(), 0);
}

TEST_F(Destinations, own_servers_stay_reachable) {
    allow({listed_.place()});
    const std::string text = bash(
        "python3 -m http.server --bind 127.0.0.1 8123 > /dev/null 2>&1 & "
        "until curl -sS --max-time 60 http://127.0.0.1:8123/a.txt 2> /dev/null; do :; done");
    EXPECT_TRUE(text.starts_with("hello")) << text;
}

TEST_F(Destinations, that_make_no_sense_are_named) {
    allow({"exa mple"});
    const tools::Answer answer = call("bash", {{"command", "true"}});
    EXPECT_EQ(answer.error, Code::kInvalidArgument) << answer.text();
}

}  // namespace
}  // namespace paddock::testing
