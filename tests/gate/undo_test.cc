// Real commands and tools, and then `paddock undo`: the tree is what it was, name for name, byte
// for byte, mode for mode. `paddock redo` brings back what the session made of it. The same where
// the client, the server or the supervisor is killed in the middle of the work.
//
// Objects of git may be more than before. Then git finds its repository whole, with the same
// status.
//
// PADDOCK_SEED sets the first seed of the random sessions.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gate/runner.h"
#include "gate/tree.h"

namespace gate {
namespace {

constexpr int kHangsMs = 300'000;  // only so that a mistake ends some time
constexpr int kLevels = 64;
constexpr int kShown = 20;

std::string tree_of(const Workspace& workspace) {
    const int directory = ::open(workspace.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::string tree = describe_tree(directory, kLevels);
    ::close(directory);
    // The journal holds a link to what was removed or replaced.
    static const std::regex links(" links [0-9]+");
    const Ran git = workspace.outside(
        "test ! -e .git || { git --no-optional-locks status --porcelain; git fsck --no-dangling "
        "--no-progress; } 2>&1 | sed 's/^/git says: /'");
    return std::regex_replace(tree, links, "") + git.out;
}

bool is_object(const std::string& line) {
    static const std::regex stored("objects/([0-9a-f]{2}|pack|info)(/[^:]*)?: .*");
    return std::regex_search(line, stored);
}
bool is_about_objects(const std::string& line) {
    return line.find("objects/info/") != std::string::npos;
}

// The lines that only one of them has; empty: they are the same. An object may be there that was
// not expected.
std::string difference(const std::string& expected, const std::string& actual) {
    if (expected == actual) return {};
    const auto lines_of = [](const std::string& text) {
        std::set<std::string> lines;
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);) lines.insert(line);
        return lines;
    };
    const auto expected_lines = lines_of(expected);
    const auto actual_lines = lines_of(actual);
    std::string text = "differs:\n";
    int shown = 0;
    for (const std::string& line : expected_lines) {
        if (actual_lines.contains(line) || is_about_objects(line)) continue;
        if (++shown <= kShown) text += "  - " + line + "\n";
    }
    for (const std::string& line : actual_lines) {
        if (expected_lines.contains(line) || is_object(line)) continue;
        if (++shown <= kShown) text += "  + " + line + "\n";
    }
    return shown > 0 ? text : std::string();
}

void expect_undone(const Workspace& workspace, const std::string& before) {
    const Ran undo = workspace.paddock_command({"undo", "--yes"});
    EXPECT_EQ(undo.exit_code, 0) << undo.all();
    EXPECT_EQ(difference(before, tree_of(workspace)), "") << "undone";
}

void expect_undone_and_redone(const Workspace& workspace, const std::string& before) {
    const std::string after = tree_of(workspace);
    expect_undone(workspace, before);
    const Ran redo = workspace.paddock_command({"redo", "--yes"});
    EXPECT_EQ(redo.exit_code, 0) << redo.all();
    EXPECT_EQ(difference(after, tree_of(workspace)), "") << "redone";
}

// --- work that changes much ----------------------------------------------------------------------

constexpr const char* kGit = R"sh(
g() { git -c user.name=A -c user.email=a@example.org -c advice.detachedHead=false "$@"; }
)sh";

constexpr const char* kLead = R"sh(set -euo pipefail
export GIT_AUTHOR_DATE='@1700000000 +0000' GIT_COMMITTER_DATE='@1700000000 +0000' GIT_ADVICE=0
export npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false
)sh";

struct Work {
    const char* name;
    const char* needs;   // a program
    const char* before;  // by the owner, outside
    const char* script;  // by a command, inside
};

// Two branches that share hardly a file.
constexpr const char* kTwoBranches = R"sh(
git init -q .
mkdir -p src/{0..19}; for i in {1..200}; do echo "one $i" > src/$((i % 20))/$i.c; done
echo kept > kept; ln -s kept link; g add -A; g commit -q -m one
g checkout -q -b other
g rm -q -r src/1 src/2 src/3; chmod +x src/4/4.c
mkdir -p lib/{0..19}; for i in {1..200}; do echo "two $i" > lib/$((i % 20))/$i.c; done
for i in {4..200..20}; do echo changed >> src/4/$i.c; done
rm link; ln -s lib link; g add -A; g commit -q -m other; g checkout -q -
)sh";

constexpr Work kWork[] = {
    {"sed_over_2000_files", "sed",
     "mkdir d; for i in $(seq 2000); do echo \"old $i\" > d/$i; done; chmod 600 d/7; chmod 755 "
     "d/8; "
     "ln d/1 hard; ln -s d/2 soft",
     "sed -i 's/old/new/' d/*"},
    {"rm_rf", "rm",
     "for i in $(seq 40); do mkdir -p t/$i/a/b; for j in 1 2 3 4 5; do echo $j > t/$i/a/b/$j; "
     "done; "
     "done; ln t/1/a/b/1 t/hard; ln t/2/a/b/2 outer; ln -s ../outer t/soft; mkfifo t/fifo; "
     "mkdir t/empty; chmod 700 t/3; chmod 711 t/4/a; chmod 444 t/5/a/b/1; touch t/'a b' t/$'c\\nd'",
     "rm -rf t"},
    {"git_checkout", "git", kTwoBranches, "g checkout -q other"},
    {"git_reset_hard", "git", kTwoBranches,
     "echo work > src/5/5.c; g rm -q -r src/6; echo new > new; g add new; g commit -q -m work; "
     "echo more >> src/7/7.c; g reset -q --hard other; g reset -q --hard HEAD^"},
    {"git_rebase_and_stash", "git", kTwoBranches,
     "echo work > work; g add work; g commit -q -m work; echo dirty >> kept; g stash -q; "
     "g rebase -q other; g stash pop -q; g gc -q --prune=now"},
    {"npm_ci_over_an_old_tree", "npm", R"sh(
for v in 1 2; do
  mkdir lib$v
  echo '{"name":"lib","version":"'$v'.0.0","bin":{"say":"say.js"}}' > lib$v/package.json
  printf '#!/usr/bin/env node\nconsole.log('$v')\n' > lib$v/say.js
  mkdir -p lib$v/m/{0..6}; for i in {1..100}; do echo "$v $i" > lib$v/m/$((i % 7))/$i.js; done
  (cd lib$v && npm pack --silent >/dev/null)
done
mkdir app && cd app && echo '{"name":"app"}' > package.json
npm install --offline --silent ../lib2/lib-2.0.0.tgz && mv package.json package-lock.json ..
rm -r node_modules && echo '{"name":"app"}' > package.json
npm install --offline --silent ../lib1/lib-1.0.0.tgz
mv ../package.json ../package-lock.json . && echo "the owner's" > node_modules/lib/m/note
)sh",
     "cd app; npm ci --offline --silent; test \"$(node_modules/.bin/say)\" = 2"},
};

struct Case {
    const Work* work;
    Place place;
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
    return out << one.work->name << " in " << one.place;
}

// Each at one place, in turn; at all of them in the full run.
std::vector<Case> all_cases() {
    const std::vector<Place> places = different_places();
    std::vector<Case> cases;
    for (std::size_t i = 0; i < std::size(kWork); ++i) {
        for (std::size_t at = 0; at < places.size(); ++at) {
            if (tries(0, 1) > 0 || i % places.size() == at)
                cases.push_back({&kWork[i], places[at]});
        }
    }
    return cases;
}

class UndoOf : public ::testing::TestWithParam<Case> {};

TEST_P(UndoOf, work_that_changes_much) {
    const auto& [work, place] = GetParam();
    if (const std::string why = missing(place); !why.empty()) GTEST_SKIP() << why;
    const Workspace workspace(place);
    if (workspace.outside("command -v " + std::string(work->needs)).exit_code != 0) {
        GTEST_SKIP() << work->needs << " is not installed";
    }
    workspace.prepare(std::string(kGit) + kLead + work->before);
    const std::string before = tree_of(workspace);
    const Ran ran = workspace.shell(std::string(kGit) + kLead + work->script);
    EXPECT_EQ(ran.exit_code, 0) << ran.all();
    EXPECT_NE(difference(before, tree_of(workspace)), "") << "it did nothing";
    expect_undone_and_redone(workspace, before);
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    return std::string(info.param.work->name) + "_" + info.param.place.name;
}

INSTANTIATE_TEST_SUITE_P(Gate, UndoOf, ::testing::ValuesIn(all_cases()), case_name);

// --- what others have made of a session's work ---------------------------------------------------

struct Shared {
    const char* name;
    const char* before;  // by the owner, outside
    const char* script;  // by a command, inside
    const char* since;   // by the owner, outside; his history then needs what the session made
};

constexpr Shared kShared[] = {
    {"a_branch_that_was_merged", "",
     "git worktree add -q -b work wt; cd wt; echo new > new; git add new; g commit -q -m work",
     "git merge -q work"},
    {"a_fetch_that_was_merged",
     "git init -q up; cd up; git pull -q .. HEAD; echo u > u; git add u; g commit -q -m up; cd ..; "
     "echo up > .git/info/exclude; git remote add origin up",
     "git fetch -q origin", "git merge -q origin/HEAD 2>/dev/null || git merge -q FETCH_HEAD"},
    {"a_file_that_was_picked", "",
     "git worktree add -q -b work wt; cd wt; echo new > new; git add new; g commit -q -m work",
     "git checkout -q work -- new"},
    {"a_submodule_that_was_committed",
     "git init -q s; g -C s commit -q --allow-empty -m s; git add s 2>/dev/null; g commit -q -m s",
     "cd s; echo new > new; git add new; g commit -q -m new", "git add s; g commit -q -m new"},
    {"a_store_that_was_packed", "echo work > work; git add work; g commit -q -m work",
     "git worktree add -q -b work wt; cd wt; echo x > x; git add x; g commit -q -m x; cd ..; "
     "git repack -q -a -d; git prune-packed -q",
     "g merge -q --no-ff -m merged work"},
    {"a_clone_that_shares", "git init -q lib; g -C lib commit -q --allow-empty -m lib",
     "cd lib; git worktree add -q -b work ../wt; cd ../wt; echo x > x; git add x; g commit -q -m x",
     "git clone -q --shared -b work lib mine"},
};

class UndoOfShared : public ::testing::TestWithParam<Shared> {};

TEST_P(UndoOfShared, work_leaves_the_repository_whole) {
    const Shared& shared = GetParam();
    for (const Place& place : different_places()) {
        SCOPED_TRACE(place.name);
        if (const std::string why = missing(place); !why.empty()) GTEST_SKIP() << why;
        const Workspace workspace(place);
        const std::string lead = std::string(kGit) + kLead;
        workspace.prepare(lead +
                          "git init -q .; git config user.name O; git config user.email o@b.c; "
                          "echo one > one; git add one; g commit -q -m one; " +
                          shared.before);
        const Ran ran = workspace.shell(lead + shared.script);
        EXPECT_EQ(ran.exit_code, 0) << ran.all();
        workspace.prepare(lead + shared.since);
        const char* const all = "git rev-parse HEAD; git ls-files -s";
        const std::string before = workspace.outside(all).out;
        for (const char* way : {"undo", "redo", "undo"}) {
            const Ran went = workspace.paddock_command({way, "--yes"});
            EXPECT_EQ(went.exit_code, 0) << way << "\n" << went.all();
            const Ran checked = workspace.outside(
                "git fsck --full && git status >/dev/null && ! git ls-tree -r HEAD | while read -r "
                "mode type id path; do test $type != commit || git -C $path cat-file -e $id || "
                "echo $path lacks $id; done | grep . && for each in */.git; do test ! -d $each || "
                "git -C $each/.. fsck --full || exit; done");
            EXPECT_EQ(checked.exit_code, 0) << way << "\n" << checked.all();
            EXPECT_EQ(workspace.outside(all).out, before) << way;
        }
    }
}

// The owner merges between two calls.
TEST(UndoOfRunning, session_leaves_the_repository_whole) {
    for (const Place& place : different_places()) {
        SCOPED_TRACE(place.name);
        if (const std::string why = missing(place); !why.empty()) GTEST_SKIP() << why;
        const Workspace workspace(place);
        const std::string lead = std::string(kGit) + kLead;
        workspace.prepare(lead + "git init -q .; echo one > one; git add one; g commit -q -m one");
        Running server(workspace.server_line(), workspace.environment());
        start_session(server);
        const auto bash = [&](int id, const std::string& script) {
            server.send(
                tool_call(id, "bash",
                          boost::json::serialize(boost::json::object{{"command", lead + script}})));
            (void)server.line(kHangsMs);
        };
        bash(2, "git worktree add -q -b work wt; cd wt; echo x > x; git add x; g commit -q -m x");
        workspace.prepare("git merge -q work");
        const std::string head = workspace.outside("git rev-parse HEAD").out;
        bash(3, "echo later > later");
        EXPECT_EQ(server.wait(kHangsMs).exit_code, 0);
        const Ran undo = workspace.paddock_command({"undo", "--yes"});
        EXPECT_EQ(undo.exit_code, 0) << undo.all();
        const Ran checked = workspace.outside("git fsck --full && git status && test ! -e wt");
        EXPECT_EQ(checked.exit_code, 0) << checked.all();
        EXPECT_EQ(workspace.outside("git rev-parse HEAD").out, head);
    }
}

INSTANTIATE_TEST_SUITE_P(Gate, UndoOfShared, ::testing::ValuesIn(kShared),
                         [](const auto& one) { return std::string(one.param.name); });

// --- random sessions -----------------------------------------------------------------------------

// Each user and each level once, all pairs in the full run.
class UndoInside : public PlaceTest {};

long first_seed() {
    const char* seed = std::getenv("PADDOCK_SEED");
    return seed == nullptr ? 1 : std::atol(seed);
}

// A session of tools and commands on a few names.
class Session {
public:
    explicit Session(long seed) : seed_(seed), random_(static_cast<std::uint64_t>(seed)) {}

    // What the owner has before.
    std::string furniture() {
        std::string script = kGit + std::string("set +e; exec 2>/dev/null; umask 022\n");
        for (int i = 0; i < 6; ++i) script += "mkdir -p " + path() + "\n";
        for (int i = 0; i < 8; ++i) script += "printf 'one\\ntwo\\nthree\\n' > " + path() + "\n";
        for (int i = 0; i < 6; ++i) script += change() + "\n";
        if (below(2) == 0) script += sequence();
        if (below(2) == 0) script += "git init -q .; git add -A; g commit -q -m first\n";
        return script + "true";
    }

    struct Call {
        std::string tool;
        boost::json::object arguments;
    };
    Call call() {
        switch (below(12)) {
            case 0: return {"write_file", {{"path", path()}, {"content", "one\ntwo\nwritten\n"}}};
            case 1:
            case 2:
                return {"edit_file",
                        {{"path", path()}, {"old_string", "two\n"}, {"new_string", "2\nzwei\n"}}};
            case 3: return {"patch", {{"patch", patch()}}};
            case 4: return {"move_path", pair()};
            case 5: return {"copy_path", pair()};
            case 6: return {"remove_path", {{"path", path()}, {"recursive", below(2) == 0}}};
            case 7: return {"make_directory", {{"path", path()}}};
            case 8: return bash(sequence());
            default: {
                std::string script;
                for (std::size_t i = 1 + below(5); i > 0; --i) script += change() + "\n";
                return bash(script);
            }
        }
    }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

private:
    template <typename T, std::size_t kCount>
    const T& one_of(const T (&all)[kCount]) {
        return all[below(kCount)];
    }
    std::string path() {
        static constexpr const char* kNames[] = {"a", "b", "c", "d"};
        std::string made = one_of(kNames);
        while (below(3) == 0) made += '/' + std::string(one_of(kNames));
        return made;
    }
    boost::json::object pair() {
        return {{"source", path()}, {"destination", path()}, {"overwrite", below(2) == 0}};
    }
    static Call bash(const std::string& script) {
        return {"bash", {{"command", kGit + ("umask 022; " + script)}}};
    }
    // Leaves its tree in directories that nobody may change.
    std::string sequence() {
        return "gate_sequence " + std::to_string(seed_ * 100 + static_cast<long>(below(100))) +
               " 1 40 keep >/dev/null\n";
    }
    std::string patch() {
        const std::string begin = "*** Begin Patch\n";
        const std::string change = "@@\n one\n-two\n+deux\n";
        switch (below(4)) {
            case 0: return begin + "*** Add File: " + path() + "\n+added\n*** End Patch\n";
            case 1: return begin + "*** Delete File: " + path() + "\n*** End Patch\n";
            case 2:
                return begin + "*** Update File: " + path() + "\n*** Move to: " + path() + "\n" +
                       change + "*** End Patch\n";
            default:
                return begin + "*** Update File: " + path() + "\n" + change + "*** End Patch\n";
        }
    }
    // P and Q stand for paths, M for a mode.
    std::string change() {
        static constexpr const char* kChanges[] = {
            "rm -rf P",
            "mv P Q",
            "mv -T P Q",
            "cp -a P Q",
            "ln P Q",
            "ln -sfn Q P",
            "chmod M P",
            "chmod -R u+rwX P",
            "sed -i 's/two/TWO/' P",
            "echo more >> P",
            "printf 'one\\ntwo\\n' > P",
            "mkdir -p P",
            "echo tee | tee P Q",
            "truncate -s 3 P",
            "mkfifo P",
            "tar cf t P; rm -rf P; tar xf t; rm t",
            "install -m 600 P Q",
            "(exec 3<>P; rm P; echo held >&3; ln -L /proc/self/fd/3 Q)",
            "rmdir P",
            "git init -q P; rm -rf Q/.git",
            "(exec 3>>P; mv P Q; echo late >&3)",
            "rsync -a P/ Q || cp -r P/. Q",
            "git add -A; g commit -q -m work",
            "git rm -rqf P; git mv P Q",
            "git stash -q -u; echo x > P; git stash pop -q",
            "git checkout -q -f HEAD^",
            "git reset -q --hard; git clean -fdq",
            "git gc -q --prune=now",
        };
        static constexpr const char* kModes[] = {"644", "600", "755", "700", "444", "1777", "555"};
        std::string made;
        for (const char* c = one_of(kChanges); *c != '\0'; ++c) {
            made += *c == 'P'   ? path()
                    : *c == 'Q' ? path()
                    : *c == 'M' ? one_of(kModes)
                                : std::string(1, *c);
        }
        return "(" + made + ") 2>/dev/null";
    }

    long seed_;
    std::mt19937_64 random_;
};

// `trees`: before the session, and after each of its calls. Not every call changes something.
void expect_undone_call_by_call(const Workspace& workspace, std::vector<std::string> trees) {
    const auto log = boost::json::parse(workspace.paddock_command({"log", "--json"}).out);
    const auto& session = log.at("sessions").as_array().back();
    const auto& calls = session.at("calls").as_array();
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
        const std::string name = std::string(session.at("session").as_string()) + "/" +
                                 std::to_string(call->at("call").to_number<int>());
        SCOPED_TRACE(name);
        const Ran undo = workspace.paddock_command({"undo", name, "--yes"});
        const bool is_nothing = undo.err.find("there is nothing to undo") != std::string::npos;
        EXPECT_EQ(undo.exit_code, is_nothing ? 1 : 0) << undo.all();
        const std::string now = tree_of(workspace);
        const std::string last = trees.back();
        while (trees.size() > 1 && !difference(trees.back(), now).empty()) trees.pop_back();
        EXPECT_EQ(difference(trees.back(), now), "") << "the tree of no call before";
        EXPECT_TRUE(!is_nothing || difference(last, now).empty()) << difference(last, now);
    }
    EXPECT_EQ(difference(trees.front(), tree_of(workspace)), "") << "all calls are undone";
}

TEST_P(UndoInside, takes_back_any_session) {
    const long count = tries(3, 2'500);
    long changed = 0;
    (void)install(PADDOCK_GATE_SEQUENCE);
    for (long seed = first_seed(); seed < first_seed() + count && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Workspace workspace(GetParam());
        Session session(seed);
        std::string story = session.furniture();
        workspace.prepare(story);
        const std::string before = tree_of(workspace);
        std::vector<std::string> words = workspace.server_line();
        for (const char* word : {"--no-track-reads", "--read-only-dir"}) words.emplace_back(word);
        words.push_back(program_folder());
        Running server(words, workspace.environment());
        start_session(server);
        std::vector<std::string> trees{before};  // and after each call
        const int calls = 2 + static_cast<int>(session.below(8));
        for (int i = 0; i < calls; ++i) {
            const Session::Call call = session.call();
            const std::string arguments = boost::json::serialize(call.arguments);
            server.send(tool_call(2 + i, call.tool, arguments));
            story += "\n" + call.tool + " " + arguments + "\n    " + server.line(kHangsMs);
            trees.push_back(tree_of(workspace));
        }
        EXPECT_EQ(server.wait(kHangsMs).exit_code, 0);
        if (difference(before, tree_of(workspace)).empty()) continue;
        ++changed;
        expect_undone_and_redone(workspace, before);
        expect_undone_call_by_call(workspace, trees);
        if (HasFailure()) std::printf("%s\n", story.c_str());
    }
    EXPECT_GE(changed * 4, count * 3) << "most sessions change nothing";
}

// --- killed in the middle ------------------------------------------------------------------------

enum class Killed { kClient, kServer, kSupervisor };

// What the command is doing when that happens. It says each round on a FIFO, which ends with the
// last of its processes.
constexpr const char* kRounds =
    "exec 8>progress; for i in $(seq 1000); do mkdir -p n/$i || exit; echo new > n/$i/f; "
    "sed -i 's/old/new/' d/$i; rm -f e/$i; mv g/$i n/$i/g; chmod 600 h/$i; ln k/$i n/$i/k; "
    "echo more >> k/$i; cp d/$i e/x$((i % 3)); echo $i >&8; done";
constexpr const char* kOwners =
    "mkfifo progress; for d in d e g h k; do mkdir $d; done; for i in $(seq 40); do for d in d e g "
    "h "
    "k; do echo \"old $d $i\" > $d/$i; done; done";

// Lines until the round, or the end.
void read_rounds(int fifo, std::optional<int> until) {
    std::string text;
    std::array<char, 4096> block;
    const std::string last = until ? "\n" + std::to_string(*until) + "\n" : std::string();
    for (pollfd polled{fifo, POLLIN, 0};;) {
        ASSERT_GT(::poll(&polled, 1, kHangsMs), 0) << "nobody says anything";
        const ssize_t got = ::read(fifo, block.data(), block.size());
        if (got <= 0) return;
        text.append(block.data(), static_cast<std::size_t>(got));
        if (until && ("\n" + text).find(last) != std::string::npos) return;
    }
}

void undo_after_a_kill(const Place& place, Killed killed, int round) {
    SCOPED_TRACE("killed: " + std::to_string(static_cast<int>(killed)) + ", in round " +
                 std::to_string(round));
    const Workspace workspace(place);
    workspace.prepare(kOwners);
    const std::string before = tree_of(workspace);
    const int fifo = ::open(workspace.path("progress").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    std::vector<std::string> words{"/bin/bash", "-c", kClient, "client"};
    for (std::string& word : workspace.server_line()) words.push_back(std::move(word));
    Running client(words, workspace.environment());
    start_session(client);
    const auto servers = children_of(client.id());
    ASSERT_EQ(servers.size(), 1U);
    const auto supervisors = children_of(servers.front());
    client.send(
        tool_call(2, "bash", boost::json::serialize(boost::json::object{{"command", kRounds}})));
    read_rounds(fifo, round);
    switch (killed) {
        case Killed::kClient: ::kill(client.id(), SIGKILL); break;
        case Killed::kServer: ::kill(servers.front(), SIGKILL); break;
        case Killed::kSupervisor:
            for (const pid_t each : supervisors) ::kill(each, SIGKILL);
            break;
    }
    EXPECT_FALSE(client.wait(kHangsMs).timed_out) << "the server hangs";
    read_rounds(fifo, std::nullopt);
    ::close(fifo);
    const Ran log = workspace.paddock_command({"log", "--json"});
    boost::system::error_code error;
    const auto json = boost::json::parse(log.out, error);
    ASSERT_FALSE(error) << log.all();
    EXPECT_EQ(json.at("sessions").as_array().size(), 1U) << log.out;
    EXPECT_NE(difference(before, tree_of(workspace)), "") << "it was killed too early";
    EXPECT_EQ(workspace.outside("test -e n/1000").exit_code, 1) << "it was killed too late";
    expect_undone_and_redone(workspace, before);
}

TEST_P(UndoInside, takes_back_what_was_killed) {
    std::mt19937 random(1);
    for (long i = tries(1, 200); i > 0 && !HasFailure(); --i) {
        for (const Killed killed : {Killed::kClient, Killed::kServer, Killed::kSupervisor}) {
            undo_after_a_kill(GetParam(), killed, 1 + static_cast<int>(random() % 30));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Gate, UndoInside, ::testing::ValuesIn(different_places()), place_name);

}  // namespace
}  // namespace gate
