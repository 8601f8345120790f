// `paddock log`, `diff`, `undo` and `redo` on sessions that the journal has recorded.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "cli/run.h"
#include "testing/jail.h"
#include "testing/journaled_tree.h"

namespace paddock::testing {
namespace {

class Undo : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
        tree({"home/", "ROOT/src/main.c=int main() {}\n", "ROOT/old.txt=old\n",
              "ROOT/moved.txt=same\n"});
        JournaledTree made(ws(), {"claude-code", {}});
        made.call = made.journal().begin_call("write_file", "src/main.c");
        EXPECT_TRUE(made.replace("src/main.c", "int main() { return 1; }\n"));
        made.journal().end_call(made.call);
        made.call = made.journal().begin_call("bash", "make\033[31m\nrm old.txt");
        EXPECT_TRUE(made.make_file("out.bin", std::string("\0\1\2", 3)));
        EXPECT_TRUE(made.remove("old.txt"));
        EXPECT_TRUE(made.rename("moved.txt", "there.txt"));
        EXPECT_TRUE(made.chmod("there.txt", 0600));
        made.journal().end_call(made.call);
        id_ = made.journal().session();
    }

    Ran run(std::vector<std::string> words, Setting setting = {}) const {
        setting.variables.insert(
            {{"HOME", base() + "/home"}, {"PADDOCK_CONFIG", ""}, {"TZ", "UTC"}});
        if (setting.directory.empty()) setting.directory = ws();
        return paddock(words, setting);
    }
    std::string short_id() const { return id_.substr(id_.size() - 4); }

    std::string id_;
};

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(Undo, log_lists_sessions_calls_and_names) {
    const Ran ran = run({"log"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(ran.out.starts_with(short_id() + "  20")) << ran.out;
    EXPECT_TRUE(says(ran.out, "claude-code  1 made, 2 changed, 1 removed")) << ran.out;
    EXPECT_TRUE(says(ran.out, "  " + short_id() + "/1  write_file  src/main.c  1 changed"))
        << ran.out;
    EXPECT_TRUE(says(ran.out, "moved    moved.txt -> there.txt")) << ran.out;
    EXPECT_TRUE(says(ran.out, "made     out.bin")) << ran.out;
    EXPECT_TRUE(says(ran.out, "removed  old.txt")) << ran.out;
    EXPECT_FALSE(says(ran.out, "\033")) << "a command cannot reach the terminal";
    EXPECT_TRUE(says(ran.out, "make\\x1b[31m\\x0arm")) << ran.out;

    const Ran json = run({"log", "--json"});
    const auto document = json.json();
    const auto& session = document.as_object().at("sessions").as_array().at(0).as_object();
    EXPECT_EQ(text_of(session.at("session")), id_);
    EXPECT_EQ(session.at("calls").as_array().size(), 2U);
}

TEST_F(Undo, log_of_a_file_follows_its_names) {
    const Ran ran = run({"log", "there.txt"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(says(ran.out, short_id() + "/2")) << ran.out;
    EXPECT_TRUE(says(ran.out, "moved.txt -> there.txt")) << ran.out;
    EXPECT_TRUE(says(run({"log", ws("src/main.c")}).out, short_id() + "/1"));
    EXPECT_EQ(run({"log", "nothing"}).exit_code, 1);
    EXPECT_EQ(run({"log", "../outside"}).exit_code, 2);
}

TEST_F(Undo, diff_shows_a_call_or_a_session) {
    const Ran call = run({"diff", "1"});
    EXPECT_EQ(call.exit_code, 0) << call.err;
    EXPECT_EQ(call.out,
              "== src/main.c\n--- a/src/main.c\n+++ b/src/main.c\n@@ -1 +1 @@\n-int main() {}\n"
              "+int main() { return 1; }\n");
    const Ran session = run({"diff"});
    EXPECT_TRUE(says(session.out, "== old.txt\nremoved: file 0644\n")) << session.out;
    EXPECT_TRUE(says(session.out, "-old\n")) << session.out;
    EXPECT_TRUE(says(session.out, "== out.bin\nmade: file 0644\nBinary content differs.\n"))
        << session.out;
    EXPECT_TRUE(says(session.out, "== there.txt\nmoved from moved.txt\nmode 0644 became 0600\n"))
        << session.out;
    EXPECT_EQ(run({"diff", short_id() + "/9"}).exit_code, 2);
    EXPECT_EQ(run({"diff", "ffff"}).exit_code, 2);
    EXPECT_EQ(
        run({"diff", id_, "old.txt", "--json"}).json().as_object().at("files").as_array().size(),
        1U);
}

TEST_F(Undo, undo_and_redo) {
    const Snapshot after = snapshot_of(ws());
    const Ran dry = run({"undo", "--dry-run"});
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_EQ(dry.out, "Undo " + short_id() +
                           ":\n  remove    out.bin\n  move      there.txt -> moved.txt\n"
                           "  restore   old.txt\n  put back  src/main.c\n");
    EXPECT_EQ(difference(after, snapshot_of(ws())), "");
    EXPECT_EQ(run({"undo"}).exit_code, 2) << "cannot ask for confirmation";
    EXPECT_EQ(run({"undo", "zzzz"}).err.find("--yes"), std::string::npos)
        << "an unknown call is named first";

    const Ran done = run({"undo", "--yes"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(os_read(ws("src/main.c")), "int main() {}\n");
    EXPECT_EQ(os_read(ws("old.txt")), "old\n");
    EXPECT_EQ(os_read(ws("moved.txt")), "same\n");
    EXPECT_FALSE(os_exists(ws("out.bin")));
    EXPECT_TRUE(says(run({"log"}).out, "undone"));
    EXPECT_EQ(run({"undo", "--yes"}).exit_code, 1) << "nothing is left";

    const Ran again = run({"redo", "--yes", "--json"});
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_TRUE(again.json().as_object().at("done").as_bool());
    EXPECT_EQ(difference(after, snapshot_of(ws())), "");
    EXPECT_EQ(run({"redo", "--yes"}).exit_code, 1);
}

TEST_F(Undo, refuses_what_the_owner_changed) {
    os_write(ws("src/main.c"), "the owner's\n");
    const Ran ran = run({"undo", "--yes"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_TRUE(says(ran.err, "src/main.c  changed since, not by a session")) << ran.err;
    EXPECT_TRUE(says(ran.err, "paddock diff " + short_id())) << ran.err;
    EXPECT_TRUE(os_exists(ws("out.bin"))) << "nothing is done by half";
    EXPECT_EQ(run({"undo", "2", "--yes"}).exit_code, 0);
    EXPECT_FALSE(os_exists(ws("out.bin")));
    EXPECT_EQ(os_read(ws("src/main.c")), "the owner's\n");
}

TEST_F(Undo, takes_back_what_the_tools_did) {
    EXPECT_EQ(run({"edit", "src/main.c", "--old", "return 1", "--new", "return 2"}).exit_code, 0);
    EXPECT_TRUE(says(*os_read(ws("src/main.c")), "return 2"));
    const Ran ran = run({"undo", "--yes"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(*os_read(ws("src/main.c")), "int main() { return 1; }\n");
}

// Made while there was no repository, removed, and undone when there is one.
TEST_F(Undo, brings_no_hook_or_setting_into_a_repository) {
    tree({"ROOT/d/hooks/x=evil", "ROOT/d/hooks/x.sample=sample", "ROOT/d/refs/",
          "ROOT/d/config=[core]\n\tfsmonitor = evil\n"});
    for (const char* path : {"d/hooks/x", "d/config", "d/hooks/x.sample"}) {
        JournaledTree removed(ws(), {"bash", {}});
        removed.call = removed.journal().begin_call("bash", "rm");
        EXPECT_TRUE(removed.remove(path));
        removed.journal().end_call(removed.call);
        const std::string id = removed.journal().session();
        tree({"ROOT/d/objects/"});
        const bool is_harmless = std::string(path).ends_with(".sample");
        const Ran ran = run({"undo", id, "--yes"});
        EXPECT_EQ(ran.exit_code == 0, is_harmless) << path << ran.err;
        EXPECT_EQ(os_exists(ws(path)), is_harmless) << path;
        EXPECT_EQ(says(ran.err + ran.out, "git acts on it"), !is_harmless) << ran.err;
        // Without the repository it comes back.
        std::filesystem::remove(ws("d/objects"));
        if (!is_harmless) {
            EXPECT_EQ(run({"undo", id, "--yes"}).exit_code, 0) << path;
            EXPECT_TRUE(os_exists(ws(path))) << path;
            std::filesystem::remove(ws(path));
        }
    }
}

// The same of a directory that settings of git lead to by now, also those of another repository.
TEST_F(Undo, brings_no_hook_to_where_settings_lead) {
    tree({"ROOT/.git/objects/", "ROOT/.git/refs/", "ROOT/in/.git/objects/", "ROOT/in/.git/refs/",
          "ROOT/in/.git/HEAD=ref: refs/heads/main\n", "ROOT/.git/HEAD=ref: refs/heads/main\n",
          "ROOT/own/pre-commit=evil", "ROOT/out/pre-commit=evil", "ROOT/other/pre-commit=plain"});
    JournaledTree removed(ws(), {"bash", {}});
    std::vector<std::string> ids;
    for (const char* path : {"own/pre-commit", "out/pre-commit", "other/pre-commit"}) {
        removed.call = removed.journal().begin_call("bash", "rm");
        EXPECT_TRUE(removed.remove(path));
        removed.journal().end_call(removed.call);
        ids.push_back(removed.journal().session() + "/" + std::to_string(removed.call));
    }
    tree({"ROOT/.git/config=[core]\n\thooksPath = own\n",
          "ROOT/in/.git/config=[core]\n\thooksPath = ../out\n"});
    for (const std::size_t i : {0U, 1U}) {
        const Ran ran = run({"undo", ids[i], "--yes"});
        EXPECT_NE(ran.exit_code, 0) << ids[i];
        EXPECT_TRUE(says(ran.err + ran.out, "git acts on it")) << ran.err;
    }
    EXPECT_FALSE(os_exists(ws("own/pre-commit")));
    EXPECT_FALSE(os_exists(ws("out/pre-commit")));
    EXPECT_EQ(run({"undo", ids[2], "--yes"}).exit_code, 0);
    EXPECT_TRUE(os_exists(ws("other/pre-commit")));
}

// Calls of a session on a tree without a repository, one by one.
class UndoOfCalls : public Undo {
protected:
    void SetUp() override {
        Undo::SetUp();
        if (IsSkipped()) return;
        std::filesystem::remove_all(ws(".paddock"));
        made_.emplace(ws(), journal::SessionInfo{"bash", {}});
    }
    void call(const std::function<void(JournaledTree&)>& change) {
        made_->call = made_->journal().begin_call("bash", "x");
        change(*made_);
        made_->journal().end_call(made_->call);
    }
    void expect_sealed(const std::string& call, const std::string& path) const {
        const Ran ran = run({"undo", call, "--yes"});
        EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
        EXPECT_TRUE(says(ran.err, path + "  git acts on it")) << ran.err;
    }

    std::optional<JournaledTree> made_;
};

// Each step is judged in the tree that it finds, not in the one before.
TEST_F(UndoOfCalls, brings_no_directory_of_hooks_by_another_name) {
    call([](JournaledTree& tree) {
        for (const char* path : {"E", "E/objects", "E/hooks"}) {
            EXPECT_TRUE(tree.make_directory(path));
        }
        EXPECT_TRUE(tree.make_file("E/hooks/post-checkout", "evil"));
    });
    call([](JournaledTree& tree) { EXPECT_TRUE(tree.rename("E/hooks", "E/h")); });
    call([](JournaledTree& tree) {
        EXPECT_TRUE(tree.rename("E", ".git"));
        EXPECT_TRUE(tree.make_directory(".git/refs"));
    });
    expect_sealed("2", ".git/hooks");
    EXPECT_TRUE(os_exists(ws(".git/h/post-checkout")));
    EXPECT_FALSE(os_exists(ws(".git/hooks")));
}

TEST_F(UndoOfCalls, completes_no_repository_around_a_program) {
    call([](JournaledTree& tree) {
        for (const char* path : {"D", "D/refs", "D/hooks"}) {
            EXPECT_TRUE(tree.make_directory(path));
        }
        EXPECT_TRUE(tree.make_file("D/hooks/post-checkout", "evil"));
        EXPECT_TRUE(tree.make_file("D/config", "[core]\n\tfsmonitor = evil\n"));
    });
    call([](JournaledTree& tree) {
        EXPECT_TRUE(tree.remove("D/refs"));
        EXPECT_TRUE(tree.remove("D/hooks/post-checkout"));
        EXPECT_TRUE(tree.remove("D/hooks"));
        EXPECT_TRUE(tree.remove("D/config"));
    });
    call([](JournaledTree& tree) {
        EXPECT_TRUE(tree.make_directory("D/objects"));
        EXPECT_TRUE(tree.make_file("D/HEAD", "ref: refs/heads/main\n"));
    });
    expect_sealed("2", "D/refs");
    EXPECT_EQ(os_list(ws("D")), (std::vector<std::string>{"HEAD", "objects"}));
    // All of it is the tree that was.
    EXPECT_EQ(run({"undo", made_->journal().session(), "--yes"}).exit_code, 0);
    EXPECT_FALSE(os_exists(ws("D")));
}

TEST_F(UndoOfCalls, brings_back_hooks_of_what_is_no_repository_then) {
    tree({"ROOT/docs/x=the owner's", "ROOT/E/hooks/pc=the owner's"});
    call([](JournaledTree& tree) {
        EXPECT_TRUE(tree.remove("docs/x"));
        EXPECT_TRUE(tree.remove("docs"));
        EXPECT_TRUE(tree.remove("E/hooks/pc"));
        EXPECT_TRUE(tree.remove("E/hooks"));
        EXPECT_TRUE(tree.make_directory("E/objects"));
        EXPECT_TRUE(tree.make_directory("E/refs"));
    });
    const Ran part = run({"undo", "1", "E/hooks", "--yes"});
    EXPECT_TRUE(says(part.err, "E/hooks/pc  git acts on it")) << part.err;
    EXPECT_EQ(run({"undo", "1", "docs", "--yes"}).exit_code, 0) << "the rest can be named";
    const Ran all = run({"undo", "1", "--yes"});
    EXPECT_EQ(all.exit_code, 0) << all.err;
    EXPECT_EQ(os_read(ws("docs/x")), "the owner's");
    EXPECT_EQ(os_read(ws("E/hooks/pc")), "the owner's");
}

// What lies in a closed directory can be judged when an earlier step has opened it.
TEST_F(UndoOfCalls, opens_a_directory_and_then_judges_what_is_in_it) {
    for (const bool is_repository : {false, true}) {
        const std::string top = is_repository ? "repository" : "plain";
        const std::string hook = top + "/q/hooks/post-checkout";
        call([&](JournaledTree& tree) {
            for (const char* path : {"", "/q", "/q/hooks"}) {
                EXPECT_TRUE(tree.make_directory(top + path));
            }
            EXPECT_TRUE(tree.make_file(hook, "text"));
        });
        if (is_repository) tree({"ROOT/repository/q/objects/", "ROOT/repository/q/refs/"});
        call([&](JournaledTree& tree) {
            EXPECT_TRUE(tree.make_directory(top + "/.git"));
            EXPECT_TRUE(tree.make_file(top + "/.git/a", "text"));
            EXPECT_TRUE(tree.rename(top + "/.git/a", top + "/.git/b"));
            EXPECT_TRUE(tree.remove(hook));
            EXPECT_TRUE(tree.chmod(top, 0));
        });
        const std::string last = std::to_string(made_->call);
        const Ran ran = run({"undo", last, "--yes"});
        EXPECT_EQ(ran.exit_code == 0, !is_repository) << ran.err;
        EXPECT_EQ(says(ran.err, "git acts on it"), is_repository) << ran.err;
        ::chmod(ws(top).c_str(), 0755);
        EXPECT_EQ(os_exists(ws(hook)), !is_repository);
    }
}

TEST_F(UndoOfCalls, moves_nothing_to_above_what_git_obeys) {
    call([](JournaledTree& tree) {
        EXPECT_TRUE(tree.make_directory("tools"));
        EXPECT_TRUE(tree.make_directory("tools/hooks"));
        EXPECT_TRUE(tree.make_file("tools/hooks/pre-commit", "evil"));
    });
    call([](JournaledTree& tree) { EXPECT_TRUE(tree.rename("tools", "t")); });
    tree({"ROOT/.git/objects/", "ROOT/.git/refs/",
          "ROOT/.git/config=[core]\n\thooksPath = tools/hooks\n"});
    expect_sealed("2", "tools");
    EXPECT_FALSE(os_exists(ws("tools")));
}

// Settings that come back while a step is planned count for the steps after it.
TEST_F(UndoOfCalls, knows_where_settings_lead_that_come_back) {
    tree({"ROOT/.git/objects/", "ROOT/.git/refs/"});
    call([](JournaledTree& tree) {
        EXPECT_TRUE(tree.make_directory("own"));
        EXPECT_TRUE(tree.make_file("own/pre-commit", "evil"));
    });
    call([](JournaledTree& tree) { EXPECT_TRUE(tree.remove("own/pre-commit")); });
    tree({"ROOT/.git/config=[core]\n\thooksPath = own\n"});
    call([](JournaledTree& tree) {
        EXPECT_TRUE(tree.replace(".git/config", "[core]\n\thooksPath = own\n[user]\n\tname = x\n"));
    });
    const std::string id = made_->journal().session();
    expect_sealed(id, "own/pre-commit");
    const Ran ran = run({"undo", id, ".git/config", "--yes"});
    EXPECT_EQ(ran.exit_code, 0) << "git obeyed the old settings before: " << ran.err;
    EXPECT_EQ(os_read(ws(".git/config")), "[core]\n\thooksPath = own\n");
}

// A command holds D/config open for writing. Call 2 takes it away, or what makes D a git directory.
// Call 3 makes the rest of that.
TEST_F(UndoOfCalls, brings_no_open_file_to_where_git_obeys_it) {
    using Names = std::vector<std::string>;
    const std::string harmless = "[core]\n\tbare = true\n";
    struct Row {
        std::string directory;
        Names first;  // directories in it
        std::function<void(JournaledTree&, const std::string&)> second;
        Names third;
    };
    const Row rows[] = {
        {"removed",
         {},
         [](auto& made, const auto& d) { made.remove(d + "/config"); },
         {"objects", "refs"}},
        {"moved",
         {},
         [](auto& made, const auto& d) { made.rename(d + "/config", d + "/other"); },
         {"objects", "refs"}},
        {"incomplete",
         {"refs"},
         [](auto& made, const auto& d) { made.remove(d + "/refs"); },
         {"objects"}},
        {"written",
         {"refs"},
         [](auto& made, const auto& d) {
             made.remove(d + "/refs");
             made.write(d + "/config", "[core]\n\tbare = false\n");
         },
         {"objects"}},
        {"whole", {"objects", "refs"}, [](auto& made, const auto& d) { made.remove_tree(d); }, {}},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.directory);
        const std::string config = row.directory + "/config";
        const auto make = [&](JournaledTree& made, const Names& names) {
            for (const std::string& each : names) {
                EXPECT_TRUE(made.make_directory(row.directory + "/" + each));
            }
        };
        call([&](JournaledTree& made) {
            EXPECT_TRUE(made.make_directory(row.directory));
            EXPECT_TRUE(made.make_file(config, harmless));
            make(made, row.first);
        });
        UniqueFd open(::open(ws(config).c_str(), O_WRONLY | O_CLOEXEC));
        call([&](JournaledTree& made) { row.second(made, row.directory); });
        const std::string second = made_->journal().session() + "/" + std::to_string(made_->call);
        call([&](JournaledTree& made) { make(made, row.third); });
        const Snapshot before = snapshot_of(ws());
        const Ran refused = run({"undo", second, "--yes"});
        EXPECT_EQ(refused.exit_code, 1) << refused.out << refused.err;
        EXPECT_TRUE(says(refused.err, "git acts on it")) << refused.err;
        EXPECT_EQ(difference(before, snapshot_of(ws())), "");
        open.reset();
        const Ran ran = run({"undo", second, "--yes"});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(os_read(ws(config)), harmless);
    }
}

// Git writes its index anew whenever somebody asks for the status: that is no change of theirs.
class UndoIndex : public Undo {
protected:
    void SetUp() override {
        Undo::SetUp();
        if (IsSkipped()) return;
        shell("git init -q . && git add src && git update-index --refresh");
        before_ = index();
    }
    void shell(const std::string& script) const {
        const std::string line =
            "cd '" + ws() + "' && export HOME='" + base() + "/home' && " + script;
        ASSERT_EQ(std::system(line.c_str()), 0) << line;
    }
    std::string index() const { return os_read(ws(".git/index")).value_or(""); }
    // As the session's git does it: another file takes the name.
    void stage(JournaledTree& made, const std::string& file) const {
        shell("cp .git/index ../index && GIT_INDEX_FILE=../index git add " + file);
        made.call = made.journal().begin_call("bash", "git add " + file);
        EXPECT_TRUE(made.replace(".git/index", os_read(base() + "/index").value_or("")));
        made.journal().end_call(made.call);
    }
    // The owner's git status, when it has something to note.
    void rewrite() const {
        const std::string old = index();
        shell("touch -d '2001-01-01' src/main.c && git status > /dev/null");
        ASSERT_NE(index(), old);
    }

    std::string before_;
};

TEST_F(UndoIndex, that_was_rewritten_since_is_taken_back) {
    {
        JournaledTree made(ws(), {"claude-code", {}});
        stage(made, "there.txt");
    }
    rewrite();
    const std::string after = index();
    const Ran ran = run({"undo", "--yes"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(index(), before_);
    const Ran redone = run({"redo", "--yes"});
    EXPECT_EQ(redone.exit_code, 0) << redone.err;
    EXPECT_EQ(index(), after);
}

TEST_F(UndoIndex, that_was_rewritten_between_calls_is_taken_back) {
    {
        JournaledTree made(ws(), {"claude-code", {}});
        stage(made, "there.txt");
        rewrite();
        stage(made, "out.bin");
    }
    const Ran ran = run({"undo", "--yes"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(index(), before_);
    const Ran redone = run({"redo", "--yes"});
    EXPECT_EQ(redone.exit_code, 0) << redone.err;
}

TEST_F(UndoIndex, that_says_something_else_is_refused) {
    {
        JournaledTree made(ws(), {"claude-code", {}});
        stage(made, "there.txt");
    }
    for (const std::string change :
         {"git add out.bin",
          "git rm -q --cached out.bin && git update-index --skip-worktree src/main.c",
          "git update-index --no-skip-worktree src/main.c && git update-index --split-index"}) {
        shell(change);
        const Ran ran = run({"undo", "--yes"});
        EXPECT_EQ(ran.exit_code, 1) << change;
        EXPECT_TRUE(says(ran.err, ".git/index")) << change << ran.err;
    }
}

TEST_F(Undo, takes_files_without_a_session) {
    const Ran ran = run({"undo", "old.txt", "--yes"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(os_read(ws("old.txt")), "old\n");
    EXPECT_TRUE(os_exists(ws("out.bin")));
    EXPECT_TRUE(says(run({"log"}).out, "partly undone"));
}

// Each row on the tree that those before it leave. "ID" stands for the session.
TEST_F(Undo, options_do_what_they_say) {
    struct Row {
        std::vector<std::string> words;
        int exit_code;
        std::vector<std::string> says;
        bool has_old = false;  // afterwards
    };
    const std::string id = short_id();
    const Row rows[] = {
        {{"log", "src/main.c", "--json"},
         0,
         {R"("session":"ID","call":1)", R"("tool":"write_file")", R"("change":"changed")"}},
        {{"log", "there.txt", "--json"}, 0, {R"("change":"moved")", R"("from":"moved.txt")"}},
        {{"log", "nothing", "--json"}, 1, {R"({"changes":[]})"}},
        {{"log", "--prune", "old.txt"}, 2, {"--prune takes no FILE"}},
        {{"undo", "--dry-run", "--json"},
         0,
         {R"("of":"ID")", R"({"action":"restore","path":"old.txt","type":"file"})",
          R"("conflicts":[],"done":false)"}},
        {{"undo", id, "old.txt", "--dry-run"}, 0, {"Undo " + id + ":\n  restore  old.txt\n"}},
        {{"undo", id, "nothing", "--yes"}, 1, {"there is nothing to undo of these files"}},
        {{"undo", id, "old.txt", "--yes"}, 0, {"Done. 'paddock redo' takes it back."}, true},
        {{"log", "-n", "1"}, 0, {"paddock undo  of " + id}, true},
        {{"redo", "--dry-run"}, 0, {"Redo: take back the undo ", "  remove  old.txt\n"}, true},
        {{"redo", "1", "--yes"}, 2, {"unexpected argument '1'"}, true},
        {{"redo", "old.txt", "--yes"}, 2, {"unexpected argument 'old.txt'"}, true},
        {{"redo", "--dry-run", "--json", "--root", ws()}, 0, {R"("action":"remove")"}, true},
        {{"redo", "--yes", "--root", ws()}, 0, {"Done. 'paddock undo' takes it back."}},
    };
    for (const Row& row : rows) {
        const bool is_elsewhere = row.words.back() == ws();
        const Ran ran = run(row.words, {.directory = is_elsewhere ? base() : ws()});
        std::string line;
        for (const std::string& word : row.words) line += word + " ";
        EXPECT_EQ(ran.exit_code, row.exit_code) << line << ran.out << ran.err;
        for (std::string part : row.says) {
            const std::size_t at = part.find("ID\"");
            if (at != part.npos) part.replace(at, 2, id_);
            EXPECT_TRUE(says(ran.out + ran.err, part)) << line << part << "\n" << ran.out;
        }
        EXPECT_EQ(os_exists(ws("old.txt")), row.has_old) << line;
    }
    const auto last = run({"log", "-n", "1", "--json"}).json();
    const auto all = run({"log", "-n", "100", "--json"}).json();
    EXPECT_EQ(last.at("sessions").as_array().size(), 1U);
    ASSERT_EQ(all.at("sessions").as_array().size(), 3U);
    EXPECT_EQ(last.at("sessions").at(0), all.at("sessions").at(0)) << "the newest";
}

TEST_F(Undo, conflicts_as_json) {
    os_write(ws("src/main.c"), "the owner's\n");
    const Snapshot before = snapshot_of(ws());
    const Ran ran = run({"undo", "--json", "--yes"});
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    const auto document = ran.json();
    EXPECT_FALSE(document.at("done").as_bool());
    const auto& conflicts = document.at("conflicts").as_array();
    ASSERT_EQ(conflicts.size(), 1U) << ran.out;
    EXPECT_EQ(text_of(conflicts[0].at("path")), "src/main.c");
    EXPECT_EQ(text_of(conflicts[0].at("reason")), "changed since, not by a session");
    EXPECT_EQ(difference(before, snapshot_of(ws())), "");
}

TEST_F(Undo, prune_removes_the_oldest_of_what_is_too_much) {
    JournaledTree living(ws(), {"later", {}});
    living.call = living.journal().begin_call("bash", "x");
    EXPECT_TRUE(living.make_file("later", "x"));
    living.journal().end_call(living.call);
    // Noted when a session is over: more than all may take together.
    os_write(ws(".paddock/" + id_ + "/size"), "3000000000\n");
    EXPECT_EQ(run({"log", "--prune"}).out, "Removed 1 old sessions (3000000000 bytes).\n");
    const auto left = run({"log", "--json"}).json();
    ASSERT_EQ(left.at("sessions").as_array().size(), 1U);
    EXPECT_EQ(text_of(left.at("sessions").at(0).at("session")), living.journal().session());
    EXPECT_FALSE(os_exists(ws(".paddock/" + id_)));
    EXPECT_EQ(run({"log", "--prune", "--json"}).out, "{\"sessions\":0,\"bytes\":0}\n");
    EXPECT_EQ(run({"undo", short_id(), "--yes"}).exit_code, 2);
}

// All three streams are a terminal, at which somebody types.
std::string on_terminal(std::vector<std::string> words, std::string_view typed) {
    const UniqueFd keyboard(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (::grantpt(keyboard.get()) != 0 || ::unlockpt(keyboard.get()) != 0) return "no terminal";
    UniqueFd terminal(::open(::ptsname(keyboard.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    words.insert(words.begin(), "paddock");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
            ::dup2(terminal.get(), stream);
        }
        ::setenv("PADDOCK_CONFIG", "/dev/null", 1);
        ::setenv("NO_COLOR", "1", 1);
        ::execv(PADDOCK_BINARY, arguments.data());
        ::_exit(1);
    }
    terminal.reset();
    EXPECT_EQ(::write(keyboard.get(), typed.data(), typed.size()),
              static_cast<ssize_t>(typed.size()));
    std::string screen;
    std::array<char, 256> block;
    for (;;) {
        const ssize_t got = ::read(keyboard.get(), block.data(), block.size());
        if (got <= 0) break;
        screen.append(block.data(), static_cast<std::size_t>(got));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return screen + "[" + std::to_string(WEXITSTATUS(status)) + "]";
}

TEST_F(Undo, asks_on_a_terminal) {
    EXPECT_EQ(run({"undo"}, {.terminal = true}).exit_code, 2) << "standard input is none";
    const std::string no = on_terminal({"undo", "--root", ws()}, "n\n");
    EXPECT_TRUE(says(no, "Undo these 4 changes? [y/N]")) << no;
    EXPECT_TRUE(says(no, "nothing was changed")) << no;
    EXPECT_TRUE(says(no, "[1]")) << no;
    EXPECT_TRUE(os_exists(ws("out.bin")));
    const std::string yes = on_terminal({"undo", "--root", ws()}, "y\n");
    EXPECT_TRUE(says(yes, "Done. 'paddock redo' takes it back.")) << yes;
    EXPECT_TRUE(says(yes, "[0]")) << yes;
    EXPECT_FALSE(os_exists(ws("out.bin")));
}

TEST_F(Undo, an_empty_journal_is_nothing_special) {
    tree({"OUT/empty/"});
    const std::string root = out("empty");
    EXPECT_EQ(run({"log", "--root", root}).out, "No session has changed anything here.\n");
    EXPECT_EQ(run({"undo", "--yes", "--root", root}).exit_code, 1);
    EXPECT_EQ(run({"diff", "--root", root}).exit_code, 1);
    EXPECT_TRUE(os_list(root).empty());
    EXPECT_TRUE(says(run({"log", "--prune"}).out, "Removed 0 old sessions"));
}

}  // namespace
}  // namespace paddock::testing
