// What holds for every tool, whoever writes the next one: this test enumerates them, and fails for
// one that it does not know how to call.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "escape/operations.h"
#include "json/parse.h"
#include "testing/secret_samples.h"
#include "tools/call.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

// A call about one path, as an agent would make it: it works if the path is an ordinary one.
struct Sample {
    enum class About { kFile, kDirectory, kNewName, kNothing };

    std::string_view tool;
    About about;
    json::Object (*arguments)(const std::string& path);
};

std::string patch_of(const std::string& before, const std::string& after, const char* lines) {
    return "--- " + before + "\n+++ " + after + "\n" + lines;
}

// Within the quotes, if it is in its escaped form.
std::string prefixed(const std::string& prefix, const std::string& path) {
    return path.starts_with('"') ? '"' + prefix + path.substr(1) : prefix + path;
}

json::Object git_patch(const std::string& before, const std::string& after,
                       const std::string& lines) {
    return {{"patch",
             "diff --git " + prefixed("a/", before) + " " + prefixed("b/", after) + "\n" + lines}};
}

// Every tool must be here, with every argument that names a path.
const std::vector<Sample>& samples() {
    using About = Sample::About;
    static const std::vector<Sample> kSamples{
        {"read_file", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"path", path}};
         }},
        {"read_files", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"paths", json::Array{"other", path}}};
         }},
        {"write_file", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"path", path}, {"content", "new\n"}};
         }},
        {"write_file", About::kNewName,
         [](const std::string& path) -> json::Object {
             return {{"path", path}, {"content", "new\n"}};
         }},
        {"edit_file", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"path", path}, {"old_string", "needle"}, {"new_string", "a longer text"}};
         }},
        {"edit_file", About::kFile,
         [](const std::string& path) -> json::Object {
             const json::Object edit{{"old_string", "needle"}, {"new_string", "a longer text"}};
             return {{"path", path}, {"edits", json::Array{edit}}};
         }},
        {"patch", About::kFile,
         [](const std::string& path) -> json::Object {
             const char* lines = "@@ -1 +1 @@\n-needle\n+a longer text\n";
             return {{"patch", patch_of(prefixed("a/", path), prefixed("b/", path), lines)}};
         }},
        {"patch", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"patch",
                      patch_of(prefixed("a/", path), "/dev/null", "@@ -1 +0,0 @@\n-needle\n")}};
         }},
        {"patch", About::kNewName,
         [](const std::string& path) -> json::Object {
             return {
                 {"patch", patch_of("/dev/null", prefixed("b/", path), "@@ -0,0 +1 @@\n+new\n")}};
         }},
        {"patch", About::kFile,
         [](const std::string& path) {
             return git_patch(path, "n", "rename from " + path + "\nrename to n\n");
         }},
        {"patch", About::kNewName,
         [](const std::string& path) {
             return git_patch("other", path, "rename from other\nrename to " + path + "\n");
         }},
        {"patch", About::kNewName,
         [](const std::string& path) {
             return git_patch("other", path, "copy from other\ncopy to " + path + "\n");
         }},
        {"patch", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"patch", "*** Begin Patch\n*** Update File: " + path +
                                   "\n@@\n-needle\n+a longer text\n*** End Patch\n"}};
         }},
        {"patch", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"patch", "*** Begin Patch\n*** Delete File: " + path + "\n*** End Patch\n"}};
         }},
        {"patch", About::kNewName,
         [](const std::string& path) -> json::Object {
             return {
                 {"patch", "*** Begin Patch\n*** Add File: " + path + "\n+new\n*** End Patch\n"}};
         }},
        {"glob", About::kDirectory,
         [](const std::string& path) -> json::Object {
             return {{"pattern", "*"}, {"path", path}};
         }},
        {"grep", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"pattern", "e"}, {"path", path}, {"output_mode", "content"}};
         }},
        {"grep", About::kDirectory,
         [](const std::string& path) -> json::Object {
             return {{"pattern", "e"}, {"path", path}, {"output_mode", "content"}};
         }},
        {"list_directory", About::kDirectory,
         [](const std::string& path) -> json::Object {
             return {{"path", path}, {"depth", 3}};
         }},
        {"move_path", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"source", path}, {"destination", "n"}};
         }},
        {"move_path", About::kDirectory,
         [](const std::string& path) -> json::Object {
             return {{"source", path}, {"destination", "n"}};
         }},
        {"move_path", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"source", "other"}, {"destination", path}, {"overwrite", true}};
         }},
        {"copy_path", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"source", path}, {"destination", "n"}};
         }},
        {"copy_path", About::kDirectory,
         [](const std::string& path) -> json::Object {
             return {{"source", path}, {"destination", "n"}};
         }},
        {"copy_path", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"source", "other"}, {"destination", path}, {"overwrite", true}};
         }},
        {"remove_path", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"path", path}};
         }},
        {"remove_path", About::kDirectory,
         [](const std::string& path) -> json::Object {
             return {{"path", path}, {"recursive", true}};
         }},
        {"make_directory", About::kNewName,
         [](const std::string& path) -> json::Object {
             return {{"path", path}};
         }},
        {"file_info", About::kFile,
         [](const std::string& path) -> json::Object {
             return {{"path", path}};
         }},
        {"bash", About::kDirectory,
         [](const std::string& path) -> json::Object {
             return {{"command", "cat *; echo x > made"}, {"cwd", path}};
         }},
        {"bash_output", About::kNothing,
         [](const std::string&) -> json::Object {
             return {{"id", "b1"}};
         }},
        {"bash_input", About::kNothing,
         [](const std::string&) -> json::Object {
             return {{"id", "b2"}, {"text", "x"}};
         }},
        {"bash_kill", About::kNothing,
         [](const std::string&) -> json::Object {
             return {{"id", "b1"}};
         }},
        {"workspace_info", About::kNothing, [](const std::string&) -> json::Object { return {}; }},
    };
    return kSamples;
}

const tools::Declaration& declaration_of(const Sample& sample) {
    const tools::Declaration* tool = tools::find_tool(sample.tool);
    if (tool == nullptr) throw std::runtime_error("a sample of no tool");
    return *tool;
}

bool needs_shell(const Sample& sample) { return declaration_of(sample).traits.needs_shell; }

class Gate : public Desk {
protected:
    Gate() { options.limits.calls_per_second.reset(); }

    // Runs `act` for each sample in a new session on a new tree, with the ordinary path that the
    // sample is about. A session for commands has run one, and runs another; there is none without
    // a sandbox, nor in memory: no workspace for commands lies below /dev.
    template <class Act>
    void each_sample(Act act) {
        for (const Sample& sample : samples()) {
            std::filesystem::remove_all(ws());
            tree({"ROOT/f=needle\n", "ROOT/other=other\n", "ROOT/d/g=needle\n"});
            options.shell.reset();
            if (needs_shell(sample) && ws().starts_with("/dev/")) continue;
            if (needs_shell(sample)) options.shell.emplace();
            reopen();
            if (needs_shell(sample) &&
                call("bash", {{"command", "cat f"}}).error == Code::kSandboxUnavailable) {
                continue;
            }
            if (needs_shell(sample)) {
                (void)call("bash", {{"command", "sleep 1000"}, {"run_in_background", true}});
            }
            const char* path = sample.about == Sample::About::kDirectory ? "d"
                               : sample.about == Sample::About::kNewName ? "new"
                                                                         : "f";
            SCOPED_TRACE(std::string(sample.tool) + " " + path);
            act(sample, path);
        }
    }

    tools::Answer call_sample(const Sample& sample, const std::string& path) {
        return call(sample.tool, sample.arguments(path));
    }

    // The content of all files together, and how often a text is in it.
    std::string all_bytes() const {
        std::string bytes;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(ws())) {
            if (is_of_journal(entry.path())) continue;
            if (entry.is_regular_file()) bytes += os_read(entry.path()).value_or("");
        }
        return bytes;
    }
    std::size_t occurrences(const std::string& text) const {
        const std::string bytes = all_bytes();
        std::size_t count = 0;
        for (std::size_t at = 0; (at = bytes.find(text, at)) != bytes.npos; ++at) ++count;
        return count;
    }
};

TEST_F(Gate, every_tool_has_a_sample_call_that_works) {
    for (const tools::Declaration* tool : tools::all_tools()) {
        EXPECT_TRUE(std::any_of(samples().begin(), samples().end(),
                                [&](const Sample& sample) { return sample.tool == tool->name; }))
            << tool->name << ": add a call of it to samples()";
    }
    each_sample([&](const Sample& sample, const char* path) {
        for (const char* known : {"f", "other"}) read(known);
        const tools::Answer answer = call_sample(sample, path);
        EXPECT_FALSE(answer.error) << answer.text();
    });
}

// The form in which the tools print it.
TEST_F(Gate, every_tool_takes_a_name_that_is_no_text) {
    const std::string end = "\xff\t\"n";
    options.track_reads = false;
    each_sample([&](const Sample& sample, const char* path) {
        if (sample.about == Sample::About::kNothing) return;
        const std::string odd = path + end;
        if (os_exists(ws(path))) std::filesystem::rename(ws(path), ws(odd));
        const auto before = os_list(ws());
        const std::string content = all_bytes();
        const std::string written = "\"" + std::string(path) + R"(\377\t\"n")";
        const tools::Answer answer = call_sample(sample, written);
        EXPECT_FALSE(answer.error) << answer.text();
        if (declaration_of(sample).traits.read_only) {
            const std::string text = answer.text();
            EXPECT_TRUE(text.find("needle") != text.npos || text.find(R"(\377\t\"n)") != text.npos)
                << text;
            EXPECT_EQ(os_list(ws()), before);
        } else {
            EXPECT_TRUE(os_list(ws()) != before || all_bytes() != content) << answer.text();
        }
        EXPECT_FALSE(os_exists(ws(written))) << "the escaped form was taken for the name";
    });
}

TEST_F(Gate, no_tool_shows_or_changes_a_denied_path) {
    options.track_reads = false;
    options.redact_secrets = false;
    each_sample([&](const Sample& sample, const char*) {
        tree({"ROOT/.env=secret", "ROOT/d/key.pem=secret", "ROOT/.ssh/id=secret"});
        if (sample.about == Sample::About::kNothing) return;
        const Unchanged inside(ws());
        for (const char* path : {".env", "d/key.pem", "./d/../.env", ".ssh"}) {
            const tools::Answer answer = call_sample(sample, path);
            EXPECT_EQ(answer.text().find("secret"), std::string::npos) << answer.text();
            const bool told = answer.error == Code::kDeniedByRule ||
                              answer.text().find("denied_by_rule") != std::string::npos;
            EXPECT_TRUE(told) << path << ": " << answer.text();
        }
    });
}

TEST_F(Gate, no_tool_changes_a_read_only_path) {
    options.track_reads = false;
    each_sample([&](const Sample& sample, const char*) {
        if (!declaration_of(sample).changes_files()) return;
        if (sample.about == Sample::About::kNothing) return;
        tree({"ROOT/.git/config=needle\n", "ROOT/.git/hooks/h=needle\n", "ROOT/.git/objects/",
              "ROOT/.git/refs/"});
        const Unchanged protected_area(ws(".git"));
        for (const char* path : {".git/config", ".git/hooks/h", ".git/hooks/new", ".git/hooks"}) {
            const tools::Answer answer = call_sample(sample, path);
            const bool may_look = sample.tool == "copy_path" || needs_shell(sample);
            EXPECT_TRUE(answer.error || may_look) << path << ": " << answer.text();
        }
    });
}

TEST_F(Gate, no_tool_leaves_the_workspace) {
    options.track_reads = false;
    options.default_rules = false;
    tree({"ROOT/leaf->../OUT/secret"});
    expect_naive_leak("leaf");
    const Unchanged outside(out());
    each_sample([&](const Sample& sample, const char*) {
        if (sample.about == Sample::About::kNothing) return;
        tree({"ROOT/out->../OUT"});
        const Unchanged inside(ws());
        for (const std::string& path :
             {std::string("../OUT/secret"), out("secret"), std::string("out/secret"),
              std::string("out/new"), std::string("out/../../OUT/secret"), std::string("/")}) {
            const tools::Answer answer = call_sample(sample, path);
            EXPECT_EQ(answer.text().find(kSecret), std::string::npos) << path;
            const bool told =
                answer.error || answer.text().find("path_escape") != std::string::npos;
            EXPECT_TRUE(told) << path << ": " << answer.text();
        }
    });
}

TEST_F(Gate, no_tool_writes_in_read_only_mode) {
    options.read_only = true;
    const auto listed = tools::list(workspace());
    for (const tools::Declaration* tool : tools::all_tools()) {
        const bool is_listed = std::any_of(listed.begin(), listed.end(), [&](const auto& info) {
            return info.name == tool->name;
        });
        EXPECT_EQ(is_listed, !tool->changes_files() && !tool->traits.needs_shell) << tool->name;
    }
    each_sample([&](const Sample& sample, const char* path) {
        const Unchanged inside(ws());
        const tools::Answer answer = call_sample(sample, path);
        if (!declaration_of(sample).changes_files()) return;
        EXPECT_EQ(answer.error, Code::kNotAvailable);
        const tools::Answer unknown = call("no_such_tool", {});
        EXPECT_EQ(unknown.error, Code::kNotAvailable);
    });
}

// A tool that is not listed answers as one that does not exist.
TEST_F(Gate, only_the_tools_that_were_chosen_can_be_had) {
    const auto names = [&] {
        reopen();
        std::string text;
        for (const auto& tool : tools::list(workspace())) text += tool.name + " ";
        return text;
    };
    const std::string all = names();
    options.tools = {"full"};
    EXPECT_EQ(names(), all);
    options.tools = {"core"};
    EXPECT_EQ(names(), "read_file write_file edit_file patch glob grep list_directory ");
    options.tools = {"core", "file_info"};
    EXPECT_EQ(names(), "read_file write_file edit_file patch glob grep list_directory file_info ");
    options.tools = {"read_file", "write_file"};
    EXPECT_EQ(names(), "read_file write_file ");
    EXPECT_EQ(refused("grep", {{"pattern", "x"}}), "not_available");
    options.read_only = true;
    EXPECT_EQ(names(), "read_file ") << "choosing a tool does not lift a restriction";
    options.tools = {"reed_file"};
    options.root = ws();
    EXPECT_CODE(Workspace::open(options), Code::kInvalidArgument);
}

TEST_F(Gate, issue_17_1_no_boundary_is_opened_for_less_than_two_words) {
    options.root = ws();
    for (const char* none : {"", " \t", "test", "1", "true", "yes 1", "-- no"}) {
        RootOptions paths;
        paths.every_mount = permit::EveryMount{none};
        EXPECT_CODE(Root::open(ws(), paths), Code::kInvalidArgument);
        options.unconfined = permit::Unconfined{none};
        EXPECT_CODE(Workspace::open(options), Code::kInvalidArgument);
    }
    options.unconfined = permit::Unconfined{"a test"};
    EXPECT_TRUE(Workspace::open(options));
}

TEST_F(Gate, issue_17_2_a_rule_that_is_not_meant_opens_no_workspace) {
    options.root = ws();
    options.rules = {{"vendor", PathAccess::kReadOnly}, {"!secret", PathAccess::kDeny}};
    for (const bool with_defaults : {true, false}) {
        options.default_rules = with_defaults;
        const auto opened = Workspace::open(options);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().message(),
                  "invalid_argument: rule '!secret': begins with '!'; write allow instead of deny. "
                  "Correct the call.");
    }
    options.rules.pop_back();
    EXPECT_TRUE(Workspace::open(options));
}

// What a session has not read, or not as it is now, is still somewhere after any call: the file is
// refused or carried elsewhere. Only the tool that is there to remove may lose it.
TEST_F(Gate, no_tool_loses_what_was_not_read) {
    for (const bool was_read : {false, true}) {
        each_sample([&](const Sample& sample, const char* path) {
            if (sample.tool == "remove_path") return;
            if (was_read) {
                for (const char* known : {"f", "other", "d/g"}) read(known);
                for (const char* known : {"f", "other", "d/g"}) os_write(ws(known), "needle\nx\n");
            }
            const std::size_t before = occurrences("needle");
            const tools::Answer answer = call_sample(sample, path);
            EXPECT_GE(occurrences("needle"), before) << answer.text();
            const bool refused = answer.error == (was_read ? Code::kStaleRead : Code::kNotRead);
            EXPECT_TRUE(!answer.error || refused) << answer.text();
        });
    }
}

TEST_F(Gate, every_answer_is_filtered) {
    std::string token = "ghp_";
    for (int i = 0; i < 36; ++i) token += "aB3dE5gH7jK9mN"[i * 5 % 14];
    const std::string named = "hunter2hunter2";
    options.secrets = {{"db", named}};
    options.track_reads = false;
    each_sample([&](const Sample& sample, const char* path) {
        for (const char* file : {"f", "d/g"}) {
            os_write(ws(file), "needle\n" + token + " e\n" + named + " e\n");
        }
        for (const std::string& secret : {token, named}) {
            tree({"ROOT/d/" + secret + "=needle\n"});
            for (const std::string& about : {std::string(path), secret, "d/" + secret}) {
                const tools::Answer answer = call_sample(sample, about);
                EXPECT_EQ(answer.text().find(secret), std::string::npos) << answer.text();
            }
        }
    });
    os_write(ws("f"), "a " + token + " b " + named + "\n");
    const std::string shown = ok("read_file", {{"path", "f"}});
    EXPECT_NE(shown.find("[REDACTED:"), std::string::npos) << shown;
    EXPECT_NE(shown.find("[REDACTED:db]"), std::string::npos) << shown;
}

// What comes in is written as it is.
TEST_F(Gate, no_tool_alters_a_secret_on_the_way_in) {
    const std::string token = "ghp_" + Chance(4).text("abcdefghijkmnpqrstuvwxyzABCDEFGHJ", 36);
    options.secrets = {{"db", "hunter2hunter2"}};
    const std::string line = "key " + token + " hunter2hunter2";
    const auto expect_written = [&](std::string_view tool, const json::Object& arguments) {
        tree({"ROOT/f=needle\n"});
        reopen();
        read("f");
        EXPECT_EQ(ok(tool, arguments).find(token), std::string::npos) << "on the way out it is";
        EXPECT_EQ(os_read(ws("f")), line + "\n") << tool;
    };
    expect_written("write_file", {{"path", "f"}, {"content", line + "\n"}});
    expect_written("edit_file", {{"path", "f"}, {"old_string", "needle"}, {"new_string", line}});
    expect_written("patch",
                   {{"patch", patch_of("a/f", "b/f", "@@ -1 +1 @@\n-needle\n+") + line + "\n"}});
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
    EXPECT_NE(text.find("'pth' is not an argument (did you mean 'path'?)"), std::string::npos);
    EXPECT_NE(text.find("'limit' must be an integer, not the string 'many'"), std::string::npos)
        << text;
    EXPECT_NE(text.find("'offset' must be an integer, not 1.5"), std::string::npos) << text;
    EXPECT_NE(text.find("'path' is required"), std::string::npos) << text;
    EXPECT_EQ(refused("read_file", {{"path", "a"}, {"file_path", "b"}}), "invalid_argument");
    EXPECT_EQ(refused("read_fil", {}), "not_available");
}

TEST_F(Gate, no_tool_starts_when_no_more_calls_may) {
    options.limits.calls_in_flight = 0;
    each_sample([&](const Sample& sample, const char* path) {
        const Unchanged inside(ws());
        EXPECT_EQ(call_sample(sample, path).error, Code::kRateLimited);
    });
    EXPECT_EQ(refused("no_such_tool", {}), "rate_limited");
}

TEST_F(Gate, no_tool_reads_more_than_it_may) {
    options.track_reads = false;
    options.limits.bytes_read = 3;
    each_sample([&](const Sample& sample, const char* path) {
        if (needs_shell(sample)) return;  // what commands read is not counted
        const std::string text = call_sample(sample, path).text();
        EXPECT_EQ(text.find("needle"), text.npos) << text;
    });
    options.limits.bytes_read = 25;
    reopen();
    os_write(ws("f"), "0123456789");
    (void)ok("read_file", {{"path", "f"}});
    (void)ok("grep", {{"pattern", "0"}, {"path", "f"}});
    EXPECT_EQ(refused("read_file", {{"path", "f"}}), "quota_exceeded");
    EXPECT_EQ(refused("grep", {{"pattern", "0"}, {"path", "f"}}), "quota_exceeded");
}

// Neither over the session's count of bytes nor over what the workspace may hold.
TEST_F(Gate, no_tool_writes_more_than_it_may) {
    options.track_reads = false;
    for (const bool on_disk : {false, true}) {
        options.limits.bytes_written = on_disk ? std::optional<std::uint64_t>() : 3;
        options.limits.bytes_on_disk = on_disk ? std::optional<std::uint64_t>(4096) : std::nullopt;
        each_sample([&](const Sample& sample, const char* path) {
            if (needs_shell(sample)) return;  // they are ended when they have: bash_test.cc
            const std::size_t before = all_bytes().size();
            const std::size_t files = os_list(ws()).size();
            const tools::Answer answer = call_sample(sample, path);
            if (on_disk) {
                EXPECT_LE(os_list(ws()).size(), files) << answer.text();
            } else {
                EXPECT_LE(all_bytes().size(), before) << answer.text();
            }
        });
    }
}

TEST_F(Gate, every_tool_is_told_to_the_audit) {
    std::vector<std::string> told;
    options.audit = [&](const AuditEvent& event) { told.emplace_back(event.tool); };
    each_sample([&](const Sample& sample, const char* path) {
        told.clear();
        (void)call_sample(sample, path);
        EXPECT_EQ(told, std::vector<std::string>{std::string(sample.tool)});
    });
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
