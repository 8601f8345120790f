// Directories besides the workspace (also, see): the promises of a root for each of them, for tools
// and for commands, on the level that this machine gives.
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "escape/call_hook.h"
#include "testing/shell.h"
#include "tools/bash_desk.h"
#include "tools/session.h"

namespace paddock::testing {
namespace {

std::string run_program(const std::string& command) {
    std::string output;
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return output;
    char buffer[4096];
    for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
        output.append(buffer, size);
    }
    ::pclose(pipe);
    return output;
}

class FurtherRoots : public Desk {
protected:
    void SetUp() override {
        options.limits.calls_per_second.reset();
        tree({"ROOT/a.txt=here", "MORE/src/b.txt=there", "MORE/.env=TOKEN=owner", "SEEN/c.txt=seen",
              "SEEN/.env=TOKEN=owner", "MOREOVER/d.txt=outside-secret"});
        options.also = {more()};
        options.see = {seen()};
    }

    std::string more(std::string_view name = {}) const { return in("MORE", name); }
    std::string seen(std::string_view name = {}) const { return in("SEEN", name); }
    std::string in(std::string_view root, std::string_view name) const {
        return base() + "/" + std::string(root) + (name.empty() ? "" : "/") + std::string(name);
    }
};

TEST_F(FurtherRoots, are_worked_in_by_absolute_paths_and_named_by_them) {
    EXPECT_TRUE(holds(ok("read_file", {{"path", more("src/b.txt")}}), "there"));
    EXPECT_TRUE(holds(ok("read_file", {{"path", "a.txt"}}), "here"));
    EXPECT_TRUE(holds(ok("list_directory", {{"path", more()}}), more() + "/\n"));
    EXPECT_TRUE(holds(ok("grep", {{"pattern", "ther."}, {"path", more()}}), more("src/b.txt")));
    EXPECT_TRUE(holds(ok("glob", {{"pattern", "*.txt"}, {"path", more()}}), more("src/b.txt")));
    EXPECT_TRUE(holds(ok("glob", {{"pattern", more("**/*.txt")}}), more("src/b.txt")));
    EXPECT_TRUE(holds(ok("glob", {{"pattern", "*.txt"}}), "a.txt"));
    EXPECT_FALSE(holds(ok("glob", {{"pattern", "*.txt"}}), "b.txt"));
    EXPECT_TRUE(holds(ok("file_info", {{"path", more("src/b.txt")}}), more("src/b.txt")));
    EXPECT_TRUE(holds(ok("write_file", {{"path", more("new/n.txt")}, {"content", "n"}}),
                      "Created " + more("new/n.txt")));
    EXPECT_EQ(os_read(more("new/n.txt")), "n");
    (void)ok("edit_file",
             {{"path", more("src/b.txt")}, {"old_string", "there"}, {"new_string", "changed"}});
    EXPECT_EQ(os_read(more("src/b.txt")), "changed");
    const std::string text =
        ok("patch", {{"patch", "*** Begin Patch\n*** Update File: " + more("src/b.txt") +
                                   "\n@@\n-changed\n+patched\n*** End Patch\n"}});
    EXPECT_TRUE(holds(text, more("src/b.txt"))) << text;
    (void)ok("make_directory", {{"path", more("d")}});
    (void)ok("move_path", {{"source", more("new/n.txt")}, {"destination", more("d/m.txt")}});
    (void)ok("remove_path", {{"path", more("d")}, {"recursive", true}});
    EXPECT_FALSE(os_exists(more("d")));
    const std::string info = ok("workspace_info", {});
    EXPECT_TRUE(holds(info, more() + " (read and change)")) << info;
    EXPECT_TRUE(holds(info, seen() + " (read-only)")) << info;
}

// An existing file must be read first in each of them, and one read does not count for another.
TEST_F(FurtherRoots, have_their_own_reads) {
    tree({"ROOT/same.txt=x", "MORE/same.txt=x"});
    read("same.txt");
    EXPECT_EQ(refused("write_file", {{"path", more("same.txt")}, {"content", "y"}}), "not_read");
    read(more("same.txt"));
    (void)ok("write_file", {{"path", more("same.txt")}, {"content", "y"}});
    EXPECT_EQ(os_read(ws("same.txt")), "x");
}

TEST_F(FurtherRoots, a_file_is_taken_from_one_to_another) {
    const std::string moved =
        ok("move_path", {{"source", "a.txt"}, {"destination", more("in/a.txt")}});
    EXPECT_EQ(moved, "Moved a.txt to " + more("in/a.txt") + ".");
    EXPECT_EQ(os_read(more("in/a.txt")), "here");
    EXPECT_FALSE(os_exists(ws("a.txt")));
    (void)ok("copy_path", {{"source", seen("c.txt")}, {"destination", "c.txt"}});
    EXPECT_EQ(os_read(ws("c.txt")), "seen");
    EXPECT_EQ(refused("move_path", {{"source", seen("c.txt")}, {"destination", "e.txt"}}),
              "read_only");
    EXPECT_TRUE(os_exists(seen("c.txt")));
    EXPECT_FALSE(os_exists(ws("e.txt")));
    EXPECT_EQ(refused("move_path", {{"source", more("src")}, {"destination", "src"}}),
              "not_regular_file");
    EXPECT_EQ(refused("copy_path", {{"source", more(".env")}, {"destination", "env"}}),
              "denied_by_rule");
    EXPECT_EQ(refused("patch", {{"patch", "*** Begin Patch\n*** Add File: x\n+x\n*** Add File: " +
                                              more("x") + "\n+x\n*** End Patch\n"}}),
              "invalid_argument");
}

// Somebody else writes to the source at any moment of the move: it is moved as it was then, or
// stays.
TEST_F(FurtherRoots, issue_17_7_a_file_is_moved_to_another_as_it_was_copied) {
    int stayed = 0;
    const auto set_up = [&] {
        tree({"ROOT/a.txt=here"});
        ::unlink(more("a.txt").c_str());
    };
    bool was_changed = false;
    const auto write = [&] {
        was_changed = os_exists(ws("a.txt"));
        if (was_changed) os_write(ws("a.txt"), "theirs");
    };
    at_every_call(set_up, write, [&] {
        was_changed = false;
        const std::string text =
            call("move_path", {{"source", "a.txt"}, {"destination", more("a.txt")}}).text();
        const bool is_at_source = os_read(ws("a.txt")) == "theirs";
        EXPECT_EQ(was_changed, is_at_source || os_read(more("a.txt")) == "theirs") << text;
        if (is_at_source && os_exists(more("a.txt"))) ++stayed;
    });
    EXPECT_GT(stayed, 5);
}

TEST_F(FurtherRoots, that_are_only_seen_cannot_be_changed) {
    read(seen("c.txt"));
    EXPECT_EQ(refused("write_file", {{"path", seen("c.txt")}, {"content", "x"}}), "read_only");
    EXPECT_EQ(refused("write_file", {{"path", seen("new")}, {"content", "x"}}), "read_only");
    EXPECT_EQ(refused("remove_path", {{"path", seen("c.txt")}}), "read_only");
    EXPECT_EQ(refused("make_directory", {{"path", seen("d")}}), "read_only");
    EXPECT_EQ(os_list(seen()), (std::vector<std::string>{".env", "c.txt"}));
}

// Each row is a way out of a root; without the guard each leads to the secret.
TEST_F(FurtherRoots, escapes_are_refused_in_each) {
    tree({"MORE/out->../OUT", "MORE/abs->@/OUT/secret", "MORE/src/up->../../OUT/secret",
          "SEEN/out->@/OUT", "ROOT/to-more->@/MORE", "MORE/to-ws->@/ROOT"});
    for (const std::string& path :
         {more("../OUT/secret"), more("src/../../OUT/secret"), more("out/secret"), more("abs"),
          more("src/up"), seen("out/secret"), seen("../OUT/secret"), more("/../OUT/secret"),
          in("MOREOVER", "d.txt")}) {
        expect_naive_leak(path);
        EXPECT_NE(refused("read_file", {{"path", path}}), "not_found") << path;
        const auto answer = call("write_file", {{"path", path}, {"content", "x"}});
        EXPECT_TRUE(answer.error) << path;
    }
    EXPECT_EQ(secret(), kSecret);
    // A link from one root into another is an escape of its own.
    EXPECT_EQ(refused("read_file", {{"path", "to-more/src/b.txt"}}), "path_escape");
    EXPECT_EQ(refused("read_file", {{"path", more("to-ws/a.txt")}}), "path_escape");
    EXPECT_TRUE(holds(ok("glob", {{"pattern", "**"}, {"path", more()}}), "b.txt"));
}

TEST_F(FurtherRoots, rules_hold_in_each) {
    tree({"MORE/.git/HEAD=ref: refs/heads/main\n", "MORE/.git/objects/", "MORE/.git/refs/",
          "MORE/.git/hooks/"});
    for (const std::string& path : {more(".env"), seen(".env")}) {
        EXPECT_EQ(refused("read_file", {{"path", path}}), "denied_by_rule");
        EXPECT_FALSE(
            holds(ok("grep", {{"pattern", "owner"}, {"path", more()}, {"hidden", true}}), ".env"));
    }
    EXPECT_EQ(refused("write_file", {{"path", more(".git/hooks/pre-commit")}, {"content", "x"}}),
              "denied_by_rule");
    EXPECT_FALSE(os_exists(more(".git/hooks/pre-commit")));
}

TEST_F(FurtherRoots, that_overlap_are_refused_at_the_start) {
    tree({"ROOT/sub/", "LINK->@/MORE"});
    for (const std::string& wrong :
         {ws(), ws("sub"), base(), more(), more("src"), in("LINK", "")}) {
        WorkspaceOptions overlapping = options;
        overlapping.root = ws();
        overlapping.see.push_back(wrong);
        const auto opened = Workspace::open(overlapping);
        ASSERT_FALSE(opened.has_value()) << wrong;
        EXPECT_EQ(opened.error().code, Code::kInvalidArgument) << wrong;
    }
    WorkspaceOptions missing = options;
    missing.root = ws();
    missing.also.push_back(base() + "/absent");
    EXPECT_EQ(Workspace::open(missing).error().code, Code::kNotFound);
}

// In a process of its own, which may mount. A second name of a directory of the session is refused,
// whatever that name is; of another directory it is not.
TEST_F(FurtherRoots, that_are_one_by_another_name_are_refused_at_the_start) {
    tree({"BA/sub/deep/", "BB/", "FREE/", "SECOND/"});
    enum Outcome { kGood, kBad, kNoMounts = 77 };
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        std::string why;
        const auto bind = [&](const std::string& from, const std::string& to) {
            return ::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) == 0;
        };
        if (!enter_private_mounts(why)) ::_exit(kNoMounts);
        const auto opens = [&](const std::string& one, const std::string& other) {
            WorkspaceOptions two = options;
            two.root = ws();
            two.see = {one};
            two.also = {other};
            const auto opened = Workspace::open(two);
            return opened.has_value() || opened.error().code != Code::kInvalidArgument;
        };
        bool good = true;
        const auto expect = [&](bool holds, const char* what) {
            if (!holds) std::fprintf(stderr, "not so: %s\n", what);
            good = good && holds;
        };
        expect(opens(in("BA", ""), in("BB", "")), "two directories");
        for (const char* bound : {"", "sub", "sub/deep"}) {
            if (!bind(in("BA", bound), in("BB", ""))) ::_exit(kNoMounts);
            // The control: what is made under one name is there under the other.
            os_write(in("BB", "made"), bound);
            expect(os_exists(in("BA", bound) + "/made"), "the same under two names");
            expect(!opens(in("BA", ""), in("BB", "")), "refused");
            expect(!opens(in("BB", ""), in("BA", "")), "refused the other way round");
            expect(opens(in("FREE", ""), in("BB", "")), "another directory");
            ::umount2(in("BB", "").c_str(), MNT_DETACH);
        }
        if (!bind(ws(), in("SECOND", ""))) ::_exit(kNoMounts);
        expect(!opens(in("FREE", ""), in("SECOND", "")), "the workspace by another name");
        ::_exit(good ? kGood : kBad);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kNoMounts) GTEST_SKIP() << "nothing can be mounted here";
    EXPECT_EQ(WEXITSTATUS(status), kGood);
}

class FurtherRootsOfCommands : public FurtherRoots {
protected:
    void SetUp() override {
        FurtherRoots::SetUp();
        // Hooks of a repository that lie elsewhere in its root: only a search finds that out.
        tree({"MORE/repo/.git/HEAD=ref: refs/heads/main\n", "MORE/repo/.git/objects/",
              "MORE/repo/.git/refs/", "MORE/repo/.git/config=[core]\n\thooksPath = ../shared\n",
              "MORE/shared/", "MORE/other/", "ROOT/shared/"});
        options.shell.emplace();
        const tools::Answer answer = call("bash", {{"command", "true"}});
        if (answer.error == Code::kSandboxUnavailable) GTEST_SKIP() << answer.text();
        ASSERT_FALSE(answer.error) << answer.text();
        const auto shell = tools::Session::of(workspace()).shell();
        full_ = (*shell)->report().level == SandboxLevel::kFull;
        gated_ = (*shell)->is_gated();
    }

    std::string bash(std::string_view command) { return ok("bash", {{"command", command}}); }

    std::string paddock() const { return "env -i HOME=" + base() + " " PADDOCK_BINARY; }

    bool full_ = true;
    bool gated_ = true;
};

TEST_F(FurtherRootsOfCommands, are_read_and_changed_at_their_own_paths) {
    EXPECT_TRUE(bash("cat " + more("src/b.txt")).starts_with("there"));
    EXPECT_TRUE(bash("cat " + seen("c.txt")).starts_with("seen"));
    if (!gated_) GTEST_SKIP() << "no gate here: further directories stay as they are";
    const std::string text =
        bash("cd " + more() + " && mkdir d && echo new > d/n && mv d/n src/ && " +
             "echo more >> src/b.txt && chmod 700 src && ln -s src l && rm -r d");
    EXPECT_TRUE(holds(text, "[exit code 0")) << text;
    EXPECT_EQ(os_read(more("src/n")), "new\n");
    EXPECT_EQ(os_read(more("src/b.txt")), "theremore\n");
    EXPECT_TRUE(holds(ok("bash", {{"command", "pwd -P"}, {"cwd", more("src")}}), more("src")));
}

TEST_F(FurtherRootsOfCommands, changed_files_in_them_are_listed_by_their_paths) {
    const tools::Answer answer = call(
        "bash", {{"command", "echo > new; cd " + more() + " && echo > n && mv src/b.txt moved"}});
    ASSERT_TRUE(answer.command) << answer.text();
    if (!answer.command->changes) GTEST_SKIP() << "nothing counts changes here";
    const auto& files = answer.command->changes->files;
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(files[0].path, "new");
    EXPECT_EQ(files[1].path, more("moved"));
    EXPECT_EQ(files[1].from, more("src/b.txt"));
    EXPECT_EQ(files[2].path, more("n"));
}

TEST_F(FurtherRootsOfCommands, that_are_only_seen_stay_as_they_are) {
    const std::string text = bash("echo x > " + seen("c.txt") + "; echo x > " + seen("new") +
                                  "; rm -f " + seen("c.txt") + "; mkdir " + seen("d"));
    EXPECT_TRUE(holds(text, full_ ? "Read-only file system" : "Permission denied")) << text;
    EXPECT_TRUE(holds(text, "Denied by the sandbox")) << text;
    EXPECT_EQ(os_list(seen()), (std::vector<std::string>{".env", "c.txt"}));
    EXPECT_EQ(os_read(seen("c.txt")), "seen");
}

TEST_F(FurtherRootsOfCommands, secrets_in_them_are_hidden) {
    if (!full_) GTEST_SKIP() << "no mount namespaces here: nothing is hidden";
    for (const std::string& path : {more(".env"), seen(".env")}) {
        EXPECT_TRUE(holds(naive_read(path).value_or(""), "owner"));
        const std::string text = bash("cat " + path);
        EXPECT_FALSE(holds(text, "owner")) << path;
        EXPECT_TRUE(holds(text, "- read " + path + ": hidden from commands: ")) << text;
        EXPECT_FALSE(holds(text, "- read .env")) << "the workspace's own was not read: " << text;
    }
}

// An earlier session kept a file in each.
TEST_F(FurtherRootsOfCommands, commands_read_no_journal) {
    if (!full_) GTEST_SKIP() << "no mount namespaces here: nothing is hidden";
    const char* const kKept = ".git/paddock/20260101-000000-0000/kept";
    std::string looks = "cd /";
    for (const std::string& root : {ws(), more(), seen()}) {
        std::filesystem::create_directories(root + "/" + kKept);
        os_write(root + "/" + kKept + "/1", "of the owner's");
        std::filesystem::create_directories(root + "/deep/.paddock");
        os_write(root + "/deep/.paddock/1", "of the owner's");
        EXPECT_TRUE(holds(naive_read(root + "/" + kKept + "/1").value_or(""), "owner"));
        looks += "; cat " + root + "/" + kKept + "/1 " + root + "/deep/.paddock/1";
    }
    for (const bool read_only : {false, true}) {
        options.shell->read_only = read_only;
        reopen();
        const std::string text = bash(looks);
        EXPECT_FALSE(holds(text, "owner")) << text;
        EXPECT_TRUE(holds(text, "No such file or directory")) << text;
    }
}

TEST_F(FurtherRootsOfCommands, what_is_sealed_is_refused_in_each) {
    if (!gated_) GTEST_SKIP() << "no gate here";
    tree({"MORE/.git/HEAD=ref: refs/heads/main\n", "MORE/.git/objects/", "MORE/.git/refs/",
          "MORE/.git/hooks/owned=x", "MORE/.vscode/tasks.json=x"});
    const std::string text =
        bash("echo evil > " + more(".git/hooks/pre-commit") + "; cd " + more() +
             "; echo evil > .vscode/tasks.json; chmod 755 .git/hooks/owned; "
             "git config core.fsmonitor evil; echo x > plain");
    EXPECT_TRUE(holds(text, "create " + more(".git/hooks/pre-commit") + ": protected by the rule"))
        << text;
    EXPECT_FALSE(os_exists(more(".git/hooks/pre-commit")));
    EXPECT_EQ(os_read(more(".vscode/tasks.json")), "x");
    struct stat stat {};
    ASSERT_EQ(::stat(more(".git/hooks/owned").c_str(), &stat), 0);
    EXPECT_EQ(stat.st_mode & 0111U, 0U);
    EXPECT_EQ(os_read(more("plain")), "x\n");
    // The journal is out of reach there too.
    EXPECT_FALSE(holds(bash("ls -A " + more(".git/paddock") + " " + more(".paddock")), "log"));
}

TEST_F(FurtherRootsOfCommands, repositories_are_known_in_each) {
    if (!gated_) GTEST_SKIP() << "no gate here";
    const std::string text = bash("for d in " + more("shared") + " " + more("other") + " " +
                                  ws("shared") + "; do echo x > $d/pre-commit; done");
    EXPECT_FALSE(os_exists(more("shared/pre-commit"))) << text;
    EXPECT_TRUE(holds(text, more("shared/pre-commit") + ": protected by the rule")) << text;
    EXPECT_EQ(os_read(more("other/pre-commit")), "x\n");
    EXPECT_EQ(os_read(ws("shared/pre-commit")), "x\n");
    EXPECT_NE(refused("write_file", {{"path", more("shared/pre-commit")}, {"content", "x"}}), "");
}

// The gate there cannot look into the repository, so the operator has to say so. As
// docs/everyday-work.md has it.
TEST_F(FurtherRootsOfCommands, hold_worktrees_of_the_workspace_where_a_rule_allows_it) {
    if (!gated_) GTEST_SKIP() << "no gate here: further directories stay as they are";
    const std::string git = "git -c user.name=a -c user.email=b ";
    if (!holds(bash("git init -q -b main . && echo x > f && git add f && " + git +
                    "commit -q -m first"),
               "[exit code 0")) {
        GTEST_SKIP() << "git is not installed";
    }
    const std::string add = "git worktree add -q -f " + more("two") + " && cd " + more("two") +
                            " && echo y > g && git add g && " + git + "commit -q -m second";
    EXPECT_FALSE(holds(bash(add), "[exit code 0"));
    bash("rm -rf " + more("two") + "; git worktree prune; git branch -D two");
    options.rules = {{"two/**", PathAccess::kAllow}};
    reopen();
    const std::string text = bash(add);
    EXPECT_TRUE(holds(text, "[exit code 0")) << text;
    EXPECT_EQ(os_read(more("two/g")), "y\n");
    EXPECT_TRUE(holds(bash("git log --format=%s two"), "second\nfirst\n"));
}

TEST_F(FurtherRootsOfCommands, attributes_pass_the_gate_of_their_root) {
    if (!gated_) GTEST_SKIP() << "no gate here";
    if (!has_program("python3")) GTEST_SKIP() << "needs python3";
    const auto attribute = [](const std::string& path) {
        char value[16];
        return ::getxattr(path.c_str(), "user.note", value, sizeof value) == 4;
    };
    const auto set = [](const std::string& path) {
        return "python3 -c 'import os; os.setxattr(\"" + path + "\", \"user.note\", b\"text\")'; ";
    };
    tree({"MORE/.vscode/tasks.json=x", "ROOT/.vscode/tasks.json=x", "OUT/.vscode/tasks.json=x"});
    run_program(set(out(".vscode/tasks.json")));
    if (!attribute(out(".vscode/tasks.json"))) GTEST_SKIP() << "no extended attributes here";
    const std::string text = bash(set(more("src/b.txt")) + set(more(".vscode/tasks.json")) +
                                  set(ws("a.txt")) + set(ws(".vscode/tasks.json")));
    EXPECT_TRUE(attribute(more("src/b.txt"))) << text;
    EXPECT_TRUE(attribute(ws("a.txt"))) << text;
    EXPECT_FALSE(attribute(more(".vscode/tasks.json")));
    EXPECT_FALSE(attribute(ws(".vscode/tasks.json")));
}

TEST_F(FurtherRootsOfCommands, names_pass_from_one_to_another_as_between_mounts) {
    if (!gated_) GTEST_SKIP() << "no gate here";
    const std::string text = bash("mv a.txt " + more("a.txt") + " && ln " + more("a.txt") +
                                  " linked; python3 -c 'import "
                                  "os; os.rename(\"" +
                                  more("a.txt") + "\", \"renamed\")' 2>&1 | tail -1");
    EXPECT_EQ(os_read(more("a.txt")), "here") << text;
    EXPECT_FALSE(os_exists(ws("a.txt")));
    EXPECT_FALSE(os_exists(ws("linked")));
    EXPECT_FALSE(os_exists(ws("renamed")));
}

// A path that changes between two roots while the gates look at it.
TEST_F(FurtherRootsOfCommands, a_swapped_link_reaches_nothing_sealed) {
    if (!gated_) GTEST_SKIP() << "no gate here";
    if (!has_program("python3")) GTEST_SKIP() << "needs python3";
    constexpr std::string_view kRace = R"(
import os, sys, threading
base, more, sealed = sys.argv[1:4]
free = more + "/free"
open(free, "w").close()
os.symlink(free, base + "/l"); os.symlink(sealed, base + "/m")
stop = False
def swap():
    n = 0
    while not stop:
        try:
            os.symlink(sealed if n % 2 else free, base + "/t"); os.rename(base + "/t", base + "/l")
        except OSError: pass
        n += 1
thread = threading.Thread(target=swap); thread.start()
for i in range(1500):
    for change in (lambda: os.chmod(base + "/l", 0o755),
                   lambda: os.setxattr(base + "/l", "user.evil", b"x"),
                   lambda: open(base + "/l", "w").write("evil")):
        try: change()
        except OSError: pass
stop = True
thread.join()
)";
    tree({"ROOT/.vscode/tasks.json=x", "MORE/.vscode/tasks.json=x", "OUT/.vscode/tasks.json=x"});
    os_write(ws("race.py"), kRace);
    // The control: without the gates the same program changes the file.
    tree({"OUT/naive/"});
    run_program("python3 " + ws("race.py") + " " + out("naive") + " " + out() + " " +
                out(".vscode/tasks.json"));
    EXPECT_EQ(os_read(out(".vscode/tasks.json")), "evil");
    for (const std::string& sealed : {ws(".vscode/tasks.json"), more(".vscode/tasks.json")}) {
        tree({"ROOT/race/"});
        (void)call("bash", {{"command", "rm -rf race; mkdir race; python3 race.py " + ws("race") +
                                            " " + more() + " " + sealed}});
        EXPECT_EQ(os_read(sealed), "x");
        struct stat stat {};
        ASSERT_EQ(::stat(sealed.c_str(), &stat), 0);
        EXPECT_EQ(stat.st_mode & 0111U, 0U);
        EXPECT_LT(::getxattr(sealed.c_str(), "user.evil", nullptr, 0), 0);
    }
}

TEST_F(FurtherRootsOfCommands, work_in_them_is_undone_by_their_own_journal) {
    if (!gated_) GTEST_SKIP() << "no gate here";
    if (!has_program("git")) GTEST_SKIP() << "needs git";
    const std::string text = bash(
        "cd " + more() +
        " && git init -q . && git -c user.name=a -c user.email=a@b "
        "commit -q --allow-empty -m x && git log --oneline | wc -l && echo changed > src/b.txt");
    EXPECT_TRUE(text.starts_with("1\n")) << text;
    (void)ok("write_file", {{"path", more("tool.txt")}, {"content", "x"}});
    (void)ok("write_file", {{"path", "tool.txt"}, {"content", "x"}});
    reopen();
    const std::string log = run_program(paddock() + " log --root " + more());
    EXPECT_TRUE(holds(log, "git init")) << log;
    EXPECT_TRUE(holds(log, "write_file")) << log;
    const std::string undone = run_program(paddock() + " undo --yes --root " + more());
    EXPECT_EQ(os_read(more("src/b.txt")), "there") << undone;
    EXPECT_FALSE(os_exists(more("tool.txt"))) << undone;
    EXPECT_FALSE(os_exists(more(".git/HEAD"))) << undone;
    EXPECT_TRUE(os_exists(ws("tool.txt")));
}

}  // namespace
}  // namespace paddock::testing
