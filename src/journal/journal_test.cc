#include "journal/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <utility>

#include "escape/call_hook.h"
#include "journal/place.h"
#include "journal/prune.h"
#include "journal/record.h"
#include "sys/files.h"
#include "sys/process.h"
#include "testing/jail.h"
#include "testing/journaled_tree.h"

using namespace paddock;
using namespace paddock::journal;
using namespace paddock::testing;

namespace {

namespace stdfs = std::filesystem;

template <class T>
Code code_of(const Outcome<T>& outcome) {
    return outcome ? Code{} : outcome.error().code;
}

class JournalTest : public Jail {
protected:
    JournaledTree open(const SessionInfo& info = {}) const { return JournaledTree(ws(), info); }

    std::string session_path(JournaledTree& tree) const {
        return ws(tree.journal().path()) + '/' + tree.journal().session();
    }
    std::vector<std::string> kept(JournaledTree& tree) const {
        return os_list(session_path(tree) + "/kept");
    }
    std::vector<std::string> verbs(JournaledTree& tree) const {
        const Log log(os_read(session_path(tree) + "/log").value_or(""));
        std::vector<std::string> found;
        for (const Record& record : log.records()) {
            found.push_back(std::to_string(static_cast<int>(record.verb)));
        }
        return found;
    }
    static std::string counts(const Changes& changes) {
        return std::to_string(changes.made) + " made, " + std::to_string(changes.changed) +
               " changed, " + std::to_string(changes.removed) + " removed, " +
               std::to_string(changes.not_kept) + " not kept";
    }
};

// --- the form of a line ---

TEST(Record, any_name_comes_back) {
    const std::vector<std::string> names = {
        "a",          "a b",
        "-",          "\n",
        "\\",         "\\055",
        ";",          " ;",
        "\x7f\t",     "",
        "\xff\x80\1", "caf\xc3\xa9",
        "--",         "a;\n1 a 0 make x - 0 0 0 0 f 0 0 0 - - ;"};
    std::string text;
    for (const std::string& name : names) {
        Record record;
        record.time = 1234567890123456789;
        record.writer = 'b';
        record.call = 7;
        record.verb = Verb::kRename;
        record.path = name;
        record.other = name;
        record.object = {1, -2};
        record.second = {3, 4};
        record.type = FileType::kSymlink;
        record.mode = 0755;
        record.size = ~std::uint64_t{0};
        record.changed = 9;
        record.keeping = Keeping::kCopy;
        record.kept = "b7";
        append_line(text, record);
    }
    const Log log(text);
    ASSERT_EQ(log.records().size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Record& record = log.records()[i];
        EXPECT_EQ(record.path, names[i]);
        EXPECT_EQ(record.other, names[i]);
        EXPECT_EQ(record.time, 1234567890123456789);
        EXPECT_EQ(record.object, (Object{1, -2}));
        EXPECT_EQ(record.second, (Object{3, 4}));
        EXPECT_EQ(record.type, FileType::kSymlink);
        EXPECT_EQ(record.mode, 0755U);
        EXPECT_EQ(record.size, ~std::uint64_t{0});
        EXPECT_EQ(record.keeping, Keeping::kCopy);
        EXPECT_EQ(record.kept, "b7");
    }
}

TEST(Record, a_cut_line_is_left_out_wherever_it_is_cut) {
    Record record;
    record.verb = Verb::kMake;
    record.path = "name";
    std::string line;
    append_line(line, record);
    const std::string whole = line;
    for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
        const Log last(whole + whole.substr(0, size));
        EXPECT_EQ(last.records().size(), 1U) << size;
        const Log amid(whole.substr(0, size) + '\n' + whole);
        EXPECT_EQ(amid.records().size(), 1U) << size;
    }
}

// --- where it lies ---

TEST_F(JournalTest, lies_in_git_or_beside) {
    JournaledTree session = open();
    EXPECT_EQ(session.journal().path(), ".paddock");
    EXPECT_EQ(os_read(ws(".paddock/.gitignore")), "*\n");
    struct stat raw;
    ASSERT_EQ(::stat(ws(".paddock").c_str(), &raw), 0);
    EXPECT_EQ(raw.st_mode & 0777U, 0700U);
    tree({"ROOT/.git/"});
    EXPECT_EQ(open().journal().path(), ".paddock") << "the one that exists is used";
    stdfs::remove_all(ws(".paddock"));
    EXPECT_EQ(open().journal().path(), ".git/paddock");
    stdfs::remove_all(ws(".git"));
    tree({"ROOT/.git=gitdir: elsewhere"});
    EXPECT_EQ(open().journal().path(), ".paddock") << "a worktree has a file";
}

// Another session that begins meanwhile would take root for the owner, and its commands could not
// write their log.
TEST_F(JournalTest, of_a_workspace_that_root_opens_is_its_owners_from_the_first_instant) {
    constexpr uid_t kOwner = 65534;
    if (!is_root()) GTEST_SKIP() << "only root gives files away";
    ASSERT_EQ(::chown(ws().c_str(), kOwner, kOwner), 0);
    int seen = 0;
    {
        const CallHook look([&](sys::Call) {
            struct stat raw;
            if (::stat(ws(".paddock").c_str(), &raw) == 0) {
                ++seen;
                EXPECT_EQ(raw.st_uid, kOwner);
            }
            return sys::Fault{};
        });
        const JournaledTree session = open();
    }
    EXPECT_GT(seen, 0);
}

TEST_F(JournalTest, refuses_a_link_a_file_and_what_others_can_write) {
    const UniqueFd workspace(::open(ws().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    tree({"OUT/elsewhere/", "ROOT/.paddock->@/OUT/elsewhere"});
    EXPECT_EQ(code_of(Journal::open(workspace.get(), {})), Code::kPermissionDenied);
    EXPECT_TRUE(os_list(out("elsewhere")).empty());
    stdfs::remove(ws(".paddock"));
    tree({"ROOT/.paddock=file"});
    EXPECT_EQ(code_of(Journal::open(workspace.get(), {})), Code::kPermissionDenied);
    stdfs::remove(ws(".paddock"));
    tree({"ROOT/.paddock/"});
    ::chmod(ws(".paddock").c_str(), 0777);
    EXPECT_EQ(code_of(Journal::open(workspace.get(), {})), Code::kPermissionDenied);
    stdfs::remove_all(ws(".paddock"));
    tree({"OUT/git/", "ROOT/.git->@/OUT/git"});
    EXPECT_EQ(open().journal().path(), ".paddock") << "a link to a repository is not followed";
    EXPECT_TRUE(os_list(out("git")).empty());
}

TEST(JournalPath, is_the_journal_and_what_is_below) {
    EXPECT_TRUE(is_journal_path(".paddock"));
    EXPECT_TRUE(is_journal_path(".paddock/x"));
    EXPECT_TRUE(is_journal_path(".git/paddock"));
    EXPECT_TRUE(is_journal_path(".git/paddock/x/y"));
    EXPECT_FALSE(is_journal_path(".git"));
    EXPECT_FALSE(is_journal_path(".git/paddocks"));
    EXPECT_FALSE(is_journal_path("a/.paddock"));
    EXPECT_FALSE(is_journal_path(".paddock-x"));
}

TEST(SessionId, sorts_by_time) {
    using std::chrono::seconds;
    const Time time(seconds(1794985032));
    EXPECT_EQ(make_session_id(time, 0x3f2a), "20261118-065712-3f2a");
    EXPECT_LT(make_session_id(time, 0xffff), make_session_id(time + seconds(1), 0));
    EXPECT_TRUE(is_session_id("20261118-065712-3f2a"));
    EXPECT_FALSE(is_session_id("20261118-065712-3f2A"));
    EXPECT_FALSE(is_session_id("../61118-065712-3f2a"));
    EXPECT_FALSE(is_session_id(""));
}

TEST_F(JournalTest, a_session_without_changes_leaves_nothing) {
    std::string path;
    {
        JournaledTree session = open();
        path = session_path(session);
        session.journal().begin_call("bash", "true");
        EXPECT_TRUE(os_exists(path));
    }
    EXPECT_FALSE(os_exists(path));
}

TEST_F(JournalTest, that_is_silent_records_nothing_and_keeps_nothing) {
    tree({"ROOT/old=owner"});
    auto turn = sys::openat(AT_FDCWD, (base() + "/turn").c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_TRUE(turn);
    auto journal = Journal::silent(std::move(*turn));
    ASSERT_TRUE(journal);
    auto root = sys::openat(AT_FDCWD, ws().c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_TRUE(root);
    const Name old{root->get(), "old", "old"};
    const auto node = sys::node_at(root->get(), "old");
    ASSERT_TRUE(node);
    const auto before = os_list(ws());
    {
        const Turn held(*journal);
        EXPECT_TRUE(journal->is_own(node->stat));
        EXPECT_TRUE(journal->will_write(7, old, -1, node->stat));
        EXPECT_TRUE(journal->will_make(7, old, FileType::kRegular, &node->stat));
        EXPECT_TRUE(journal->will_make(7, {root->get(), "new", "new"}, FileType::kRegular));
        EXPECT_EQ(os_list(ws()), before);
        EXPECT_TRUE(journal->remove(7, old, node->stat));
    }
    EXPECT_FALSE(os_exists(ws("old")));
    EXPECT_EQ(counts(journal->end_call(7)), "0 made, 0 changed, 0 removed, 0 not kept");
    EXPECT_FALSE(os_exists(ws(".paddock")));
}

TEST_F(JournalTest, what_came_with_a_copy_is_not_read) {
    std::string id;
    {
        JournaledTree session = open();
        id = session.journal().session();
        EXPECT_TRUE(session.make_file("f", "x"));
    }
    const UniqueFd own(::open(ws(".paddock").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_TRUE(open_session(own.get(), id).has_value());
    stdfs::copy(ws(".paddock"), out("copy"), stdfs::copy_options::recursive);
    ::chmod(out("copy").c_str(), 0700);
    const UniqueFd copy(::open(out("copy").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(code_of(open_session(copy.get(), id)), Code::kNotFound);
}

// --- what is kept ---

TEST_F(JournalTest, a_removed_file_is_moved_not_copied) {
    tree({"ROOT/f=old"});
    struct stat before;
    ASSERT_EQ(::lstat(ws("f").c_str(), &before), 0);
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "rm f");
    EXPECT_TRUE(session.remove("f"));
    EXPECT_FALSE(os_exists(ws("f")));
    ASSERT_EQ(kept(session).size(), 1U);
    struct stat after;
    ASSERT_EQ(::lstat((session_path(session) + "/kept/" + kept(session)[0]).c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "0 made, 0 changed, 1 removed, 0 not kept");
}

TEST_F(JournalTest, what_the_call_made_is_not_kept) {
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.make_file("f", "1"));
    EXPECT_TRUE(session.write("f", "2"));
    EXPECT_TRUE(session.replace("f", "3"));
    EXPECT_TRUE(session.remove("f"));
    EXPECT_TRUE(kept(session).empty());
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "0 made, 0 changed, 0 removed, 0 not kept");
}

TEST_F(JournalTest, what_an_earlier_call_made_is_kept_and_is_own) {
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.make_file("f", "1"));
    tree({"ROOT/theirs=x"});
    const Stat stat = sys::node_at(session.workspace(), "f").value().stat;
    EXPECT_TRUE(session.journal().is_own(stat));
    EXPECT_FALSE(
        session.journal().is_own(sys::node_at(session.workspace(), "theirs").value().stat));
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.remove("f"));
    EXPECT_EQ(kept(session).size(), 1U);
}

TEST_F(JournalTest, content_is_kept_once_for_each_call) {
    tree({"ROOT/f=old"});
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.write("f", "new"));
    EXPECT_TRUE(session.write("f", "newer"));
    ASSERT_EQ(kept(session).size(), 1U);
    EXPECT_EQ(os_read(session_path(session) + "/kept/" + kept(session)[0]), "old");
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.write("f", "newest"));
    ASSERT_EQ(kept(session).size(), 2U);
    EXPECT_EQ(os_read(session_path(session) + "/kept/" + kept(session)[1]), "newer");
}

TEST_F(JournalTest, large_content_is_told_as_not_kept) {
    tree({"ROOT/f=old"});
    ASSERT_EQ(::truncate(ws("f").c_str(), (std::int64_t{64} << 20) + 1), 0);
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.write("f", "new"));
    EXPECT_TRUE(kept(session).empty());
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "0 made, 1 changed, 0 removed, 1 not kept");
}

TEST_F(JournalTest, a_file_that_cannot_be_linked_is_copied) {
    tree({"ROOT/f=old"});
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    const CallHook hook([](sys::Call call) {
        return sys::Fault{.error = call == sys::Call::kLink ? EPERM : 0, .bytes_max = 0};
    });
    EXPECT_TRUE(session.replace("f", "new"));
    ASSERT_EQ(kept(session).size(), 1U);
    EXPECT_EQ(os_read(session_path(session) + "/kept/" + kept(session)[0]), "old");
}

TEST_F(JournalTest, a_full_disk_stops_no_change) {
    tree({"ROOT/f=old", "ROOT/g=old"});
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    {
        const CallHook hook([](sys::Call call) {
            const bool writes = call == sys::Call::kWrite || call == sys::Call::kCopyRange ||
                                call == sys::Call::kRename;
            return sys::Fault{.error = writes ? ENOSPC : 0, .bytes_max = 0};
        });
        EXPECT_TRUE(session.remove("f"));
        EXPECT_TRUE(session.write("g", "new"));
    }
    EXPECT_FALSE(os_exists(ws("f")));
    EXPECT_EQ(os_read(ws("g")), "new");
    EXPECT_GE(session.journal().end_call(session.call).not_kept, 2U);
    EXPECT_TRUE(session.make_file("h", "x")) << "the log goes on";
    const Log log(os_read(session_path(session) + "/log").value_or(""));
    EXPECT_EQ(log.records().back().verb, Verb::kMake);
}

// --- a change that fails ---

TEST_F(JournalTest, a_failed_change_leaves_what_others_keep) {
    tree({"ROOT/c=old", "ROOT/x=x", "ROOT/y/in=y", "ROOT/d/e=e"});
    JournaledTree session = open();
    session.call = session.journal().begin_call("write_file", "c");
    EXPECT_TRUE(session.replace("c", "new"));
    EXPECT_EQ(kept(session).size(), 1U);
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "0 made, 1 changed, 0 removed, 0 not kept");
    session.call = session.journal().begin_call("move_path", "x");
    EXPECT_FALSE(session.rename("x", "y")) << "a directory";
    EXPECT_FALSE(session.rename("y", "x")) << "a file";
    EXPECT_FALSE(session.rename("d", "y")) << "not empty";
    EXPECT_FALSE(session.exchange("d", "d/e"));
    {
        const Turn turn(session.journal());
        const int root = session.workspace();
        const Stat stat = sys::node_at(root, "x").value().stat;
        auto intent =
            session.journal().will_rename(session.call, {root, "x", "x"}, {root, "y", "y"}, stat);
        ASSERT_TRUE(intent);
        intent->failed();
    }
    EXPECT_EQ(kept(session).size(), 1U) << "of the change that was made";
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "0 made, 0 changed, 0 removed, 0 not kept");
    struct stat raw;
    ASSERT_EQ(::lstat(ws("x").c_str(), &raw), 0);
    EXPECT_EQ(raw.st_nlink, 1U) << "nothing of it is kept";
}

// What the call has touched below is looked for where it is.
TEST_F(JournalTest, a_failed_rename_of_a_directory_moves_no_names) {
    tree({"ROOT/d/e=e", "ROOT/y/in=y"});
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.make_file("d/new", "x"));
    EXPECT_TRUE(session.make_file("y/new", "x"));
    EXPECT_FALSE(session.rename("d", "y"));
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "2 made, 0 changed, 0 removed, 0 not kept");
}

// A name may be lost although the call says that it failed: a disk that cannot flush.
TEST_F(JournalTest, what_is_lost_stays_kept_whatever_the_change_says) {
    tree({"ROOT/f=old", "ROOT/g=new"});
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    {
        const Turn turn(session.journal());
        const int root = session.workspace();
        const Stat stat = sys::node_at(root, "g").value().stat;
        const Stat old = sys::node_at(root, "f").value().stat;
        auto intent = session.journal().will_rename(session.call, {root, "g", "g"},
                                                    {root, "f", "f"}, stat, &old);
        ASSERT_TRUE(intent);
        stdfs::rename(ws("g"), ws("f"));
        intent->failed();
    }
    ASSERT_EQ(kept(session).size(), 1U);
    EXPECT_EQ(os_read(session_path(session) + "/kept/" + kept(session)[0]), "old");
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "0 made, 1 changed, 1 removed, 0 not kept");
}

// Whoever can keep paddock from reading a file cannot change it beyond undo.
TEST_F(JournalTest, content_that_cannot_be_read_is_not_changed) {
    tree({"ROOT/f=old", "ROOT/g=old"});
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    const auto will_write = [&session] {
        const Turn turn(session.journal());
        const UniqueFd root(::openat(session.workspace(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
        const auto node = sys::node_at(root.get(), "f");
        return session.journal().will_write(session.call, {root.get(), "f", "f"}, -1, node->stat);
    };
    {
        const UniqueFd leased(::open(ws("f").c_str(), O_RDWR | O_CLOEXEC));
        if (::fcntl(leased.get(), F_SETLEASE, F_WRLCK) != 0)
            GTEST_SKIP() << "this file system has no leases";
        const auto handler = ::signal(SIGIO, SIG_IGN);
        EXPECT_FALSE(will_write().has_value());
        ::fcntl(leased.get(), F_SETLEASE, F_UNLCK);
        ::signal(SIGIO, handler);
    }
    EXPECT_TRUE(kept(session).empty());
    EXPECT_TRUE(session.write("f", "new"));
    ASSERT_EQ(kept(session).size(), 1U) << "what failed before was not taken for kept";
    EXPECT_EQ(os_read(session_path(session) + "/kept/" + kept(session)[0]), "old");
    {
        const CallHook hook([](sys::Call call) {
            const bool keeps = call == sys::Call::kLink || call == sys::Call::kOpenat;
            return sys::Fault{.error = keeps ? EPERM : 0, .bytes_max = 0};
        });
        const auto done = [&session] {
            const Turn turn(session.journal());
            const int root = session.workspace();
            Stat stat;
            stat.type = FileType::kRegular;
            stat.size = 3;
            return session.journal().will_make(session.call, {root, "g", "g"}, FileType::kRegular,
                                               &stat);
        }();
        EXPECT_FALSE(done.has_value());
    }
    EXPECT_EQ(session.journal().end_call(session.call).not_kept, 0U);
}

// --- counting ---

TEST_F(JournalTest, counts_what_a_call_left_changed) {
    tree({"ROOT/changed=old", "ROOT/gone=old", "ROOT/moved=old", "ROOT/d/1=x", "ROOT/d/2=x",
          "ROOT/mode=old", "ROOT/linked=old"});
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.replace("changed", "new"));
    EXPECT_TRUE(session.remove("gone"));
    EXPECT_TRUE(session.rename("moved", "elsewhere"));
    EXPECT_TRUE(session.rename("d", "e"));
    EXPECT_TRUE(session.make_file("e/3", "x"));
    EXPECT_TRUE(session.make_file("e/4", "x"));
    EXPECT_TRUE(session.remove("e/4"));
    EXPECT_TRUE(session.chmod("mode", 0600));
    EXPECT_TRUE(session.link("linked", "twin"));
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "2 made, 4 changed, 1 removed, 0 not kept");
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "0 made, 0 changed, 0 removed, 0 not kept");
}

TEST_F(JournalTest, counts_below_a_renamed_directory_under_its_new_name) {
    JournaledTree session = open();
    session.call = session.journal().begin_call("bash", "");
    EXPECT_TRUE(session.make_directory("d"));
    EXPECT_TRUE(session.make_file("d/f", "x"));
    EXPECT_TRUE(session.rename("d", "e"));
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "2 made, 0 changed, 0 removed, 0 not kept");
    const Log log(os_read(session_path(session) + "/log").value_or(""));
    std::vector<std::string> states;
    for (const Record& record : log.records()) {
        if (record.verb == Verb::kState) states.emplace_back(record.path);
    }
    EXPECT_EQ(states, (std::vector<std::string>{"e", "e/f"}));
}

// --- two processes ---

TEST_F(JournalTest, a_copy_of_the_process_shares_calls_and_inodes) {
    JournaledTree session = open();
    const CallId first = session.journal().begin_call("bash", "");
    session.call = first;
    EXPECT_TRUE(session.make_file("parent", "x"));
    const pid_t child = sys::fork_process().value();
    if (child == 0) {
        bool good = session.journal().after_fork(session.workspace()).has_value();
        good = good && session.remove("parent") && session.make_file("child", "x");
        good = good && session.journal().begin_call("bash", "") == first + 1;
        const Changes changes = session.journal().end_call(first);
        good = good && changes.made == 1 && changes.removed == 1;
        ::_exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(kept(session).empty()) << "the call made it, in whatever process";
    EXPECT_TRUE(session.journal().is_own(sys::node_at(session.workspace(), "child").value().stat));
    EXPECT_EQ(session.journal().begin_call("bash", ""), first + 2);
    const Log log(os_read(session_path(session) + "/log").value_or(""));
    std::string writers;
    for (const Record& record : log.records()) writers += record.writer;
    EXPECT_NE(writers.find('b'), writers.npos);
}

TEST_F(JournalTest, one_turn_at_a_time_across_processes_and_sessions) {
    JournaledTree one = open();
    JournaledTree other = open();
    tree({"ROOT/counter=0"});
    constexpr int kRounds = 200;
    const auto count = [&](JournaledTree& session) {
        for (int i = 0; i < kRounds; ++i) {
            const Turn turn(session.journal());
            const int value = std::stoi(os_read(ws("counter")).value());
            os_write(ws("counter"), std::to_string(value + 1));
        }
    };
    const pid_t child = sys::fork_process().value();
    if (child == 0) {
        const bool good = one.journal().after_fork(one.workspace()).has_value();
        count(one);
        ::_exit(good ? 0 : 1);
    }
    count(other);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(os_read(ws("counter")), std::to_string(2 * kRounds));
}

// Other sessions remember what they have read below a directory.
TEST_F(JournalTest, directories_that_move_or_go_are_counted_for_all) {
    tree({"ROOT/f=x", "ROOT/a/", "ROOT/b/", "ROOT/full/x=x"});
    JournaledTree session = open();
    JournaledTree other = open();
    std::uint64_t last = other.journal().shared_count();
    const auto counts = [&](bool done) {
        EXPECT_TRUE(done);
        return std::exchange(last, other.journal().shared_count()) != last;
    };
    EXPECT_FALSE(counts(session.make_directory("d"))) << "nothing lies in it";
    EXPECT_TRUE(counts(session.rename("d", "e")));
    EXPECT_TRUE(counts(session.exchange("a", "b")));
    EXPECT_TRUE(counts(session.remove("e")));
    EXPECT_TRUE(counts(session.remove_tree("full")));
    EXPECT_FALSE(counts(session.make_file("g", "x")));
    EXPECT_FALSE(counts(session.rename("f", "h")));
    EXPECT_FALSE(counts(session.remove("h")));
}

// --- old sessions ---

TEST_F(JournalTest, prunes_by_age_and_size_but_never_a_live_session) {
    std::vector<std::string> ids;
    for (int i = 0; i < 3; ++i) {
        tree({"ROOT/f=0123456789"});
        JournaledTree session = open();
        ids.push_back(session_path(session));
        EXPECT_TRUE(session.remove("f"));
    }
    tree({"ROOT/f=0123456789", "ROOT/g=x"});
    ::chmod(ids[0].c_str(), 0700);
    JournaledTree live = open();
    EXPECT_TRUE(live.remove("f"));
    const auto now = std::chrono::system_clock::now();
    PruneLimits limits;
    EXPECT_EQ(prune(live.workspace(), now, limits).value().sessions, 0U);
    limits.bytes_max = 0;
    EXPECT_EQ(prune(live.workspace(), now, limits).value().sessions, 3U);
    EXPECT_TRUE(os_exists(session_path(live)));
    limits.bytes_max = 1 << 20;
    EXPECT_EQ(prune(live.workspace(), now + std::chrono::hours(24 * 31), limits).value().sessions,
              0U);
    {
        JournaledTree over = open();
        EXPECT_TRUE(over.remove("g"));
        ids.push_back(session_path(over));
    }
    EXPECT_EQ(prune(live.workspace(), now + std::chrono::hours(24 * 31), limits).value().sessions,
              1U);
    for (const std::string& id : ids) EXPECT_FALSE(os_exists(id));
}

TEST_F(JournalTest, issue_17_12_a_session_that_cannot_be_pruned_keeps_no_other) {
    std::vector<std::string> ids;
    for (int i = 0; i < 3; ++i) {
        tree({"ROOT/f=0123456789"});
        JournaledTree session = open();
        ids.push_back(session_path(session));
        EXPECT_TRUE(session.remove("f"));
    }
    const Root workspace = root();
    const auto later = std::chrono::system_clock::now() + std::chrono::hours(24 * 31);
    {
        int removals = 0;
        const CallHook hook([&](sys::Call call) {
            const bool fails = call == sys::Call::kUnlink && ++removals == 1;
            return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
        });
        EXPECT_EQ(code_of(prune(workspace.fd(), later, {})), Code::kIoError);
    }
    EXPECT_EQ(std::count_if(ids.begin(), ids.end(), os_exists), 1);
    EXPECT_EQ(prune(workspace.fd(), later, {}).value().sessions, 1U);
}

// Commands on the low sandbox level can set the times of files that they may not write.
TEST_F(JournalTest, false_times_make_no_session_old) {
    tree({"ROOT/f=0123456789"});
    std::string path;
    {
        JournaledTree session = open();
        path = session_path(session);
        EXPECT_TRUE(session.remove("f"));
    }
    { const JournaledTree looks_for_old_ones = open(); }
    const std::array<timespec, 2> long_ago{};
    for (const std::string& file : {path + "/log", path + "/info", ws(".paddock/pruned")}) {
        EXPECT_EQ(::utimensat(AT_FDCWD, file.c_str(), long_ago.data(), 0), 0) << file;
    }
    JournaledTree next = open();
    EXPECT_TRUE(os_exists(path));
    const auto now = std::chrono::system_clock::now();
    EXPECT_EQ(prune(next.workspace(), now, {}).value().sessions, 0U);
}

TEST_F(JournalTest, files_of_the_session_take_no_room_from_those_of_the_owner) {
    tree({"ROOT/notes=precious"});
    JournaledTree session = open();
    EXPECT_TRUE(session.make_file("holes", "x"));
    ASSERT_EQ(::truncate(ws("holes").c_str(), std::int64_t{3} << 30), 0);
    EXPECT_TRUE(session.make_file("data", std::string(1 << 20, 'x')));
    session.journal().end_call(session.call);
    session.call = session.journal().begin_call("bash", "rm");
    EXPECT_TRUE(session.remove("holes"));
    EXPECT_TRUE(session.remove("data"));
    EXPECT_TRUE(session.remove("notes"));
    EXPECT_EQ(counts(session.journal().end_call(session.call)),
              "0 made, 0 changed, 3 removed, 0 not kept");
}

TEST_F(JournalTest, a_file_that_was_closed_before_is_kept) {
    tree({"ROOT/notes=precious"});
    JournaledTree session = open();
    EXPECT_TRUE(session.chmod("notes", 0200));
    const std::size_t before = kept(session).size();
    {
        const Turn turn(session.journal());
        const UniqueFd root(::open(ws().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        const auto node = sys::node_at(root.get(), "notes");
        ASSERT_TRUE(node);
        EXPECT_TRUE(session.journal().will_write(session.call, {root.get(), "notes", "notes"}, -1,
                                                 node->stat));
    }
    EXPECT_EQ(kept(session).size(), before + 1);
    EXPECT_EQ(session.journal().end_call(session.call).not_kept, 0U);
    struct stat found = {};
    ASSERT_EQ(::stat(ws("notes").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0200U);
}

TEST_F(JournalTest, prunes_trees_whatever_their_modes) {
    tree({"ROOT/d/e/f=x"});
    std::string path;
    {
        JournaledTree session = open();
        path = session_path(session);
        EXPECT_TRUE(session.chmod("d/e", 0));
        EXPECT_TRUE(session.remove_tree("d"));
    }
    EXPECT_FALSE(os_exists(ws("d")));
    const UniqueFd workspace(::open(ws().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    PruneLimits limits;
    limits.bytes_max = 0;
    const auto pruned = prune(workspace.get(), std::chrono::system_clock::now(), limits);
    EXPECT_EQ(pruned.value().sessions, 1U);
    EXPECT_FALSE(os_exists(path));
}

}  // namespace
