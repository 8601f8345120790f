// What answers tell: of the outside, of hidden names, of the host, and of secrets.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "escape/operations.h"
#include "tools/call.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

// Every tool that takes a path, about `path`.
struct Call {
    std::string_view tool;
    json::Object arguments;
};

std::vector<Call> calls_about(const std::string& path) {
    const std::string diff = "--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-x\n+y\n";
    return {{"read_file", {{"path", path}}},
            {"read_files", {{"paths", json::Array{path, "f"}}}},
            {"write_file", {{"path", path}, {"content", "y"}}},
            {"edit_file", {{"path", path}, {"old_string", "x"}, {"new_string", "y"}}},
            {"edit_file",
             {{"path", path}, {"old_string", "x"}, {"new_string", "y"}, {"dry_run", true}}},
            {"patch", {{"patch", diff}}},
            {"patch", {{"patch", "--- a/" + path + "\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"}}},
            {"glob", {{"pattern", "*"}, {"path", path}}},
            {"grep", {{"pattern", "x"}, {"path", path}}},
            {"list_directory", {{"path", path}}},
            {"move_path", {{"source", path}, {"destination", "new"}}},
            {"move_path", {{"source", "f"}, {"destination", path}}},
            {"copy_path", {{"source", path}, {"destination", "new"}}},
            {"copy_path", {{"source", "f"}, {"destination", path}, {"overwrite", true}}},
            {"remove_path", {{"path", path}, {"recursive", true}}},
            {"make_directory", {{"path", path}}},
            {"file_info", {{"path", path}}}};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) {
        text.replace(at, what.size(), by);
    }
    return text;
}

class ToolsLeak : public Desk {
protected:
    ToolsLeak() {
        options.track_reads = false;
        options.limits.calls_per_second.reset();
    }

    // The two paths get the same answer from every tool, but for the path itself.
    void expect_same_answers(const std::string& one, const std::string& other) {
        const Unchanged everything(base());
        const auto first = calls_about(one);
        const auto second = calls_about(other);
        for (std::size_t i = 0; i < first.size(); ++i) {
            const auto a = call(first[i].tool, first[i].arguments);
            const auto b = call(second[i].tool, second[i].arguments);
            EXPECT_EQ(a.error, b.error) << first[i].tool;
            EXPECT_EQ(replaced(a.text(), one, "PATH"), replaced(b.text(), other, "PATH"))
                << first[i].tool << " " << one;
        }
    }
};

TEST_F(ToolsLeak, the_calls_are_of_every_tool_that_takes_a_path) {
    const auto all = calls_about("f");
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (!takes_a_path(*tool) || tool->traits.needs_shell) continue;
        EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                                [&](const Call& each) { return each.tool == tool->name; }))
            << tool->name << ": add a call about a path";
    }
}

TEST_F(ToolsLeak, nothing_tells_whether_something_is_outside) {
    tree({"ROOT/f=x", "ROOT/l->../OUT", "OUT/dir/x=x", "ROOT/d->/", "OUT/exec=x"});
    EXPECT_TRUE(naive_read("../OUT/secret").has_value());
    EXPECT_FALSE(naive_read("../OUT/absent").has_value()) << "the plain OS tells";
    ASSERT_EQ(::chmod(out("exec").c_str(), 0), 0);
    for (const std::string prefix : {"../OUT/", "l/", "d/../../OUT/"}) {
        for (const std::string there : {"secret", "dir", "dir/x", "exec"}) {
            expect_same_answers(prefix + there, prefix + "absent");
        }
    }
    expect_same_answers(out("secret"), out("absent"));
    expect_same_answers("/etc/passwd", "/etc/no-such");
    expect_same_answers("d/etc/passwd", "d/etc/no-such");
}

TEST_F(ToolsLeak, a_link_tells_nothing_of_where_it_leads_outside) {
    tree({"ROOT/f=x", "OUT/dir/x=x", "ROOT/one->../OUT/secret", "ROOT/two->../OUT/absent",
          "ROOT/six->../OUT/dir", "ROOT/abs->@/OUT/secret", "ROOT/ab2->@/OUT/absent"});
    const auto about = [&](const char* link) {
        std::vector<std::string> answers;
        for (const char* tool : {"read_file", "list_directory", "file_info"}) {
            std::string text = replaced(call(tool, {{"path", link}}).text(), link, "LINK");
            if (const auto at = text.find("modified:"); at != text.npos) text.resize(at);
            EXPECT_EQ(text.find("OUT"), text.npos) << text;
            answers.push_back(text);
        }
        for (const char* tool : {"grep", "glob"}) {
            answers.push_back(
                replaced(call(tool, {{"pattern", "*"}, {"path", link}}).text(), link, "LINK"));
        }
        return answers;
    };
    const auto expected = about("one");
    for (const char* link : {"two", "six", "abs", "ab2"}) EXPECT_EQ(about(link), expected) << link;
    const std::string listing = ok("list_directory", {});
    EXPECT_EQ(listing.find("OUT"), listing.npos) << listing;
}

TEST_F(ToolsLeak, nothing_tells_whether_a_denied_file_exists) {
    options.rules = {{".env", PathAccess::kDeny}, {"*.pem", PathAccess::kDeny}};
    tree({"ROOT/f=x", "ROOT/d/.env=x", "ROOT/d/key.pem=x", "ROOT/in->d", "ROOT/e/"});
    for (const std::string name : {".env", "key.pem", ".ENV"}) {
        expect_same_answers("d/" + name, "e/" + name);
        expect_same_answers("in/" + name, "e/" + name);
    }
    expect_same_answers("d/.env/below", "e/.env/below");
}

TEST_F(ToolsLeak, hidden_names_are_not_told) {
    tree({"ROOT/d/server-2026.pem=x", "ROOT/d/.env.prod=x", "ROOT/d/f=x", "ROOT/vault/inner=x",
          "ROOT/f=x", "ROOT/e/id_rsa_prod=x"});
    options.rules = {{"/vault", PathAccess::kDeny}};
    const std::string hidden[] = {"server-2026", ".env.prod", "inner", "id_rsa_prod"};
    std::string told;
    const auto tell = [&](std::string_view tool, const json::Object& arguments) {
        told += call(tool, arguments).text() + "\n";
    };
    for (const char* path : {".", "d", "e", "vault"}) {
        tell("list_directory", {{"path", path}, {"depth", 5}, {"sizes", true}});
        tell("glob", {{"pattern", "**"}, {"path", path}, {"hidden", true}, {"ignored", true}});
        tell("grep", {{"pattern", "."}, {"path", path}, {"hidden", true}, {"ignored", true}});
        tell("copy_path", {{"source", path}, {"destination", "copy"}});
        tell("move_path", {{"source", path}, {"destination", "moved"}});
        tell("remove_path", {{"path", path}, {"recursive", true}});
        tell("remove_path", {{"path", path}});
    }
    // Near names of names that are missing.
    for (const char* path : {"d/server-2025.txt", "d/server2026.pex", "d/.env.pro", "e/id_rsa_pro",
                             "vault2", "vault/inne", "d/.nv.prod"}) {
        for (const Call& each : calls_about(path)) {
            if (each.tool == "make_directory" || each.tool == "write_file") continue;
            tell(each.tool, each.arguments);
        }
    }
    for (const std::string& name : hidden) EXPECT_EQ(told.find(name), told.npos) << told;
    EXPECT_TRUE(os_exists(ws("vault/inner")));
}

TEST_F(ToolsLeak, no_answer_names_a_path_of_the_host) {
    tree({"ROOT/d/f=x", "ROOT/abs->@/ROOT/d/f", "ROOT/dir->@/ROOT/d", "ROOT/dangling->@/ROOT/none",
          "ROOT/out->@/OUT", "ROOT/f=x"});
    for (const char* path :
         {"d/f", "abs", "dir", "dir/f", "dangling", "out", "out/x", "none", "."}) {
        for (const Call& each : calls_about(path)) {
            if (each.tool == "remove_path" || each.tool == "move_path") continue;
            json::Object arguments = each.arguments;
            const auto answer = call(each.tool, arguments);
            EXPECT_EQ(answer.text().find(base()), std::string::npos)
                << each.tool << " " << path << ": " << answer.text();
        }
    }
    const std::string listing = ok("list_directory", {});
    EXPECT_NE(listing.find("abs -> d/f (from the root)\n"), listing.npos) << listing;
    EXPECT_NE(listing.find("out -> (outside the workspace)\n"), listing.npos) << listing;
    EXPECT_NE(ok("file_info", {{"path", "dir"}}).find("target: d (from the root)\n"),
              std::string::npos);
}

TEST_F(ToolsLeak, control_bytes_in_names_are_shown_escaped) {
    const std::string odd = "a\x1b[31m\nb";
    tree({"ROOT/f=x"});
    os_write(ws(odd), "x");
    ASSERT_EQ(::mkdir(ws(odd + "d").c_str(), 0755), 0);
    for (const std::string& path : {odd, odd + "d", odd + "none", odd + "/x"}) {
        for (const Call& each : calls_about(path)) {
            if (each.tool == "patch") continue;  // a line break ends the name there
            const std::string text = call(each.tool, each.arguments).text();
            EXPECT_EQ(text.find('\x1b'), text.npos) << each.tool << ": " << text;
        }
    }
}

TEST_F(ToolsLeak, secrets_are_replaced_wherever_they_stand) {
    std::string token = "ghp_";
    for (std::size_t i = 0; i < 36; ++i) token += "aB3dE5gH7jK9mN"[i * 5 % 14];
    const std::string known = "hunter2hunter2";
    options.secrets = {{"db", known}};
    for (const std::string& secret : {token, known}) {
        reopen();
        (void)::unlink(ws("link").c_str());
        tree({"ROOT/f=x", "ROOT/" + secret + "/inner=x", "ROOT/link->" + secret});
        os_write(ws("c"), "one\nkey " + secret + " end\n");
        std::vector<Call> calls = calls_about(secret);  // as a name that exists
        for (const std::string& path : {secret + "x/none", "none/" + secret, "c/" + secret}) {
            for (Call& each : calls_about(path)) calls.push_back(std::move(each));
        }
        calls.push_back({"read_file", {{"path", "c"}}});
        calls.push_back({"grep", {{"pattern", "key"}, {"path", "c"}, {"output_mode", "content"}}});
        calls.push_back({"grep", {{"pattern", "(" + secret}}});
        calls.push_back({"glob", {{"pattern", "{" + secret}}});
        calls.push_back({"list_directory", {}});
        calls.push_back({"file_info", {{"path", "link"}}});
        calls.push_back(
            {"edit_file", {{"path", "c"}, {"old_string", "key no"}, {"new_string", "y"}}});
        calls.push_back(
            {"edit_file", {{"path", "c"}, {"old_string", "one"}, {"new_string", secret}}});
        calls.push_back(
            {"patch", {{"patch", "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-" + secret + "\n+y\n"}}});
        calls.push_back({"read_file", {{secret, "x"}}});
        calls.push_back({secret, {}});
        for (const Call& each : calls) {
            const std::string text = call(each.tool, each.arguments).text();
            EXPECT_EQ(text.find(secret), text.npos) << each.tool << ": " << text;
        }
    }
}

// A line that is too long is shown in part; whoever asks chooses where the part begins and ends.
TEST_F(ToolsLeak, no_cut_goes_through_a_secret) {
    std::string token = "ghp_";
    for (std::size_t i = 0; i < 36; ++i) token += "aB3dE5gH7jK9mN"[i * 5 % 14];
    const std::string known = "correct-horse-battery-staple";
    options.secrets = {{"db", known}};
    for (const std::string& secret : {token, known}) {
        const auto expect_hidden = [&](const std::string& text, std::size_t at) {
            for (std::size_t i = 4; i + 8 <= secret.size(); i += 4) {
                EXPECT_EQ(text.find(secret.substr(i, 8)), text.npos) << at << ": " << text;
            }
        };
        for (std::size_t at = 1; at < 60; at += 3) {
            reopen();
            // The end of the part that read_file shows, then of the part that grep shows.
            os_write(ws("f"), std::string(2000 - at, '.') + secret + std::string(3000, '.') + "\n");
            expect_hidden(ok("read_file", {{"path", "f"}}), at);
            os_write(ws("f"), std::string(500 - at, '.') + secret + std::string(900, '.') + "\n");
            expect_hidden(
                ok("grep", {{"pattern", "^."}, {"path", "f"}, {"output_mode", "content"}}), at);
            // And its beginning.
            os_write(ws("f"), std::string(900, '.') + " " + secret + std::string(100, '.') +
                                  "needle" + std::string(900, '.') + "\n");
            expect_hidden(ok("grep", {{"pattern", std::string(at, '.') + "needle"},
                                      {"path", "f"},
                                      {"output_mode", "content"}}),
                          at);
            // The closest text to one that was not found.
            const std::string line = "one two three " + std::string(185 - at, '.') + secret;
            os_write(ws("f"), line + std::string(100, '.') + "\n");
            const auto answer =
                call("edit_file",
                     {{"path", "f"}, {"old_string", "one two three four"}, {"new_string", "x"}});
            EXPECT_EQ(answer.error, Code::kNoMatch);
            expect_hidden(answer.text(), at);
            const auto patched = call(
                "patch", {{"patch", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one two three four\n+x\n"}});
            EXPECT_EQ(patched.error, Code::kPatchFailed);
            expect_hidden(patched.text(), at);
        }
    }
}

TEST_F(ToolsLeak, the_audit_trail_holds_no_secret) {
    const std::string known = "correct-horse-battery-staple";
    options.secrets = {{"db", known}};
    std::string told;
    options.audit = [&](const AuditEvent& event) {
        told += std::string(event.tool) + std::string(event.arguments);
    };
    for (std::size_t at = 0; at < 40; ++at) {
        const std::string before(limits::kAuditBytesMax - 30 - at, '.');
        (void)call("write_file", {{"path", "f"}, {"content", before + known}});
    }
    (void)call("no_" + known, {});
    EXPECT_NE(told.find("[REDACTED:db]"), told.npos);
    for (std::size_t i = 0; i + 8 <= known.size(); i += 4) {
        EXPECT_EQ(told.find(known.substr(i, 8)), told.npos);
    }
}

}  // namespace
}  // namespace paddock::testing
