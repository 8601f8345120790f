// What holds for every tool, whoever writes the next one: this test enumerates them.
#include <gtest/gtest.h>

#include <thread>

#include "json/parse.h"
#include "tools/desk.h"
#include "tools/registry.h"

namespace paddock::testing {
namespace {

class Gate : public Desk {};

// A call of `tool` in which every path is `path`, and everything else is plausible.
json::Object call_about(const tools::Declaration& tool, std::string_view path) {
    json::Object arguments;
    for (const tools::Argument& argument : tool.arguments) {
        const bool is_path =
            argument.name == "path" || argument.name == "source" || argument.name == "destination";
        if (is_path) arguments[argument.name] = path;
        if (argument.name == "paths") arguments[argument.name] = json::Array{path};
        if (argument.name == "content") arguments[argument.name] = "new";
        if (argument.name == "old_string") arguments[argument.name] = "secret";
        if (argument.name == "new_string") arguments[argument.name] = "new";
        if (argument.name == "pattern") arguments[argument.name] = "*";
        if (argument.name == "recursive") arguments[argument.name] = true;
        if (argument.name == "patch") {
            const std::string name(path);
            arguments[argument.name] =
                "--- a/" + name + "\n+++ b/" + name + "\n@@ -1 +1 @@\n-secret\n+new\n";
        }
    }
    if (arguments.find("pattern") != nullptr && tool.name == "grep") arguments["pattern"] = "s";
    return arguments;
}

bool takes_a_path(const tools::Declaration& tool) { return tool.name != "workspace_info"; }

TEST_F(Gate, no_tool_shows_or_changes_a_denied_path) {
    tree({"ROOT/.env=secret", "ROOT/d/key.pem=secret", "ROOT/plain=x"});
    options.track_reads = false;
    options.redact_secrets = false;
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (!takes_a_path(*tool)) continue;
        for (const char* path : {".env", "d/key.pem", "./d/../.env", "new/.env", ".ENV"}) {
            const tools::Answer answer = call(tool->name, call_about(*tool, path));
            EXPECT_EQ(answer.text().find("secret"), std::string::npos) << tool->name << path;
            const bool told = answer.error == Code::kDeniedByRule ||
                              answer.text().find("denied_by_rule") != std::string::npos;
            EXPECT_TRUE(told) << tool->name << " " << path << ": " << answer.text();
        }
    }
    EXPECT_EQ(os_read(ws(".env")), "secret");
    EXPECT_EQ(os_read(ws("d/key.pem")), "secret");
    EXPECT_FALSE(os_exists(ws("new")));
}

TEST_F(Gate, no_tool_changes_a_read_only_path) {
    tree({"ROOT/.git/config=secret", "ROOT/.git/hooks/h=secret"});
    options.track_reads = false;
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (!takes_a_path(*tool) || !tool->changes_files()) continue;
        for (const char* path : {".git/config", ".git/hooks/h", ".git/hooks/new", ".git"}) {
            if (tool->name == "make_directory" && std::string_view(path) == ".git") continue;
            const tools::Answer answer = call(tool->name, call_about(*tool, path));
            EXPECT_TRUE(answer.error) << tool->name << " " << path << ": " << answer.text();
        }
    }
    EXPECT_EQ(os_read(ws(".git/config")), "secret");
    EXPECT_EQ(os_read(ws(".git/hooks/h")), "secret");
    EXPECT_EQ(os_list(ws(".git/hooks")).size(), 1U);
}

TEST_F(Gate, no_tool_leaves_the_workspace) {
    tree({"ROOT/f=inside", "ROOT/out->../OUT", "ROOT/leaf->../OUT/secret"});
    options.track_reads = false;
    options.default_rules = false;
    expect_naive_leak("leaf");
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (!takes_a_path(*tool)) continue;
        for (const std::string& path :
             {std::string("../OUT/secret"), out("secret"), std::string("out/secret"),
              std::string("out/new"), std::string("out/../../OUT/secret"), std::string("/")}) {
            const tools::Answer answer = call(tool->name, call_about(*tool, path));
            EXPECT_EQ(answer.text().find(kSecret), std::string::npos) << tool->name << " " << path;
            const bool told =
                answer.error || answer.text().find("path_escape") != std::string::npos;
            EXPECT_TRUE(told) << tool->name << " " << path << ": " << answer.text();
        }
    }
    EXPECT_EQ(secret(), kSecret);
    EXPECT_EQ(os_list(out()).size(), 1U);
}

TEST_F(Gate, no_tool_writes_in_read_only_mode) {
    tree({"ROOT/f=secret"});
    options.read_only = true;
    const auto listed = tools::list(workspace());
    for (const tools::Declaration* tool : tools::all_tools()) {
        const bool is_listed = std::any_of(listed.begin(), listed.end(), [&](const auto& info) {
            return info.name == tool->name;
        });
        EXPECT_EQ(is_listed, !tool->changes_files()) << tool->name;
        if (!tool->changes_files()) continue;
        const tools::Answer answer = call(tool->name, call_about(*tool, "f"));
        EXPECT_EQ(answer.error, Code::kNotAvailable);
        const tools::Answer unknown = call("no_such_tool", {});
        EXPECT_EQ(unknown.error, Code::kNotAvailable);
    }
    EXPECT_EQ(os_read(ws("f")), "secret");
}

TEST_F(Gate, every_answer_is_filtered) {
    std::string token = "ghp_";
    for (int i = 0; i < 36; ++i) token += "aB3dE5gH7jK9mN"[i * 5 % 14];
    options.secrets = {{"db", "hunter2hunter2"}};
    tree({"ROOT/f=x"});
    os_write(ws("f"), "a " + token + " b hunter2hunter2\n");
    for (const tools::Declaration* tool : tools::all_tools()) {
        for (const std::string& text : {token, std::string("hunter2hunter2")}) {
            const tools::Answer answer = call(tool->name, call_about(*tool, text));
            EXPECT_EQ(answer.text().find(text), std::string::npos)
                << tool->name << ": " << answer.text();
        }
    }
    const std::string shown = ok("read_file", {{"path", "f"}});
    EXPECT_NE(shown.find("[REDACTED:"), std::string::npos) << shown;
    EXPECT_NE(shown.find("[REDACTED:db]"), std::string::npos) << shown;
}

TEST_F(Gate, every_declaration_is_complete) {
    for (const tools::Declaration* tool : tools::all_tools()) {
        EXPECT_FALSE(tool->title.empty() || tool->summary.empty() || tool->description.empty())
            << tool->name;
        EXPECT_TRUE(tool->summary.ends_with('.')) << tool->name;
        EXPECT_NE(tool->run, nullptr) << tool->name;
        for (const tools::Argument& argument : tool->arguments) {
            EXPECT_FALSE(argument.help.empty()) << tool->name << " " << argument.name;
        }
    }
    for (const tools::ToolInfo& info : tools::list(workspace())) {
        const json::Parsed schema = json::parse(info.input_schema);
        ASSERT_EQ(schema.problem, "");
        ASSERT_NE(schema.value.as_object(), nullptr);
        EXPECT_EQ(*schema.value.as_object()->find("type")->as_string(), "object");
        EXPECT_EQ(info.input_schema.find("$schema"), std::string::npos);
        EXPECT_EQ(info.input_schema.find("anyOf"), std::string::npos);
    }
}

TEST_F(Gate, bad_calls_are_explained) {
    EXPECT_EQ(tools::call(workspace(), "read_file", "{").error, Code::kInvalidArgument);
    EXPECT_EQ(tools::call(workspace(), "read_file", "[]").error, Code::kInvalidArgument);
    EXPECT_EQ(tools::call(workspace(), "read_file", R"({"path":"a","path":"b"})").error,
              Code::kInvalidArgument);
    const std::string text =
        call("read_file", {{"pth", "a"}, {"limit", "many"}, {"offset", 1.5}}).text();
    EXPECT_NE(text.find("'pth' is not an argument; did you mean 'path'?"), std::string::npos);
    EXPECT_NE(text.find("'limit' must be an integer, not a string"), std::string::npos) << text;
    EXPECT_NE(text.find("'offset' must be an integer, not a number"), std::string::npos) << text;
    EXPECT_NE(text.find("'path' is required"), std::string::npos) << text;
    EXPECT_EQ(refused("read_file", {{"path", "a"}, {"file_path", "b"}}), "invalid_argument");
    EXPECT_EQ(refused("read_fil", {}), "not_available");
}

TEST_F(Gate, limits_hold) {
    tree({"ROOT/f=0123456789"});
    options.track_reads = false;
    options.limits = {.calls_per_second = {}, .bytes_read = 25, .bytes_written = 10};
    EXPECT_EQ(refused("write_file", {{"path", "g"}, {"content", "more than ten"}}),
              "quota_exceeded");
    EXPECT_FALSE(os_exists(ws("g")));
    (void)ok("read_file", {{"path", "f"}});
    (void)ok("read_file", {{"path", "f"}});
    (void)call("read_file", {{"path", "f"}});
    EXPECT_EQ(refused("read_file", {{"path", "f"}}), "quota_exceeded");
}

TEST_F(Gate, every_call_is_told_to_the_audit) {
    tree({"ROOT/f=x"});
    std::vector<std::string> told;
    options.secrets = {{"db", "hunter2hunter2"}};
    options.audit = [&](const AuditEvent& event) {
        told.push_back(std::string(event.tool) + " " + std::string(event.arguments) + " " +
                       (event.error ? std::string(code_name(*event.error)) : "ok"));
    };
    (void)ok("read_file", {{"path", "f"}});
    (void)call("read_file", {{"path", "hunter2hunter2"}});
    (void)call("nothing", {});
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[0], R"(read_file {"path":"f"} ok)");
    EXPECT_EQ(told[1], R"(read_file {"path":"[REDACTED:db]"} not_found)");
    EXPECT_EQ(told[2], "nothing {} not_available");
}

}  // namespace
}  // namespace paddock::testing
