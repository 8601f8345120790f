// `paddock config`, `paddock init`, and that the commands obey what they show.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/run.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

class Config : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
        tree({"home/", "ROOT/a.txt=hello\n", "ROOT/b.db=data\n"});
    }

    std::string global() const { return base() + "/home/.config/paddock/paddock.toml"; }

    void configure(const std::string& text) {
        tree({"home/.config/paddock/paddock.toml="});
        os_write(global(), text);
        ASSERT_EQ(::chmod(global().c_str(), 0600), 0);
    }

    Ran run(std::vector<std::string> words, std::map<std::string, std::string> variables = {},
            const std::string& directory = {}) const {
        variables.insert({{"HOME", base() + "/home"}, {"PADDOCK_CONFIG", ""}});
        for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME"}) variables.insert({name, ""});
        return paddock(words,
                       {.directory = directory.empty() ? ws() : directory, .variables = variables});
    }

    // The row of one setting: value and origin.
    std::pair<std::string, std::string> shown(const std::string& key,
                                              std::vector<std::string> words = {},
                                              std::map<std::string, std::string> variables = {}) {
        words.insert(words.begin(), {"config", "show", "--json"});
        const Ran ran = run(words, std::move(variables));
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        if (ran.exit_code != 0) return {};
        const boost::json::value document = ran.json();
        for (const auto& each : document.as_object().at("settings").as_array()) {
            const auto& item = each.as_object();
            if (text_of(item.at("key")) == key) {
                return {text_of(item.at("value")), text_of(item.at("from"))};
            }
        }
        ADD_FAILURE() << key;
        return {};
    }
};

using Shown = std::pair<std::string, std::string>;

TEST_F(Config, shows_every_value_with_its_origin) {
    EXPECT_EQ(shown("workspace.root"), Shown("\".\"", "default"));
    configure("[workspace]\nroot = \"/srv\"\nread_only = true\n");
    EXPECT_EQ(shown("workspace.root"), Shown("\"/srv\"", global() + ":2:8"));
    EXPECT_EQ(shown("workspace.root", {}, {{"WORKSPACE_ROOT", "/usr"}}),
              Shown("\"/usr\"", "$WORKSPACE_ROOT"));
    EXPECT_EQ(shown("workspace.root", {"--workspace", ws()}, {{"WORKSPACE_ROOT", "/tmp"}}),
              Shown("\"" + ws() + "\"", "--root"));
    EXPECT_EQ(shown("secrets.redact", {"--no-redact-secrets"}),
              Shown("false", "--no-redact-secrets"));
    EXPECT_EQ(shown("workspace.rules", {"--rule", "deny *.db", "--rule", "allow x"}).first,
              R"(["deny *.db", "allow x"])");
    const Ran text = run({"config", "show"});
    EXPECT_NE(text.out.find("workspace.read_only"), std::string::npos) << text.err;
    EXPECT_NE(text.out.find(global() + ":3:13"), std::string::npos) << text.out;
}

TEST_F(Config, never_shows_a_secret) {
    configure(
        "[secrets.values]\nA = \"env:TOKEN_A\"\n[bash.environment]\nX = \"hunter2hunter2\"\n");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"config", "show"}, {"config", "show", "--json"}}) {
        const Ran ran = run(words, {{"TOKEN_A", "opensesame1"}});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(ran.out.find("hunter2"), std::string::npos);
        EXPECT_EQ(ran.out.find("opensesame"), std::string::npos);
        EXPECT_NE(ran.out.find("env:TOKEN_A"), std::string::npos);
    }
}

TEST_F(Config, check_tells_everything_at_once) {
    tree({"c.toml="});
    os_write(base() + "/c.toml", "[workspace]\nraed_only = true\ntools = [\"reed_file\"]\n[x]\n");
    ASSERT_EQ(::chmod((base() + "/c.toml").c_str(), 0600), 0);
    const Ran wrong = run({"config", "check", "../c.toml"});
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_EQ(wrong.out, "");
    for (const char* part :
         {"../c.toml:2:1: there is no setting 'workspace.raed_only'; did you mean "
          "'workspace.read_only'?",
          "../c.toml:4:2: there is no table 'x'"}) {
        EXPECT_NE(wrong.err.find(part), std::string::npos) << wrong.err;
    }
    os_write(base() + "/c.toml", "[workspace]\nroot = \"ROOT\"\ntools = [\"reed_file\"]\n");
    EXPECT_NE(run({"config", "check", "../c.toml"})
                  .err.find("../c.toml:3:9: workspace.tools 'reed_file' is not a tool; did you "
                            "mean 'read_file'?"),
              std::string::npos);
    os_write(base() + "/c.toml", "[workspace]\nroot = \"ROOT\"\n");
    const Ran right = run({"config", "check", "../c.toml"});
    EXPECT_EQ(right.exit_code, 0) << right.err;
    EXPECT_EQ(right.out, "The configuration is valid (../c.toml).\nThe workspace: " + ws() + "\n");
    os_write(base() + "/c.toml", "[workspace]\nread_only = true\n");
    EXPECT_EQ(run({"config", "check", "../c.toml"}).out,
              "The configuration is valid (../c.toml).\nThe workspace: " + base() +
                  "/home/.local/state/paddock/workspaces (does not exist yet)\n");
    EXPECT_EQ(run({"config", "chekc"}).exit_code, 2);
    EXPECT_EQ(run({"config", "show", "x"}).exit_code, 2);
}

TEST_F(Config, commands_obey_it) {
    configure("[workspace]\nroot = \"" + ws() +
              "\"\nrules = [\"deny *.db\"]\ntools = "
              "[\"read_file\", \"write_file\"]\nread_only = true\n");
    const std::string elsewhere = base() + "/home";
    EXPECT_EQ(run({"cat", "a.txt"}, {}, elsewhere).out, "hello\n");
    EXPECT_NE(run({"cat", "b.db"}, {}, elsewhere).err.find("denied_by_rule"), std::string::npos);
    EXPECT_NE(run({"call", "write_file", R"({"path": "n", "content": "x"})"}, {}, elsewhere)
                  .err.find("not_available"),
              std::string::npos);
    EXPECT_NE(run({"ls"}, {}, elsewhere).err.find("not_available"), std::string::npos)
        << "not listed";
    const Ran tools = run({"tools"}, {}, elsewhere);
    EXPECT_EQ(tools.out.find("read_file"), 0U) << tools.out;
    EXPECT_EQ(tools.out.find("write_file"), std::string::npos);
    EXPECT_NE(run({"tools"}, {{"READ_ONLY", "no"}}, elsewhere).out.find("write_file"),
              std::string::npos);
    EXPECT_EQ(run({"resolve", "a.txt"}, {}, elsewhere).exit_code, 0);
    EXPECT_EQ(run({"cat", "a.txt"}, {{"PADDOCK_CONFIG", "/dev/null"}}, elsewhere).exit_code, 1);
}

TEST_F(Config, the_server_obeys_it) {
    configure("[workspace]\nroot = \"" + ws() + "\"\ntools = [\"read_file\"]\n");
    const auto served = [&](const std::map<std::string, std::string>& variables) {
        std::map<std::string, std::string> all{{"HOME", base() + "/home"}, {"PADDOCK_CONFIG", ""}};
        all.insert(variables.begin(), variables.end());
        return paddock({"mcp", "--no-bash"},
                       {.variables = all,
                        .input = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"
                                 "\n"});
    };
    const Ran ran = served({});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.out.find("\"read_file\""), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("\"grep\""), std::string::npos) << ran.out;
    EXPECT_NE(served({{"PADDOCK_TOOLS", "grep"}}).out.find("\"grep\""), std::string::npos);
    const Ran wrong = served({{"PADDOCK_RAED_ONLY", "1"}});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_EQ(wrong.out, "") << "only the protocol is on standard output";
}

// What the inspirations are started with starts the server too, and does there what it says.
TEST_F(Config, the_server_takes_the_spellings_of_the_inspirations) {
    const auto call = [](const std::string& tool, const std::string& arguments) {
        return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
               R"(","arguments":)" + arguments + "}}\n";
    };
    const auto served = [&](std::vector<std::string> words,
                            const std::map<std::string, std::string>& variables,
                            const std::string& input) {
        words.insert(words.begin(), {"mcp", "--no-bash"});
        std::map<std::string, std::string> all{{"HOME", base() + "/home"}, {"PADDOCK_CONFIG", ""}};
        all.insert(variables.begin(), variables.end());
        const Ran ran =
            paddock(words, {.directory = base() + "/home", .variables = all, .input = input});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return ran.out;
    };
    const std::string read = call("read_file", R"({"path":"a.txt"})");
    const std::string read_outside = call("read_file", R"({"path":")" + out("secret") + R"("})");
    const std::string write = call("write_file", R"({"path":"n","content":"x"})");
    const std::map<std::string, std::string> root{{"WORKSPACE_ROOT", ws()}};
    EXPECT_NE(served({}, root, read).find("hello"), std::string::npos);
    for (const char* flag : {"--root", "--workspace"}) {
        EXPECT_NE(served({flag, ws()}, {}, read).find("hello"), std::string::npos) << flag;
    }
    EXPECT_NE(served({"--read-only"}, root, write).find("-32602"), std::string::npos);
    EXPECT_NE(served({}, {{"WORKSPACE_ROOT", ws()}, {"READ_ONLY", "true"}}, write).find("-32602"),
              std::string::npos);
    EXPECT_FALSE(os_exists(ws("n")));
    EXPECT_NE(served({}, root, read_outside).find("path_escape"), std::string::npos);
    EXPECT_NE(served({"--allow-outside-workspace", "a test"}, root, read_outside).find(kSecret),
              std::string::npos);
    EXPECT_NE(served({}, {{"WORKSPACE_ROOT", ws()}, {"ALLOW_OUTSIDE_WORKSPACE", "a test of ours"}},
                     read_outside)
                  .find(kSecret),
              std::string::npos);
}

TEST_F(Config, a_workspace_without_a_root_is_made_when_it_is_used) {
    configure("[workspace]\n");
    const std::string place = base() + "/home/.local/state/paddock/workspaces";
    EXPECT_EQ(shown("workspace.root").first, "\"" + place + "\"");
    EXPECT_FALSE(os_exists(place)) << "showing makes nothing";
    EXPECT_EQ(run({"mkdir", "d"}).exit_code, 0);
    EXPECT_TRUE(os_exists(place + "/d"));
}

// The attack: an agent writes a configuration where paddock is started next.
TEST_F(Config, nothing_in_the_workspace_is_obeyed) {
    const std::string open = "[workspace]\nallow_outside_workspace = \"says the agent\"\n";
    tree({"ROOT/paddock.toml=", "ROOT/.config/paddock/paddock.toml="});
    for (const char* name : {"paddock.toml", ".config/paddock/paddock.toml"}) {
        os_write(ws(name), open);
        ASSERT_EQ(::chmod(ws(name).c_str(), 0600), 0);
    }
    EXPECT_NE(run({"cat", out("secret")}).err.find("path_escape"), std::string::npos)
        << "not looked for in the current directory";
    // The workspace is the home, and the usual place of the file lies in it.
    EXPECT_NE(run({"rm", ".config/paddock/paddock.toml"}, {{"PADDOCK_CONFIG", "/dev/null"}})
                  .err.find("denied_by_rule"),
              std::string::npos);
    os_write(ws(".config/paddock/paddock.toml"), "[secrets]\nredact = false\n");
    const Ran at_home = run({"ls"}, {{"HOME", ws()}});
    EXPECT_EQ(at_home.exit_code, 2);
    EXPECT_NE(at_home.err.find("is in the workspace"), std::string::npos) << at_home.err;
    // The naive twin: who takes it from there is out.
    EXPECT_EQ(run({"cat", out("secret")}, {{"PADDOCK_CONFIG", ws("paddock.toml")}}, out()).out,
              std::string(kSecret) + "\n")
        << "the file would open everything";
    EXPECT_NE(
        run({"ls", "--config", "paddock.toml", "--root", "."}).err.find("is in the workspace"),
        std::string::npos);
}

TEST_F(Config, init_writes_a_file_that_is_in_order_and_never_overwrites) {
    const Ran made = run({"init", "--global"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.out, "Wrote " + global() + ".\n");
    struct stat file {};
    ASSERT_EQ(::stat(global().c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600U);
    EXPECT_TRUE(run({"config", "check"})
                    .out.starts_with("The configuration is valid (" + global() + ").\n"));
    os_write(global(), "mine");
    const Ran again = run({"init", "--global"});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_NE(again.err.find("already_exists"), std::string::npos);
    EXPECT_EQ(os_read(global()), "mine");
    tree({"ROOT/sub/paddock.toml->@/OUT/secret"});
    EXPECT_EQ(run({"init"}, {}, ws("sub")).exit_code, 1) << "nor what a link leads to";
    EXPECT_EQ(secret(), kSecret);
}

}  // namespace
}  // namespace paddock::testing
