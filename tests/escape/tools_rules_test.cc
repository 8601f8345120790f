// Path rules: a protected name stays protected however it is spelled, reached, moved or made.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "escape/operations.h"
#include "escape/plain_os.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

class ToolsRules : public Desk {
protected:
    ToolsRules() {
        options.track_reads = false;
        options.limits.calls_per_second.reset();
    }

    struct Call {
        std::string tool;
        json::Object arguments;
        bool takes_away = false;
    };

    // Every way to put bytes under the name `path`, or to take away what has it.
    static std::vector<Call> changes_of(const std::string& path) {
        const std::string diff =
            "--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-old\n+new\n";
        const auto git = [&](const std::string& lines) {
            return json::Object{{"patch", "diff --git a/f b/" + path + "\n" + lines}};
        };
        return {{"write_file", {{"path", path}, {"content", "new\n"}}},
                {"edit_file", {{"path", path}, {"old_string", "old"}, {"new_string", "new"}}},
                {"patch", {{"patch", diff}}},
                {"patch", {{"patch", "--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+new\n"}}},
                {"patch", git("rename from f\nrename to " + path + "\n")},
                {"patch", git("copy from f\ncopy to " + path + "\n")},
                {"move_path", {{"source", "f"}, {"destination", path}}},
                {"move_path", {{"source", "f"}, {"destination", path}, {"overwrite", true}}},
                {"move_path", {{"source", path}, {"destination", "away"}}, true},
                {"copy_path", {{"source", "f"}, {"destination", path}, {"overwrite", true}}},
                {"remove_path", {{"path", path}, {"recursive", true}}, true},
                {"make_directory", {{"path", path}}}};
    }

    void expect_denied_changes(const std::string& path) {
        const Unchanged inside(ws());
        for (const Call& each : changes_of(path)) {
            const auto answer = call(each.tool, each.arguments);
            // What may be looked at and is not there cannot be taken away.
            const bool is_absent = each.takes_away && answer.error == Code::kNotFound;
            EXPECT_TRUE(is_absent || answer.error == Code::kDeniedByRule)
                << each.tool << " " << path << ": " << answer.text();
        }
    }
};

// The hard link, the moved parent and the odd spellings of one protected file.
ATTACK_F(ToolsRules, WR_30, every_way_to_a_protected_file) {
    tree({"ROOT/.env=old\n", "ROOT/.git/hooks/h=old\n", "ROOT/.git/config=old\n",
          "ROOT/.git/objects/", "ROOT/.git/refs/", "ROOT/d/f=old\n", "ROOT/f=old\n",
          "ROOT/env->.env", "ROOT/g->.git", "ROOT/d/up->..", "ROOT/hooks->.git/hooks",
          "ROOT/abs->@/ROOT/.git/hooks"});
    EXPECT_TRUE(naive_write(".//.git/./hooks/h", "old\n"));
    EXPECT_TRUE(naive_write("hooks/h", "old\n"));
    const std::string paths[] = {
        ".env",         "./.env",           ".//.env",        "d/../.env",
        "d/up/.env",    ws(".env"),         ".git/hooks/h",   "./.git//hooks/h",
        "g/hooks/h",    "hooks/h",          "abs/h",          "d/up/.git/hooks/h",
        ".git/Hooks/h", ws(".git/hooks/h"), ".git/hooks/new", "g/hooks/new/er",
        "hooks/new"};
    for (const std::string& path : paths) expect_denied_changes(path);
    // The link's own name is free, but not what it leads to.
    const auto calls = changes_of("env");
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(refused(calls[i].tool, calls[i].arguments), "denied_by_rule") << i;
    }
    // A name in its quoted form is judged by what it stands for.
    os_write(ws("a\tb"), "x");
    ASSERT_EQ(::mkdir(ws("c\td").c_str(), 0755), 0);
    os_write(ws("c\td/.env"), "old\n");
    for (const char* path : {R"("c\td/.env")", R"("c\td/../.env")"}) {
        EXPECT_EQ(refused("write_file", {{"path", path}, {"content", "x"}}), "denied_by_rule");
    }
    EXPECT_EQ(refused("read_file", {{"path", "env"}}), "denied_by_rule");
    EXPECT_EQ(refused("grep", {{"pattern", "o"}, {"path", "env"}}), "denied_by_rule");
}

// A second name of the file is not denied: a rule knows names. But nothing that is done to it
// reaches the protected one, and the strict policy does not open it either.
ATTACK_F(ToolsRules, WR_30, second_name_of_a_protected_file) {
    tree({"ROOT/.env=old\n", "ROOT/h&ROOT/.env", "ROOT/twin=old\n", "ROOT/t&ROOT/twin",
          "ROOT/f=old\n"});
    EXPECT_TRUE(naive_write("t", "new\n"));
    EXPECT_EQ(os_read(ws("twin")), "new\n") << "a careless write changes both";
    const std::vector<Call> calls = changes_of("h");
    for (const Call& each : calls) {
        (void)call(each.tool, each.arguments);
        EXPECT_EQ(os_read(ws(".env")), "old\n") << each.tool;
        tree({"ROOT/f=old\n"});
        (void)::unlink(ws("away").c_str());
        (void)::unlink(ws("h").c_str());
        (void)::rmdir(ws("h").c_str());
        ASSERT_EQ(::link(ws(".env").c_str(), ws("h").c_str()), 0);
    }

    options.paths.hardlinks = Hardlinks::kReject;
    reopen();
    EXPECT_EQ(refused("read_file", {{"path", "h"}}), "permission_denied");
    EXPECT_EQ(refused("grep", {{"pattern", "o"}, {"path", "h"}}), "permission_denied");
    EXPECT_EQ(refused("copy_path", {{"source", "h"}, {"destination", "c"}}), "permission_denied");
    EXPECT_EQ(ok("grep", {{"pattern", "old"}}).substr(0, 2), "f\n");
}

ATTACK_F(ToolsRules, WR_30, parent_of_a_protected_file) {
    tree({"ROOT/a/b/.env=old\n", "ROOT/.git/hooks/h=old\n", "ROOT/.git/objects/", "ROOT/.git/refs/",
          "ROOT/f=old\n", "ROOT/e/"});
    ASSERT_EQ(::rename(ws("a").c_str(), ws("x").c_str()), 0);
    EXPECT_EQ(os_read(ws("x/b/.env")), "old\n") << "the plain OS carries it away";
    ASSERT_EQ(::rename(ws("x").c_str(), ws("a").c_str()), 0);

    const Unchanged inside(ws());
    for (const char* path : {"a", "a/b", ".git", ".git/hooks"}) {
        for (const json::Object& arguments :
             {json::Object{{"source", path}, {"destination", "x"}},
              json::Object{{"source", path}, {"destination", "e"}, {"overwrite", true}},
              json::Object{{"source", "e"}, {"destination", path}, {"overwrite", true}}}) {
            EXPECT_EQ(refused("move_path", arguments), "denied_by_rule") << path;
        }
        EXPECT_EQ(refused("remove_path", {{"path", path}, {"recursive", true}}), "denied_by_rule");
        EXPECT_EQ(refused("remove_path", {{"path", path}}), "denied_by_rule") << path;
    }
    for (const char* path : {"a", "a/b", ".git"}) {
        EXPECT_EQ(refused("copy_path", {{"source", path}, {"destination", "x"}}), "denied_by_rule")
            << path;
    }
}

ATTACK_F(ToolsRules, WR_31, protected_name_that_does_not_exist) {
    tree({"ROOT/f=old\n", "ROOT/d/", "ROOT/in->d", "ROOT/.git/objects/", "ROOT/.git/refs/",
          "ROOT/dang->.git/hooks/new", "ROOT/e->d/.vscode"});
    EXPECT_TRUE(naive_write(".vscode", "x"));
    ASSERT_EQ(::unlink(ws(".vscode").c_str()), 0);
    for (const std::string link : {"dang", "e"}) {
        for (const Call& each : changes_of(link)) {
            if (each.tool == "move_path" || each.tool == "remove_path")
                continue;  // the link itself
            const auto answer = call(each.tool, each.arguments);
            EXPECT_TRUE(answer.error) << each.tool << ": " << answer.text();
        }
        EXPECT_FALSE(os_exists(ws("d/.vscode")) || os_exists(ws(".git/hooks")));
    }
    for (const std::string path : {".vscode", "d/.mcp.json", "in/.claude/x",
                                   ".git/hooks/pre-commit", ".git/commondir", ".Vscode"}) {
        expect_denied_changes(path);
    }
}

// What looks like a secret and is the session's own is no secret.
TEST_F(ToolsRules, a_secret_of_the_session_is_its_own) {
    (void)ok("write_file", {{"path", "d/.env"}, {"content", "mine"}});
    EXPECT_NE(ok("read_file", {{"path", "d/.env"}}).find("mine"), std::string::npos);
    (void)ok("remove_path", {{"path", "d/.env"}});
    options.rules = {{".env", PathAccess::kDeny}};
    reopen();
    EXPECT_EQ(refused("write_file", {{"path", "d/.env"}, {"content", "x"}}), "denied_by_rule");
}

// A directory that is free under its old name would be protected under the new one.
ATTACK_F(ToolsRules, WR_31, protected_name_made_by_moving_its_parent) {
    tree({"ROOT/evil/hooks/h=old\n", "ROOT/evil/HEAD=x", "ROOT/f=x", "ROOT/empty/"});
    ASSERT_EQ(::rename(ws("evil").c_str(), ws(".git").c_str()), 0);
    EXPECT_EQ(os_read(ws(".git/hooks/h")), "old\n") << "the plain OS makes a hook of it";
    ASSERT_EQ(::rename(ws(".git").c_str(), ws("evil").c_str()), 0);

    options.rules = {{"/vault/key", PathAccess::kReadOnly}, {"/vault/out", PathAccess::kDeny}};
    tree({"ROOT/v/key=x", "ROOT/w/a/out=x", "ROOT/w/out/x=x"});
    const std::pair<const char*, const char*> moves[] = {
        {"v", "vault"}, {"w", "vault"}, {"w/out", "vault/out"}, {"empty", "vault/key"}};
    for (const auto& [from, to] : moves) {
        const Unchanged inside(ws());
        for (const char* tool : {"move_path", "copy_path"}) {
            EXPECT_EQ(refused(tool, {{"source", from}, {"destination", to}}), "denied_by_rule")
                << tool << " " << from << " " << to;
        }
    }
    (void)ok("move_path", {{"source", "empty"}, {"destination", "empty2"}});
}

// What a link leads to gets the names below the link's.
ATTACK_F(ToolsRules, WR_31, protected_name_made_by_a_link_above_it) {
    tree({"ROOT/evil/git/config=old\n", "ROOT/evil/key=old\n", "ROOT/l->evil",
          "ROOT/in/conf->../evil", "ROOT/f=x"});
    std::filesystem::create_symlink("evil", ws(".config"));
    EXPECT_EQ(os_read(ws(".config/git/config")), "old\n") << "the plain OS gives it the name";
    std::filesystem::remove(ws(".config"));

    options.rules = {{"/vault/conf/key", PathAccess::kReadOnly}, {"/docs/**", PathAccess::kDeny}};
    const std::pair<const char*, const char*> carried[] = {{"l", ".config"},
                                                           {"l", "home/.Config"},
                                                           {"in/conf", "vault/conf"},
                                                           {"in", "vault"},
                                                           {"l", "docs"}};
    for (const auto& [from, to] : carried) {
        const Unchanged inside(ws());
        for (const char* tool : {"move_path", "copy_path"}) {
            EXPECT_EQ(refused(tool, {{"source", from}, {"destination", to}}), "denied_by_rule")
                << tool << " " << from << " " << to;
        }
    }
    (void)ok("copy_path", {{"source", "l"}, {"destination", "config"}});
    (void)ok("copy_path", {{"source", "in"}, {"destination", "out"}});
}

ATTACK_F(ToolsRules, HL_15, from_a_read_only_area_into_a_writable_one) {
    tree({"ROOT/ro/f=old\n", "ROOT/ro/twin=old\n", "ROOT/rw/", "ROOT/rw/h&ROOT/ro/f",
          "ROOT/rw/t&ROOT/ro/twin"});
    EXPECT_TRUE(naive_write("rw/t", "new\n"));
    EXPECT_EQ(os_read(ws("ro/twin")), "new\n") << "a careless write goes through the link";

    options.rules = {{"/rw", PathAccess::kAllow}, {"**", PathAccess::kReadOnly}};
    const Unchanged protected_area(ws("ro"));
    EXPECT_EQ(refused("move_path", {{"source", "ro/f"}, {"destination", "rw/f"}}),
              "denied_by_rule");
    (void)ok("copy_path", {{"source", "ro/f"}, {"destination", "rw/copy"}});
    EXPECT_EQ(os_stat(ws("rw/copy")).st_nlink, 1U) << "a copy is another file";
    for (const char* path : {"rw/copy", "rw/h"}) {
        (void)ok("write_file", {{"path", path}, {"content", "new\n"}});
        EXPECT_EQ(os_read(ws(path)), "new\n");
        EXPECT_EQ(os_read(ws("ro/f")), "old\n");
    }

    // No call of a Root links from one of its areas into another that allows more.
    const Root all = root();
    EXPECT_CODE(all.read_only().hard_link("ro/f", "rw/again"), Code::kReadOnly);
    EXPECT_CODE(all.sub_root("rw")->hard_link("../ro/f", "again"), Code::kPathEscape);
    EXPECT_CODE(all.sub_root("rw")->hard_link(ws("ro/f"), "again"), Code::kPathEscape);
}

// Where directories ignore case these are all one name; the rules do not wait to find out.
ATTACK_F(ToolsRules, NM_19, other_cases_of_a_denied_name) {
    options.rules = {{".env", PathAccess::kDeny}, {".ssh", PathAccess::kDeny}};
    tree({"ROOT/.git/objects/", "ROOT/.git/refs/", "ROOT/.git/hooks/h=old\n", "ROOT/.env=old\n",
          "ROOT/f=old\n"});
    for (const std::string path : {".git/Hooks/h", ".git/HOOKS/new", ".ENV", ".eNv", ".SSH/id",
                                   ".VSCODE/x", ".Mcp.json", ".\xc5\xbf\xc5\xbfh/id"}) {
        expect_denied_changes(path);
    }
    for (const char* path : {".ENV", ".eNv", ".e\xe2\x80\x8bnv"}) {
        EXPECT_EQ(refused("read_file", {{"path", path}}), "denied_by_rule") << path;
        EXPECT_EQ(refused("file_info", {{"path", path}}), "denied_by_rule") << path;
    }
    os_write(ws(".ENV"), "needle\n");
    os_write(ws("Server.Pem"), "needle\n");
    EXPECT_EQ(ok("grep", {{"pattern", "needle"}, {"hidden", true}}).substr(0, 10), "No matches");
    EXPECT_EQ(ok("glob", {{"pattern", "*.pem"}}).find("No files match.\n"), 0U);
    EXPECT_EQ(ok("list_directory", {}).find("Server"), std::string::npos);
}

// One root with areas takes the place of nested roots.
ATTACK_F(ToolsRules, PRE_08, out_of_the_writable_area) {
    tree({"ROOT/sub/f=old\n", "ROOT/x=old\n", "ROOT/f=old\n", "ROOT/sub/up->.."});
    EXPECT_TRUE(naive_write("sub/../x", "old\n"));
    options.rules = {{"/sub", PathAccess::kAllow}, {"**", PathAccess::kReadOnly}};
    for (const std::string& path : {std::string("sub/../x"), ws("sub/../x"), ws("x"),
                                    std::string("x"), std::string("sub/up/x"), std::string("subx"),
                                    std::string("sub/../new"), ws("sub/../sub2/new")}) {
        expect_denied_changes(path);
    }
    EXPECT_EQ(ok("read_file", {{"path", "sub/../x"}}), "     1\told\n");
    (void)ok("write_file", {{"path", ws("sub/f")}, {"content", "new\n"}});
    (void)ok("write_file", {{"path", "x/../sub/new"}, {"content", "new\n"}});
    EXPECT_EQ(os_read(ws("sub/f")), "new\n");
}

ATTACK_F(ToolsRules, PRE_09, move_between_areas) {
    tree({"ROOT/A/x=old\n", "ROOT/B/x=old\n", "ROOT/C/", "ROOT/A/d/f=old\n", "OUT/f=old\n"});
    EXPECT_EQ(::rename(ws("A/x").c_str(), ws("B/y").c_str()), 0) << "the plain OS moves it";
    EXPECT_EQ(::rename(ws("B/y").c_str(), ws("A/x").c_str()), 0);
    options.rules = {{"/B", PathAccess::kReadOnly}};
    {
        const Unchanged inside(ws());
        for (const auto& [from, to] :
             {std::pair("A/x", "B/y"), std::pair("B/x", "A/y"), std::pair("B/x", "B/y"),
              std::pair("A/d", "B/d"), std::pair("B", "A/B"), std::pair("A/x", "B/x")}) {
            for (const bool overwrite : {false, true}) {
                EXPECT_EQ(
                    refused("move_path",
                            {{"source", from}, {"destination", to}, {"overwrite", overwrite}}),
                    "denied_by_rule")
                    << from << " " << to;
            }
        }
        // Another workspace is not a place to move to at all.
        EXPECT_EQ(refused("move_path", {{"source", "A/x"}, {"destination", out("x")}}),
                  "path_escape");
        EXPECT_EQ(refused("move_path", {{"source", out("f")}, {"destination", "A/y"}}),
                  "path_escape");
    }
    (void)ok("move_path", {{"source", "A/x"}, {"destination", "C/y"}});
    EXPECT_EQ(os_read(ws("C/y")), "old\n");
}

// A workspace has one root, and a relative path begins there: not where the process happens to be,
// nor in another workspace that has such a file.
ATTACK_F(ToolsRules, PRE_10, one_place_where_relative_paths_begin) {
    tree({"ROOT/f=mine\n", "OTHER/x=theirs\n", "OTHER/f=theirs\n"});
    WorkspaceOptions of_other = options;
    of_other.root = base() + "/OTHER";
    of_other.paths.resolver = resolver_under_test();
    const auto other = Workspace::open(of_other);
    ASSERT_TRUE(other);
    const auto answer = tools::call(*other, "read_file", R"({"path":"x"})");
    EXPECT_EQ(answer.text(), "     1\ttheirs\n");

    const std::string before = std::filesystem::current_path();
    for (const std::string& place : {base() + "/OTHER", ws(), std::string("/")}) {
        ASSERT_EQ(::chdir(place.c_str()), 0);
        reopen();
        EXPECT_EQ(ok("read_file", {{"path", "f"}}), "     1\tmine\n") << place;
        EXPECT_EQ(refused("read_file", {{"path", "x"}}), "not_found") << place;
        (void)ok("write_file", {{"path", "new"}, {"content", "mine\n"}});
        EXPECT_FALSE(os_exists(base() + "/OTHER/new"));
        EXPECT_EQ(ok("glob", {{"pattern", "x"}}).find("No files match.\n"), 0U) << place;
    }
    ASSERT_EQ(::chdir(before.c_str()), 0);
}

}  // namespace
}  // namespace paddock::testing
