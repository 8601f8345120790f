// `paddock install` and `paddock uninstall` with a home of their own, for every agent.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/clients.h"
#include "cli/run.h"
#include "config/toml.h"
#include "json/parse.h"
#include "json/write.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

class Registration : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
        tree({"home/"});
    }

    Ran run(std::vector<std::string> words) const {
        return paddock(words, {.directory = ws(),
                               .variables = {{"HOME", base() + "/home"},
                                             {"XDG_CONFIG_HOME", ""},
                                             {"CODEX_HOME", ""},
                                             {"CLAUDE_CONFIG_DIR", ""}}});
    }

    std::string user_file(const cli::Client& client) const {
        return base() + "/home/" + client.user.file;
    }

    // A file of the agent's own making.
    static std::string full_file(const cli::Client& client) {
        if (client.toml) {
            return "# mine\nmodel = \"m\"  # why\n\n[" + client.path[0] +
                   ".other]\ncommand = 'o'\n\n[[hooks]]\nx = 1.50\n";
        }
        return "{\n\t\"z\": 1.50,\n\t\"" + client.path[0] +
               "\": {\n\t\t\"other\": {\"command\": \"o\"}\n\t},\n\t\"a\": \"\\u0041\"\n}\n";
    }

    // The entry in a file as JSON, "" if there is none.
    static std::string entry_in(const cli::Client& client, const std::string& text) {
        if (!client.toml) {
            const json::Parsed parsed = json::parse(text);
            EXPECT_EQ(parsed.problem, "") << text;
            const json::Value* at = &parsed.value;
            for (const std::string& name : client.path) {
                at = at == nullptr ? nullptr : at->as_object()->find(name);
            }
            return at == nullptr ? "" : json::to_text(*at);
        }
        const config::TomlDocument document = config::parse_toml(text);
        EXPECT_FALSE(document.wrong) << document.problem << text;
        json::Object entry;
        for (const config::Leaf& leaf : document.leaves) {
            if (leaf.path.size() != 3 || leaf.path[0] != client.path[0] ||
                leaf.path[1] != client.path[1]) {
                continue;
            }
            if (const auto* text_value = std::get_if<std::string>(&leaf.content)) {
                entry[leaf.path[2]] = *text_value;
            } else if (const auto* number = std::get_if<std::int64_t>(&leaf.content)) {
                entry[leaf.path[2]] = *number;
            } else if (const auto* list = std::get_if<std::vector<std::string>>(&leaf.content)) {
                entry[leaf.path[2]] = json::Array(list->begin(), list->end());
            }
        }
        return entry.empty() ? "" : json::to_text(entry);
    }

    static bool is_empty(const cli::Client& client, const std::optional<std::string>& text) {
        if (!text) return false;
        if (client.toml) return text->find_first_not_of('\n') == text->npos;
        const json::Parsed parsed = json::parse(*text);
        return parsed.value.as_object() != nullptr && parsed.value.as_object()->empty();
    }

    static std::string expected_entry(const cli::Client& client) {
        return json::to_text(client.entry(PADDOCK_BINARY, {"mcp", "--root", client.root}));
    }
};

TEST_F(Registration, makes_a_file_and_removes_it) {
    for (const cli::Client& client : cli::clients()) {
        const std::string file = user_file(client);
        const Ran made = run({"install", client.name});
        EXPECT_EQ(made.exit_code, 0) << client.name << made.err;
        EXPECT_EQ(made.out, "Registered with " + client.title + " in " + file + ".\n");
        EXPECT_EQ(entry_in(client, os_read(file).value_or("")), expected_entry(client));
        struct stat status {};
        ASSERT_EQ(::stat(file.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0600U);
        const std::string before = *os_read(file);
        const Ran again = run({"install", client.name});
        EXPECT_EQ(again.exit_code, 0);
        EXPECT_NE(again.out.find("already has it"), std::string::npos);
        EXPECT_EQ(os_read(file), before);
        EXPECT_FALSE(os_exists(file + ".paddock-backup")) << "nothing to keep";
        const Ran removed = run({"uninstall", client.name});
        const std::size_t slash = client.user.file.find('/');
        const std::string directory = base() + "/home/" + client.user.file.substr(0, slash);
        EXPECT_EQ(removed.out,
                  "Removed from " + client.title + ", with " + file +
                      (slash == std::string::npos ? "" : " and the directory " + directory) +
                      ", which held nothing else.\n")
            << removed.err;
        EXPECT_TRUE(os_list(base() + "/home").empty()) << client.name;
        EXPECT_NE(run({"uninstall", client.name}).out.find("does not have it"), std::string::npos);
    }
}

TEST_F(Registration, directories_with_anything_else_in_them_stay) {
    for (const cli::Client& client : cli::clients()) {
        const std::size_t slash = client.user.file.rfind('/');
        if (slash == std::string::npos) continue;
        const std::string directory = "home/" + client.user.file.substr(0, slash);
        tree({directory + "/other=mine"});
        EXPECT_EQ(run({"install", client.name}).exit_code, 0);
        EXPECT_EQ(run({"uninstall", client.name}).exit_code, 0);
        EXPECT_EQ(os_list(base() + "/" + directory), std::vector<std::string>{"other"});
    }
}

TEST_F(Registration, a_link_to_the_directory_of_an_agent_stays) {
    tree({"home/dotfiles/codex/", "home/.codex->dotfiles/codex"});
    EXPECT_EQ(run({"install", "codex"}).exit_code, 0);
    EXPECT_TRUE(os_exists(base() + "/home/dotfiles/codex/config.toml"));
    EXPECT_EQ(run({"uninstall", "codex"}).exit_code, 0);
    EXPECT_FALSE(os_exists(base() + "/home/dotfiles/codex/config.toml"));
    EXPECT_EQ(os_list(base() + "/home"), (std::vector<std::string>{".codex", "dotfiles"}));
    EXPECT_EQ(os_list(base() + "/home/dotfiles"), std::vector<std::string>{"codex"});
}

TEST_F(Registration, keeps_every_byte_of_a_file_and_a_copy) {
    for (const cli::Client& client : cli::clients()) {
        const std::string file = user_file(client);
        const std::string old = full_file(client);
        tree({"home/" + client.user.file + "="});
        os_write(file, old);
        ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
        const Ran made = run({"install", client.name});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        EXPECT_NE(made.out.find("An earlier copy of the file: " + file + ".paddock-backup\n"),
                  std::string::npos);
        EXPECT_EQ(os_read(file + ".paddock-backup"), old);
        const std::string present = *os_read(file);
        EXPECT_EQ(entry_in(client, present), expected_entry(client)) << present;
        for (const char* part : {"1.50", "other"}) {
            EXPECT_NE(present.find(part), std::string::npos) << present;
        }
        for (const std::string& name : {file, file + ".paddock-backup"}) {
            struct stat status {};
            ASSERT_EQ(::stat(name.c_str(), &status), 0);
            EXPECT_EQ(status.st_mode & 0777, 0640U) << name;
        }
        EXPECT_EQ(run({"uninstall", client.name}).exit_code, 0);
        EXPECT_EQ(os_read(file), old) << client.name;
    }
}

TEST_F(Registration, an_entry_of_before_is_brought_up_to_date_and_keeps_what_was_added) {
    tree({"home/.claude.json=", "home/.codex/config.toml="});
    os_write(base() + "/home/.claude.json",
             R"({"mcpServers": {"paddock": {"command": "/old/paddock", "env": {"X": "1"}}}})");
    os_write(base() + "/home/.codex/config.toml",
             "[mcp_servers.paddock]\ncommand = '/old'\ndefault_tools_approval_mode = 'approve'\n");
    const Ran ran = run({"install", "claude"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_NE(ran.out.find("Kept from the old entry: env.\n"), std::string::npos);
    EXPECT_EQ(entry_in(*cli::find_client("claude"), *os_read(base() + "/home/.claude.json")),
              std::string(R"({"command":")") + PADDOCK_BINARY +
                  R"(","env":{"X":"1"},"type":"stdio","args":["mcp","--root","."]})");
    EXPECT_EQ(run({"install", "codex"}).exit_code, 0);
    const std::string codex = *os_read(base() + "/home/.codex/config.toml");
    EXPECT_NE(codex.find("default_tools_approval_mode = 'approve'\n"), std::string::npos) << codex;
    EXPECT_EQ(codex.find("/old"), std::string::npos) << codex;
}

// Variables of an entry that a project brings along would weaken what the user asks for.
TEST_F(Registration, an_entry_that_came_with_a_project_keeps_nothing) {
    for (const cli::Client& client : cli::clients()) {
        const std::string file = ws(client.project_file);
        tree({"ROOT/" + client.project_file + "="});
        const std::string& servers = client.path[0];
        os_write(file, client.toml
                           ? "[" + servers + ".paddock]\ncommand = '/x'\n[" + servers +
                                 ".paddock.env]\nALLOW_OUTSIDE_WORKSPACE = '1'\n"
                           : "{\"" + servers +
                                 R"(": {"paddock": {"command": "/x", "env": {"A": "1"}}}})");
        const Ran ran = run({"install", client.name, "--scope", "project"});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_NE(ran.out.find("Left out from the old entry: env.\n"), std::string::npos)
            << ran.out;
        EXPECT_EQ(entry_in(client, *os_read(file)), expected_entry(client)) << client.name;
        EXPECT_EQ(os_read(file)->find("env"), std::string::npos) << *os_read(file);
    }
}

TEST_F(Registration, the_copy_is_of_the_file_before_us) {
    for (const cli::Client& client : cli::clients()) {
        const std::string file = user_file(client);
        const std::string copy = file + ".paddock-backup";
        tree({"home/" + client.user.file + "="});
        os_write(file, full_file(client));
        EXPECT_EQ(run({"install", client.name}).exit_code, 0);
        EXPECT_EQ(run({"install", client.name, "--root", "."}).exit_code, 0);
        EXPECT_EQ(os_read(copy), full_file(client)) << "a second install";
        EXPECT_EQ(run({"uninstall", client.name}).exit_code, 0);
        EXPECT_EQ(os_read(copy), full_file(client)) << "an uninstall";
        const std::string later = client.toml ? "later = 1\n" : "{\"later\": 1}";
        os_write(file, later);
        EXPECT_EQ(run({"install", client.name}).exit_code, 0);
        EXPECT_EQ(os_read(copy), later) << "a file without us is a new one";
    }
}

TEST_F(Registration, a_file_that_was_there_with_nothing_in_it_stays) {
    for (const cli::Client& client : cli::clients()) {
        const std::string old = client.toml ? "" : "{}";
        tree({"home/" + client.user.file + "="});
        os_write(user_file(client), old);
        EXPECT_EQ(run({"install", client.name}).exit_code, 0);
        EXPECT_EQ(run({"uninstall", client.name}).exit_code, 0);
        EXPECT_TRUE(is_empty(client, os_read(user_file(client)))) << client.name;
    }
}

TEST_F(Registration, what_it_cannot_keep_it_does_not_touch) {
    for (const cli::Client& client : cli::clients()) {
        const std::string file = user_file(client);
        const std::vector<std::string> texts =
            client.toml ? std::vector<std::string>{"a = [", "[mcp_servers]\npaddock.command = 1\n"}
                        : std::vector<std::string>{"{ // mine\n}", "{\"a\": 1,}", "[]",
                                                   "{\"" + client.path[0] + "\": 5}"};
        tree({"home/" + client.user.file + "="});
        for (const std::string& text : texts) {
            os_write(file, text);
            const Ran ran = run({"install", client.name});
            EXPECT_EQ(ran.exit_code, 1) << text;
            EXPECT_NE(ran.err.find("Nothing was changed. Add this by hand:\n"), std::string::npos);
            EXPECT_NE(ran.err.find("--root"), std::string::npos) << "what to add: " << ran.err;
            EXPECT_EQ(os_read(file), text);
            EXPECT_FALSE(os_exists(file + ".paddock-backup"));
            EXPECT_NE(run({"uninstall", client.name, "--dry-run"}).exit_code, 2);
            EXPECT_EQ(os_read(file), text);
        }
    }
}

TEST_F(Registration, a_link_to_a_file_of_yours_stays_one) {
    for (const cli::Client& client : cli::clients()) {
        const std::string name = "home/" + client.user.file;
        const std::string target = "home/dotfiles-" + client.name;
        tree({target + "=", name + "->@/" + target});
        os_write(base() + "/" + target, full_file(client));
        EXPECT_EQ(run({"install", client.name}).exit_code, 0) << client.name;
        struct stat status {};
        ASSERT_EQ(::lstat((base() + "/" + name).c_str(), &status), 0);
        EXPECT_TRUE(S_ISLNK(status.st_mode)) << client.name;
        EXPECT_EQ(entry_in(client, *os_read(base() + "/" + target)), expected_entry(client));
    }
}

TEST_F(Registration, a_link_out_of_the_home_is_not_followed) {
    tree({"OUT/claude.json={}", "home/.claude.json->@/OUT/claude.json"});
    const Ran ran = run({"install", "claude"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_NE(ran.err.find("path_escape"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("mcpServers"), std::string::npos) << "what to add";
    EXPECT_EQ(os_read(out("claude.json")), "{}");
}

TEST_F(Registration, a_file_without_write_permission_is_left_alone) {
    if (is_root()) GTEST_SKIP() << "root may write every file";
    for (const cli::Client& client : cli::clients()) {
        const std::string file = user_file(client);
        tree({"home/" + client.user.file + "="});
        os_write(file, full_file(client));
        ASSERT_EQ(::chmod(file.c_str(), 0400), 0);
        const Ran ran = run({"install", client.name});
        EXPECT_EQ(ran.exit_code, 1) << client.name;
        EXPECT_NE(ran.err.find("permission_denied"), std::string::npos) << ran.err;
        EXPECT_EQ(os_read(file), full_file(client));
    }
}

TEST_F(Registration, a_dry_run_prints_and_writes_nothing) {
    for (const cli::Client& client : cli::clients()) {
        const Ran ran = run({"install", client.name, "--dry-run"});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        const std::string head = "Would add to " + user_file(client) + ":\n";
        ASSERT_EQ(ran.out.find(head), 0U) << ran.out;
        EXPECT_EQ(entry_in(client, ran.out.substr(head.size())), expected_entry(client));
        EXPECT_FALSE(os_exists(user_file(client)));
    }
    EXPECT_TRUE(os_list(base() + "/home").empty());
}

TEST_F(Registration, the_scope_of_a_project_is_the_current_directory) {
    for (const cli::Client& client : cli::clients()) {
        EXPECT_EQ(run({"install", client.name, "--scope", "project"}).exit_code, 0) << client.name;
        EXPECT_EQ(entry_in(client, os_read(ws(client.project_file)).value_or("")),
                  expected_entry(client));
        EXPECT_EQ(run({"uninstall", client.name, "--scope=project"}).exit_code, 0);
        EXPECT_TRUE(os_list(ws()).empty()) << client.name;
    }
    EXPECT_TRUE(os_list(base() + "/home").empty());
}

TEST_F(Registration, a_root_can_be_fixed) {
    EXPECT_EQ(run({"install", "gemini", "--root", "."}).exit_code, 0);
    EXPECT_NE(os_read(base() + "/home/.gemini/settings.json")->find("\"" + ws() + "\""),
              std::string::npos);
    EXPECT_EQ(run({"install", "gemini", "--root", "none"}).exit_code, 2);
}

TEST_F(Registration, variables_move_the_files) {
    tree({"codex/", "xdg/"});
    const auto moved = [&](const std::string& name, const std::string& variable,
                           const std::string& directory) {
        return paddock({"install", name},
                       {.directory = ws(),
                        .variables = {{"HOME", base() + "/home"}, {variable, base() + directory}}})
            .exit_code;
    };
    EXPECT_EQ(moved("codex", "CODEX_HOME", "/codex"), 0);
    EXPECT_TRUE(os_exists(base() + "/codex/config.toml"));
    EXPECT_EQ(moved("opencode", "XDG_CONFIG_HOME", "/xdg"), 0);
    EXPECT_TRUE(os_exists(base() + "/xdg/opencode/opencode.json"));
    EXPECT_EQ(moved("claude", "CLAUDE_CONFIG_DIR", "/xdg"), 0);
    EXPECT_TRUE(os_exists(base() + "/xdg/.claude.json"));
}

TEST_F(Registration, an_agent_that_is_not_known) {
    const Ran ran = run({"install", "cluade"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_NE(ran.err.find("did you mean 'claude'?"), std::string::npos);
}

}  // namespace
}  // namespace paddock::testing
