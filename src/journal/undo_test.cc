#include "journal/undo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "escape/call_hook.h"
#include "journal/history.h"
#include "journal/place.h"
#include "journal/timeline.h"
#include "sys/files.h"
#include "sys/process.h"
#include "testing/jail.h"
#include "testing/journaled_tree.h"

using namespace paddock;
using namespace paddock::journal;
using namespace paddock::testing;

namespace {

namespace stdfs = std::filesystem;

class UndoTest : public Jail {
protected:
    UniqueFd workspace() const {
        return UniqueFd(::open(ws().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }

    static std::string describe(const UndoPlan& plan) {
        std::string text;
        for (const PlannedChange& change : plan.changes) {
            static constexpr const char* kWords[] = {"remove", "move", "restore", "put back",
                                                     "chmod"};
            text += std::string(kWords[static_cast<int>(change.what)]) + ' ' + change.path +
                    (change.from.empty() ? "" : " from " + change.from) + '\n';
        }
        return text + conflicts_of(plan);
    }
    static std::string conflicts_of(const UndoPlan& plan) {
        std::string text;
        for (const Conflict& conflict : plan.conflicts) {
            static constexpr const char* kWords[] = {"changed",   "removed",      "replaced",
                                                     "not empty", "no directory", "not kept",
                                                     "running",   "sealed"};
            text += "conflict " + conflict.path + ": " + kWords[static_cast<int>(conflict.why)];
            if (!conflict.by.empty()) {
                text += " by call " + conflict.by.substr(conflict.by.find('/') + 1);
            }
            text += '\n';
        }
        return text;
    }

    UndoPlan plan(const UndoTarget& target) const {
        const UniqueFd directory = workspace();
        const Timeline timeline = Timeline::read(directory.get()).value();
        return plan_undo(directory.get(), timeline, target).value();
    }
    std::optional<UndoTarget> last(Direction direction) const {
        const UniqueFd directory = workspace();
        const Timeline timeline = Timeline::read(directory.get()).value();
        return last_target(directory.get(), timeline, direction);
    }

    // What stood in the way, or nothing.
    std::string take_back(const UndoTarget& target) const {
        const UniqueFd directory = workspace();
        const UndoPlan made = plan(target);
        if (!made.conflicts.empty()) return conflicts_of(made);
        const auto done = perform_undo(directory.get(), made, "test");
        if (!done) return "failed: " + std::string(code_name(done.error().code)) + '\n';
        if (done->failure) {
            return "stopped at " + done->failed_path + ": " +
                   std::string(code_name(done->failure->code)) + ' ' +
                   std::to_string(done->failure->os_error) + '\n';
        }
        return {};
    }
    std::string undo(const std::string& session, std::optional<CallId> call = {},
                     std::vector<std::string> files = {}) const {
        return take_back({session, call, std::move(files)});
    }
    std::string undo() const {
        const auto target = last(Direction::kUndo);
        return target ? take_back(*target) : "nothing to undo\n";
    }
    std::string redo() const {
        const auto target = last(Direction::kRedo);
        return target ? take_back(*target) : "nothing to redo\n";
    }

    // Runs the changes as one call of a session, and gives its id.
    std::string session(const std::function<void(JournaledTree&)>& change) const {
        JournaledTree made(ws(), {"test", {}});
        made.call = made.journal().begin_call("bash", "x");
        change(made);
        made.journal().end_call(made.call);
        return made.journal().session();
    }

    // Undo brings back what was there, redo what was there after it, and both again.
    void expect_undoable(const std::function<void(JournaledTree&)>& change) const {
        const Snapshot before = snapshot_of(ws());
        session(change);
        const Snapshot after = snapshot_of(ws());
        EXPECT_NE(difference(before, after), "");
        for (int round = 0; round < 2; ++round) {
            EXPECT_EQ(undo(), "");
            EXPECT_EQ(difference(before, snapshot_of(ws())), "");
            EXPECT_EQ(redo(), "");
            EXPECT_EQ(difference(after, snapshot_of(ws())), "");
        }
    }
};

// --- each kind of change ---

TEST_F(UndoTest, makes) {
    expect_undoable([](JournaledTree& tree) {
        EXPECT_TRUE(tree.make_directory("d"));
        EXPECT_TRUE(tree.make_file("d/f", "x"));
        EXPECT_TRUE(tree.make_symlink("d/l", "/etc/passwd"));
        EXPECT_TRUE(tree.make_fifo("d/p"));
    });
}

TEST_F(UndoTest, writes_and_modes) {
    tree({"ROOT/f=old", "ROOT/g=old"});
    expect_undoable([](JournaledTree& tree) {
        EXPECT_TRUE(tree.write("f", "new"));
        EXPECT_TRUE(tree.write("f", "newer"));
        EXPECT_TRUE(tree.replace("g", "new"));
        EXPECT_TRUE(tree.chmod("f", 0600));
        EXPECT_TRUE(tree.chmod("f", 04755));
    });
}

TEST_F(UndoTest, renames_over_files_and_directories) {
    tree({"ROOT/f=one", "ROOT/g=two", "ROOT/d/x=x", "ROOT/e/"});
    expect_undoable([](JournaledTree& tree) {
        EXPECT_TRUE(tree.rename("f", "g"));
        EXPECT_TRUE(tree.rename("d", "e"));
        EXPECT_TRUE(tree.write("e/x", "y"));
        EXPECT_TRUE(tree.rename("e", "h"));
        EXPECT_TRUE(tree.rename("g", "h/g"));
    });
}

TEST_F(UndoTest, exchanges) {
    tree({"ROOT/f=one", "ROOT/g=two", "ROOT/d/x=x", "ROOT/l->f"});
    expect_undoable([](JournaledTree& tree) {
        EXPECT_TRUE(tree.exchange("f", "g"));
        EXPECT_TRUE(tree.exchange("d", "l"));
        EXPECT_TRUE(tree.remove("l/x"));
        EXPECT_TRUE(tree.make_file("own", "x"));
        EXPECT_TRUE(tree.exchange("f", "own"));
        EXPECT_TRUE(tree.remove("f"));
    });
}

TEST_F(UndoTest, hard_links) {
    tree({"ROOT/f=one", "ROOT/d/"});
    ASSERT_EQ(::link(ws("f").c_str(), ws("d/g").c_str()), 0);
    expect_undoable([](JournaledTree& tree) {
        EXPECT_TRUE(tree.link("f", "h"));
        EXPECT_TRUE(tree.write("h", "two"));
        EXPECT_TRUE(tree.remove("f"));
        EXPECT_TRUE(tree.replace("d/g", "three"));
    });
}

TEST_F(UndoTest, removed_trees_and_directories) {
    tree({"ROOT/d/e/f=x", "ROOT/d/e/g=x", "ROOT/empty/", "ROOT/l->d"});
    ::chmod(ws("empty").c_str(), 0711);
    expect_undoable([](JournaledTree& tree) {
        EXPECT_TRUE(tree.remove("l"));
        EXPECT_TRUE(tree.chmod("empty", 0700));
        EXPECT_TRUE(tree.remove("empty"));
        EXPECT_TRUE(tree.remove("d/e/f"));
        EXPECT_TRUE(tree.remove_tree("d"));
        EXPECT_TRUE(tree.make_file("d", "a file now"));
    });
}

TEST_F(UndoTest, a_file_that_had_no_name) {
    expect_undoable([](JournaledTree& tree) {
        const Turn turn(tree.journal());
        const UniqueFd file(
            ::openat(tree.workspace(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0640));
        if (!file.valid()) GTEST_SKIP() << "this file system has no files without a name";
        const Name name{tree.workspace(), "named", "named"};
        auto intent = tree.journal().will_make(tree.call, name, FileType::kRegular);
        ASSERT_TRUE(intent);
        const std::string path = "/proc/self/fd/" + std::to_string(file.get());
        ASSERT_EQ(::linkat(AT_FDCWD, path.c_str(), tree.workspace(), "named", AT_SYMLINK_FOLLOW),
                  0);
        intent->made(sys::node(file.get()).value().stat);
    });
}

TEST_F(UndoTest, what_a_call_made_and_removed_is_nothing) {
    tree({"ROOT/f=old"});
    const std::string id = session([](JournaledTree& tree) {
        EXPECT_TRUE(tree.make_file("t", "x"));
        EXPECT_TRUE(tree.rename("t", "u"));
        EXPECT_TRUE(tree.chmod("u", 0600));
        EXPECT_TRUE(tree.remove("u"));
    });
    EXPECT_EQ(describe(plan({id})), "");
    EXPECT_EQ(undo(), "nothing to undo\n");
}

TEST_F(UndoTest, what_was_not_kept_is_named) {
    tree({"ROOT/f=old", "ROOT/g=old"});
    ASSERT_EQ(::truncate(ws("f").c_str(), (std::int64_t{64} << 20) + 1), 0);
    const std::string id = session([](JournaledTree& tree) {
        EXPECT_TRUE(tree.write("f", "new"));
        EXPECT_TRUE(tree.write("g", "new"));
    });
    EXPECT_EQ(undo(id), "conflict f: not kept\n");
    EXPECT_EQ(os_read(ws("g")), "new") << "nothing is done by half";
    EXPECT_EQ(undo(id, {}, {"g"}), "");
    EXPECT_EQ(os_read(ws("g")), "old");
}

TEST_F(UndoTest, a_replacement_that_failed_is_nothing) {
    tree({"ROOT/f=old", "ROOT/full/x=x", "ROOT/g=g"});
    JournaledTree made(ws(), {});
    const auto call = [&](const std::function<void()>& change) {
        made.call = made.journal().begin_call("bash", "");
        change();
        made.journal().end_call(made.call);
    };
    call([&] { EXPECT_TRUE(made.replace("f", "new")); });
    call([&] {
        EXPECT_FALSE(made.rename("full", "f"));
        EXPECT_TRUE(made.write("g", "new"));
    });
    call([&] { EXPECT_TRUE(made.remove("f")); });
    const std::string id = made.journal().session();
    EXPECT_EQ(describe(plan({id, 2})), "put back g\n");
    EXPECT_EQ(undo(id, 2), "");
    EXPECT_EQ(undo(id), "");
    EXPECT_EQ(os_read(ws("f")), "old");
}

// --- what is planned ---

TEST_F(UndoTest, says_removals_first) {
    tree({"ROOT/a=x", "ROOT/gone=x", "ROOT/moved=x", "ROOT/mode=x"});
    const std::string id = session([](JournaledTree& tree) {
        EXPECT_TRUE(tree.write("a", "y"));
        EXPECT_TRUE(tree.remove("gone"));
        EXPECT_TRUE(tree.rename("moved", "here"));
        EXPECT_TRUE(tree.chmod("mode", 0600));
        EXPECT_TRUE(tree.make_file("z", "x"));
    });
    EXPECT_EQ(describe(plan({id})),
              "remove z\nput back a\nrestore gone\nchmod mode\nmove moved from here\n");
}

TEST_F(UndoTest, undo_goes_back_and_redo_forth) {
    const Snapshot zero = snapshot_of(ws());
    std::vector<Snapshot> states{zero};
    for (int i = 0; i < 3; ++i) {
        session([&](JournaledTree& tree) {
            EXPECT_TRUE(tree.make_file("f" + std::to_string(i), "x"));
            EXPECT_TRUE(i == 0 || tree.write("f0", std::to_string(i)));
        });
        states.push_back(snapshot_of(ws()));
    }
    for (int round = 0; round < 2; ++round) {
        for (int i = 2; i >= 0; --i) {
            EXPECT_EQ(undo(), "");
            EXPECT_EQ(difference(states[static_cast<std::size_t>(i)], snapshot_of(ws())), "");
        }
        EXPECT_EQ(undo(), "nothing to undo\n");
        for (std::size_t i = 1; i <= 3; ++i) {
            EXPECT_EQ(redo(), "");
            EXPECT_EQ(difference(states[i], snapshot_of(ws())), "");
        }
        EXPECT_EQ(redo(), "nothing to redo\n");
    }
}

// --- in the way ---

TEST_F(UndoTest, refuses_what_the_owner_changed) {
    tree({"ROOT/written=old", "ROOT/removed=old", "ROOT/replaced=old", "ROOT/fine=old"});
    const std::string id = session([](JournaledTree& tree) {
        for (const char* name : {"written", "removed", "replaced", "fine"}) {
            EXPECT_TRUE(tree.write(name, "new"));
        }
        EXPECT_TRUE(tree.make_directory("d"));
        EXPECT_TRUE(tree.make_file("made", "new"));
        EXPECT_TRUE(tree.make_file("made-and-gone", "new"));
    });
    os_write(ws("written"), "owner's");
    stdfs::remove(ws("removed"));
    stdfs::remove(ws("replaced"));
    stdfs::remove(ws("made-and-gone"));
    tree({"ROOT/replaced=owner's", "ROOT/d/owners=x"});
    os_write(ws("made"), "owner's");
    const Snapshot now = snapshot_of(ws());
    EXPECT_EQ(undo(id),
              "conflict d/owners: not empty\nconflict made: changed\nconflict removed: removed\n"
              "conflict replaced: replaced\nconflict written: changed\n");
    EXPECT_EQ(difference(now, snapshot_of(ws())), "");
    EXPECT_EQ(undo(id, {}, {"fine"}), "");
    EXPECT_EQ(os_read(ws("fine")), "old");
    EXPECT_EQ(os_read(ws("written")), "owner's");
}

TEST_F(UndoTest, refuses_what_the_owner_changed_between_two_calls) {
    tree({"ROOT/f=old"});
    JournaledTree made(ws(), {});
    made.call = made.journal().begin_call("bash", "");
    EXPECT_TRUE(made.write("f", "first"));
    made.journal().end_call(made.call);
    ::usleep(20'000);  // a tick of the file system's clock
    os_write(ws("f"), "owner");
    made.call = made.journal().begin_call("bash", "");
    EXPECT_TRUE(made.write("f", "second"));
    made.journal().end_call(made.call);
    EXPECT_EQ(undo(made.journal().session()), "conflict f: changed\n");
    EXPECT_EQ(undo(made.journal().session(), 2), "");
    EXPECT_EQ(os_read(ws("f")), "owner");
}

TEST_F(UndoTest, refuses_what_a_later_call_changed) {
    tree({"ROOT/f=0", "ROOT/g=0"});
    JournaledTree made(ws(), {});
    for (const char* text : {"1", "2"}) {
        made.call = made.journal().begin_call("bash", "");
        EXPECT_TRUE(made.write("f", text));
        EXPECT_TRUE(made.call != 1 || made.write("g", text));
        made.journal().end_call(made.call);
    }
    const std::string id = made.journal().session();
    EXPECT_EQ(undo(id, 1), "conflict f: changed by call 2\n");
    EXPECT_EQ(undo(id, 1, {"g"}), "");
    EXPECT_EQ(os_read(ws("g")), "0");
    EXPECT_EQ(undo(id, 2), "");
    EXPECT_EQ(os_read(ws("f")), "1");
    EXPECT_EQ(undo(id, 1), "") << "what comes after it was taken back";
    EXPECT_EQ(os_read(ws("f")), "0");
}

TEST_F(UndoTest, refuses_a_call_that_is_running) {
    JournaledTree made(ws(), {});
    made.call = made.journal().begin_call("bash", "");
    EXPECT_TRUE(made.make_file("f", "x"));
    EXPECT_EQ(undo(made.journal().session()), "conflict f: running by call 1\n");
    made.journal().end_call(made.call);
    EXPECT_EQ(undo(made.journal().session()), "");
    EXPECT_FALSE(os_exists(ws("f")));
}

// A session that runs remembers where settings of git lead.
TEST_F(UndoTest, is_counted_for_sessions_that_run) {
    tree({"ROOT/f=old"});
    const std::string id = session([](JournaledTree& tree) { EXPECT_TRUE(tree.write("f", "n")); });
    JournaledTree running(ws(), {});
    const std::uint64_t before = running.journal().shared_count();
    EXPECT_EQ(undo(id), "");
    EXPECT_NE(running.journal().shared_count(), before);
}

TEST_F(UndoTest, a_session_is_live_until_it_ends) {
    const UniqueFd directory = workspace();
    EXPECT_FALSE(is_any_session_live(directory.get()));
    {
        const JournaledTree running(ws(), {});
        EXPECT_TRUE(is_any_session_live(directory.get()));
    }
    EXPECT_FALSE(is_any_session_live(directory.get()));
    const JournaledTree undo(ws(), {"paddock undo", "20261118-065712-3f2a"});
    EXPECT_FALSE(is_any_session_live(directory.get())) << "it runs no commands";
}

TEST_F(UndoTest, refuses_when_the_plan_has_changed) {
    tree({"ROOT/f=old"});
    const std::string id = session([](JournaledTree& tree) { EXPECT_TRUE(tree.write("f", "n")); });
    const UndoPlan made = plan({id});
    os_write(ws("f"), "owner's");
    const UniqueFd directory = workspace();
    const auto done = perform_undo(directory.get(), made, "test");
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code, Code::kRace);
    EXPECT_EQ(os_read(ws("f")), "owner's");
}

TEST_F(UndoTest, never_goes_through_a_link) {
    tree({"ROOT/d/f=old", "OUT/f=secret"});
    const std::string id = session([](JournaledTree& tree) {
        EXPECT_TRUE(tree.write("d/f", "new"));
        EXPECT_TRUE(tree.make_file("d/g", "new"));
    });
    stdfs::rename(ws("d"), ws("away"));
    tree({"ROOT/d->@/OUT"});
    const auto there = os_list(out());
    EXPECT_NE(undo(id), "");
    EXPECT_EQ(os_read(out("f")), "secret");
    EXPECT_EQ(os_list(out()), there);
}

// As the commands of an ordinary user do it: root may search any directory.
TEST_F(UndoTest, a_directory_that_was_closed_is_undone) {
    tree({"ROOT/keep/x=old"});
    expect_undoable([](JournaledTree& made) {
        EXPECT_TRUE(made.make_directory("g"));
        EXPECT_TRUE(made.make_file("g/f", "x"));
        EXPECT_TRUE(made.remove("g/f"));
        EXPECT_TRUE(made.chmod("g", 0444));
        EXPECT_TRUE(made.remove("keep/x"));
    });
}

// A directory's many names are not remembered for each file in it.
TEST_F(UndoTest, costs_no_name_for_each_move_of_a_directory) {
    constexpr int kFiles = 300;
    constexpr int kMoves = 600;
    stdfs::create_directory(ws("d0"));
    for (int i = 0; i < kFiles; ++i) os_write(ws("d0/" + std::to_string(i)), "x");
    const Snapshot before = snapshot_of(ws());
    const std::string id = session([](JournaledTree& made) {
        for (int i = 0; i < kMoves; ++i) {
            EXPECT_TRUE(made.rename("d" + std::to_string(i), "d" + std::to_string(i + 1)));
        }
        const std::string last = "d" + std::to_string(kMoves) + '/';
        for (int i = 0; i < kFiles; ++i) EXPECT_TRUE(made.remove(last + std::to_string(i)));
    });
    const UniqueFd directory = workspace();
    const Timeline timeline = Timeline::read(directory.get()).value();
    Rewinder rewinder(directory.get(), timeline);
    rewinder.begin_comparing();
    const auto& entries = timeline.entries();
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        rewinder.take_back(*entry, std::string(entry->record->path),
                           std::string(entry->record->other));
    }
    EXPECT_LT(rewinder.compared().size(), std::size_t{kMoves + 3 * kFiles});
    EXPECT_EQ(undo(id), "");
    EXPECT_EQ(difference(before, snapshot_of(ws())), "");
}

// --- objects of git ---

// As git does it.
void store(JournaledTree& made, const std::string& objects, const std::string& name) {
    const std::string directory = objects + name.substr(0, 2);
    made.make_directory(directory);  // if it is not there
    EXPECT_TRUE(made.make_file(directory + "/tmp_obj_x", name));
    EXPECT_TRUE(made.link(directory + "/tmp_obj_x", objects + name));
    EXPECT_TRUE(made.remove(directory + "/tmp_obj_x"));
}
void pack(JournaledTree& made, const std::string& objects, const std::string& name) {
    EXPECT_TRUE(made.make_file(objects + "pack/tmp_pack_x", name));
    EXPECT_TRUE(made.chmod(objects + "pack/tmp_pack_x", 0444));
    EXPECT_TRUE(made.rename(objects + "pack/tmp_pack_x", objects + "pack/.tmp-1-" + name));
    EXPECT_TRUE(made.rename(objects + "pack/.tmp-1-" + name, objects + "pack/" + name));
}

TEST_F(UndoTest, objects_of_git_stay) {
    tree({"ROOT/.git/refs/heads/", "ROOT/.git/HEAD=ref: refs/heads/main\n",
          "ROOT/.git/objects/pack/", "ROOT/.git/objects/cd/old=old", "ROOT/g/objects/ab/plain=x"});
    const auto objects = [&] {
        Snapshot all = snapshot_of(ws());
        std::erase_if(all, [](const auto& each) {
            return each.first.find(".git/objects/") == std::string::npos;
        });
        return all;
    };
    const std::string id = session([](JournaledTree& made) {
        store(made, ".git/objects/", "ab/one");
        pack(made, ".git/objects/", "pack-1.pack");
        EXPECT_TRUE(made.make_file(".git/refs/heads/s", "one"));
        EXPECT_TRUE(made.make_file("g/objects/ab/new", "x"));
    });
    const Snapshot after = snapshot_of(ws());
    const Snapshot stored = objects();
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(undo(), "");
        EXPECT_FALSE(os_exists(ws(".git/refs/heads/s")));
        EXPECT_FALSE(os_exists(ws("g/objects/ab/new"))) << "no repository";
        EXPECT_EQ(difference(stored, objects()), "");
        EXPECT_EQ(redo(), "");
        EXPECT_EQ(difference(after, snapshot_of(ws())), "");
    }
    // What the owner removed meanwhile is in no way.
    stdfs::remove(ws(".git/objects/ab/one"));
    EXPECT_EQ(undo(), "");
}

TEST_F(UndoTest, objects_that_a_session_took_away_come_back) {
    tree({"ROOT/.git/refs/", "ROOT/.git/HEAD=ref: refs/heads/main\n",
          "ROOT/.git/objects/cd/removed=old", "ROOT/.git/objects/cd/replaced=old",
          "ROOT/.git/objects/cd/moved=old", "ROOT/.git/objects/cd/written=old",
          "ROOT/.git/objects/cd/out=old"});
    const Snapshot before = snapshot_of(ws());
    session([](JournaledTree& made) {
        EXPECT_TRUE(made.remove(".git/objects/cd/removed"));
        EXPECT_TRUE(made.replace(".git/objects/cd/replaced", "new"));
        EXPECT_TRUE(made.rename(".git/objects/cd/moved", ".git/objects/cd/there"));
        EXPECT_TRUE(made.write(".git/objects/cd/written", "new"));
        EXPECT_TRUE(made.rename(".git/objects/cd/out", "out"));
    });
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(undo(), "");
        EXPECT_EQ(difference(before, snapshot_of(ws())), "");
        EXPECT_EQ(redo(), "");
        EXPECT_EQ(difference(before, snapshot_of(ws())),
                  "differs: .git/objects/cd/written: 100644 new, not 100644 old\n")
            << "the owner may need the others by now";
    }
    // Nor is the owner's own taken out of a store.
    tree({"ROOT/in=old"});
    const std::string id =
        session([](JournaledTree& made) { EXPECT_TRUE(made.rename("in", ".git/objects/cd/in")); });
    EXPECT_EQ(undo(id), "conflict .git/objects/cd/in: sealed\n");
}

TEST_F(UndoTest, objects_go_with_their_repository) {
    const Snapshot before = snapshot_of(ws());
    JournaledTree made(ws(), {});
    const auto call = [&](const std::function<void()>& change) {
        made.call = made.journal().begin_call("bash", "");
        change();
        made.journal().end_call(made.call);
        return snapshot_of(ws());
    };
    const Snapshot first = call([&] {
        for (const char* each : {"r", "r/refs", "r/objects", "r/objects/pack"}) {
            EXPECT_TRUE(made.make_directory(each));
        }
        EXPECT_TRUE(made.make_file("r/HEAD", "ref: refs/heads/main\n"));
        store(made, "r/objects/", "ab/one");
        pack(made, "r/objects/", "pack-1.pack");
    });
    const Snapshot second = call([&] {
        store(made, "r/objects/", "ab/two");
        store(made, "r/objects/", "cd/three");
        pack(made, "r/objects/", "pack-2.pack");
        EXPECT_TRUE(made.make_file("r/refs/s", "two"));
    });
    const std::string id = made.journal().session();
    EXPECT_EQ(undo(id), "");
    EXPECT_EQ(difference(before, snapshot_of(ws())), "");
    EXPECT_EQ(redo(), "");
    EXPECT_EQ(difference(second, snapshot_of(ws())), "");
    EXPECT_NE(undo(id, 1), "") << "the objects of call 2 are in use";
    EXPECT_EQ(difference(second, snapshot_of(ws())), "");
    EXPECT_EQ(undo(id, 2), "");
    EXPECT_TRUE(os_exists(ws("r/objects/ab/two")));
    EXPECT_FALSE(os_exists(ws("r/refs/s")));
    EXPECT_EQ(undo(id, 1), "");
    EXPECT_EQ(difference(before, snapshot_of(ws())), "");
    EXPECT_EQ(redo(), "");
    EXPECT_EQ(redo(), "");
    EXPECT_EQ(difference(second, snapshot_of(ws())), "");
}

// --- files ---

TEST_F(UndoTest, takes_back_only_the_files_named) {
    tree({"ROOT/a/1=old", "ROOT/a/2=old", "ROOT/b/1=old", "ROOT/moved=old"});
    const std::string id = session([](JournaledTree& tree) {
        EXPECT_TRUE(tree.replace("a/1", "new"));
        EXPECT_TRUE(tree.write("a/2", "new"));
        EXPECT_TRUE(tree.write("b/1", "new"));
        EXPECT_TRUE(tree.rename("moved", "there"));
        EXPECT_TRUE(tree.write("there", "new"));
        EXPECT_TRUE(tree.make_file("a/3", "new"));
    });
    EXPECT_EQ(undo(id, {}, {"a/1"}), "");
    EXPECT_EQ(os_read(ws("a/1")), "old");
    EXPECT_FALSE(os_exists(ws("a/1.new")));
    EXPECT_EQ(undo(id, {}, {"a"}), "");
    EXPECT_EQ(os_list(ws("a")).size(), 2U);
    EXPECT_EQ(os_read(ws("b/1")), "new");
    EXPECT_EQ(undo(id, {}, {"there"}), "");
    EXPECT_EQ(os_read(ws("moved")), "old");
    EXPECT_EQ(undo(id), "") << "the rest";
    EXPECT_EQ(os_read(ws("b/1")), "old");
    EXPECT_EQ(undo(), "nothing to undo\n");
    for (int i = 0; i < 4; ++i) EXPECT_EQ(redo(), "");
    EXPECT_EQ(os_read(ws("there")), "new");
    EXPECT_EQ(os_read(ws("a/1")), "new");
}

TEST_F(UndoTest, a_removed_file_comes_back_with_its_directory) {
    tree({"ROOT/d/e/f=old", "ROOT/d/e/g=old"});
    const std::string id = session([](JournaledTree& tree) {
        EXPECT_TRUE(tree.remove("d/e/f"));
        EXPECT_TRUE(tree.remove("d/e/g"));
        EXPECT_TRUE(tree.remove("d/e"));
        EXPECT_TRUE(tree.remove("d"));
    });
    EXPECT_EQ(undo(id, {}, {"d/e/f"}), "");
    EXPECT_EQ(os_read(ws("d/e/f")), "old");
    EXPECT_FALSE(os_exists(ws("d/e/g")));
}

TEST_F(UndoTest, finds_a_file_in_a_directory_that_moved_later) {
    tree({"ROOT/d/f=old"});
    JournaledTree made(ws(), {});
    made.call = made.journal().begin_call("bash", "");
    EXPECT_TRUE(made.write("d/f", "new"));
    made.journal().end_call(made.call);
    made.call = made.journal().begin_call("bash", "");
    EXPECT_TRUE(made.rename("d", "e"));
    made.journal().end_call(made.call);
    EXPECT_EQ(undo(made.journal().session(), 1), "");
    EXPECT_EQ(os_read(ws("e/f")), "old");
}

// --- killed, damaged ---

TEST_F(UndoTest, a_cut_log_is_undone_as_far_as_it_goes) {
    tree({"ROOT/f=old", "ROOT/g=old"});
    const Snapshot before = snapshot_of(ws());
    const std::string id = session([](JournaledTree& tree) {
        EXPECT_TRUE(tree.write("f", "new"));
        EXPECT_TRUE(tree.remove("g"));
    });
    const std::string log = ws(".paddock/" + id + "/log");
    std::string text = os_read(log).value();
    // The states and the end of the call are lost, and there is garbage.
    text.resize(text.find(" state "));
    os_write(log, text + "\n\0 garbage \xff\n1 a 1 make ../../x - 0 0 0 0 f 0 0 0 - - ;\n");
    EXPECT_EQ(undo(id), "");
    EXPECT_EQ(difference(before, snapshot_of(ws())), "");
    EXPECT_EQ(redo(), "");
    EXPECT_EQ(os_read(ws("f")), "new");
    EXPECT_FALSE(os_exists(ws("g")));
}

TEST_F(UndoTest, what_the_owner_wrote_after_a_kill_is_not_lost) {
    tree({"ROOT/f=old", "ROOT/g=old"});
    const pid_t child = sys::fork_process().value();
    if (child == 0) {
        JournaledTree made(ws(), {});
        made.call = made.journal().begin_call("bash", "");
        const bool good = made.write("f", "new") && made.write("g", "new");
        if (good) ::kill(::getpid(), SIGKILL);
        ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ::usleep(400'000);
    os_write(ws("f"), "new, and more");
    const std::string id = last(Direction::kUndo).value().session;
    EXPECT_EQ(undo(id), "conflict f: changed\n");
    EXPECT_EQ(undo(id, {}, {"g"}), "");
    EXPECT_EQ(os_read(ws("f")), "new, and more");
    EXPECT_EQ(os_read(ws("g")), "old");
}

TEST_F(UndoTest, paths_of_a_log_never_lead_out_or_into_the_journal) {
    tree({"OUT/f=secret"});
    const std::string id =
        session([](JournaledTree& tree) { EXPECT_TRUE(tree.make_file("f", "x")); });
    std::string lines;
    const std::vector<std::string> paths = {"../OUT/f",      "/etc/passwd",
                                            "a/../../OUT/f", ".paddock/lock",
                                            ".paddock",      ".paddock/" + id + "/log"};
    for (const std::string& path : paths) {
        Record record;
        record.call = 1;
        record.verb = Verb::kRemove;
        record.path = path;
        record.keeping = Keeping::kInode;
        record.kept = "../../../../OUT/f";
        append_line(lines, record);
        record.kept = "a1";
        append_line(lines, record);
    }
    const std::string log = ws(".paddock/" + id + "/log");
    os_write(log, os_read(log).value() + lines);
    EXPECT_EQ(describe(plan({id})), "remove f\n");
}

TEST_F(UndoTest, stops_at_a_step_that_fails_and_can_be_taken_back) {
    tree({"ROOT/f=x", "ROOT/g=x", "ROOT/h=x"});
    const Snapshot before = snapshot_of(ws());
    const std::string id = session([](JournaledTree& tree) {
        for (const char* name : {"f", "g", "h"}) EXPECT_TRUE(tree.remove(name));
    });
    const Snapshot after = snapshot_of(ws());
    std::string stopped;
    for (int failing = 1;; ++failing) {
        int renames = 0;
        std::string answer;
        {
            const CallHook hook([&](sys::Call call) {
                const bool fails = call == sys::Call::kRename && ++renames == failing;
                return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
            });
            answer = undo(id);
        }
        if (answer.empty()) break;
        // Before the first step: the undo gets a session of its own.
        if (answer != "failed: io_error\n") {
            stopped += answer;
            if (os_exists(ws("h"))) {
                EXPECT_EQ(redo(), "");
            }
        }
        EXPECT_EQ(difference(after, snapshot_of(ws())), "");
    }
    EXPECT_EQ(stopped,
              "stopped at h: io_error 5\nstopped at g: io_error 5\nstopped at f: io_error 5\n");
    EXPECT_EQ(difference(before, snapshot_of(ws())), "");
    EXPECT_EQ(redo(), "");
    EXPECT_EQ(undo(id), "");
    EXPECT_EQ(difference(before, snapshot_of(ws())), "");
}

// What is not recorded is not changed, and neither this session nor one before it is lost.
TEST_F(UndoTest, a_full_log_refuses_changes_and_can_be_undone) {
    tree({"ROOT/f=old", "ROOT/g=old", "ROOT/h=old"});
    const std::string before =
        session([](JournaledTree& made) { EXPECT_TRUE(made.write("f", "new")); });
    std::string id;
    {
        JournaledTree made(ws(), {});
        id = made.journal().session();
        made.call = made.journal().begin_call("bash", "");
        EXPECT_TRUE(made.remove("g"));
        const Stat stat = sys::node_at(made.workspace(), "h").value().stat;
        const std::string name(4000, '\1');
        const Name long_name{made.workspace(), "h", name};
        Done done;
        std::size_t records = 0;
        while (done && ++records < 100'000) {
            const Turn turn(made.journal());
            const auto intent = made.journal().will_rename(made.call, long_name, long_name, stat);
            done = intent ? Done() : Done(intent.error());
        }
        ASSERT_FALSE(done.has_value());
        EXPECT_EQ(done.error().os_error, ENOSPC);
        EXPECT_EQ(done.error().reason, kLogIsFull);
        EXPECT_TRUE(made.journal().is_full());
        for (const char* each : {"1", "2", "3"}) made.make_file(each, "x");  // the last short ones
        while (made.chmod("h", 0600)) continue;
        EXPECT_FALSE(made.remove("h"));
        EXPECT_FALSE(made.write("h", "new"));
        EXPECT_EQ(os_read(ws("h")), "old") << "not changed without a record";
        EXPECT_EQ(made.journal().end_call(made.call).not_kept, 0U);
    }
    EXPECT_EQ(undo(id, {}, {"g"}), "");
    EXPECT_EQ(os_read(ws("g")), "old");
    EXPECT_EQ(undo(before), "") << "its log is read as well";
    EXPECT_EQ(os_read(ws("f")), "old");
}

// --- any sessions ---

// The same numbers everywhere.
class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    std::size_t below(std::size_t bound) { return engine_() % bound; }

private:
    std::mt19937 engine_;
};

std::string any_path(Random& random) {
    static const std::vector<std::string> kNames = {"a", "b", "c", "d d", "e\n"};
    std::string path = kNames[random.below(kNames.size())];
    while (random.below(3) == 0) path += '/' + kNames[random.below(kNames.size())];
    return path;
}

void change_something(JournaledTree& tree, Random& random) {
    const std::string path = any_path(random);
    const std::string other = any_path(random);
    const std::string text(random.below(40), static_cast<char>('a' + random.below(26)));
    constexpr std::uint32_t kModes[] = {0755, 0700, 0750, 0777, 0744};
    switch (random.below(14)) {
        case 0:
        case 1: tree.make_file(path, text); break;
        case 2:
        case 3: tree.make_directory(path); break;
        case 4: tree.make_symlink(path, other); break;
        case 5: tree.make_fifo(path); break;
        case 6: tree.write(path, text); break;
        case 7:
        case 8: tree.rename(path, other); break;
        case 9: tree.exchange(path, other); break;
        case 10: tree.link(path, other); break;
        case 11: tree.chmod(path, kModes[random.below(std::size(kModes))]); break;
        case 12: tree.remove(path); break;
        default: random.below(2) == 0 ? tree.remove_tree(path) : tree.replace(path, text);
    }
}

class UndoProperty : public UndoTest {
protected:
    static std::uint32_t sessions() {
        const char* asked = std::getenv("PADDOCK_UNDO_SESSIONS");
        return asked == nullptr ? 150 : static_cast<std::uint32_t>(std::atoi(asked));
    }

    void furnish(Random& random) {
        // In a call without a journal: what the owner had.
        for (int i = 0; i < 12; ++i) {
            const std::string path = ws(any_path(random));
            std::error_code ignored;
            if (random.below(2) == 0) {
                stdfs::create_directories(path, ignored);
            } else if (!stdfs::exists(path, ignored)) {
                stdfs::create_directories(stdfs::path(path).parent_path(), ignored);
                if (!ignored) os_write(path, "owner " + std::to_string(i));
            }
        }
    }
    // The logs, for whoever looks for the cause of a failure.
    std::string logs() const {
        std::string text;
        for (const std::string& id : os_list(ws(".paddock"))) {
            text += os_read(ws(".paddock/" + id + "/log")).value_or("") + '\n';
        }
        return text;
    }
    void clear() {
        for (const auto& each : stdfs::directory_iterator(ws())) stdfs::remove_all(each.path());
    }
};

TEST_F(UndoProperty, undo_and_redo_of_any_session) {
    for (std::uint32_t seed = 0; seed < sessions() && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        clear();
        Random random(seed);
        furnish(random);
        const Snapshot before = snapshot_of(ws());
        std::vector<Snapshot> calls;
        std::string id;
        {
            JournaledTree made(ws(), {});
            id = made.journal().session();
            for (std::size_t call = 1 + random.below(4); call > 0; --call) {
                made.call = made.journal().begin_call("bash", "");
                for (std::size_t i = random.below(12); i > 0; --i) change_something(made, random);
                made.journal().end_call(made.call);
                calls.push_back(snapshot_of(ws()));
            }
        }
        const Snapshot after = snapshot_of(ws());
        // The whole, twice; then call by call.
        for (int round = 0; round < 2; ++round) {
            if (!last(Direction::kUndo)) break;
            EXPECT_EQ(undo(), "");
            EXPECT_EQ(difference(before, snapshot_of(ws())), "") << logs();
            EXPECT_EQ(redo(), "");
            EXPECT_EQ(difference(after, snapshot_of(ws())), "") << logs();
        }
        if (!os_exists(ws(".paddock/" + id))) continue;
        for (std::size_t call = calls.size(); call > 0; --call) {
            EXPECT_EQ(undo(id, static_cast<CallId>(call)), "");
            const Snapshot& expected = call > 1 ? calls[call - 2] : before;
            EXPECT_EQ(difference(expected, snapshot_of(ws())), "") << "call " << call << logs();
        }
    }
}

TEST_F(UndoProperty, undo_after_a_kill_at_any_moment) {
    for (std::uint32_t seed = 0; seed < sessions() && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        clear();
        Random random(seed);
        furnish(random);
        const Snapshot before = snapshot_of(ws());
        const pid_t child = sys::fork_process().value();
        if (child == 0) {
            JournaledTree made(ws(), {});
            std::size_t left = random.below(40);
            made.between = [&left] {
                if (left-- == 0) ::kill(::getpid(), SIGKILL);
            };
            for (;;) {
                made.call = made.journal().begin_call("bash", "");
                for (std::size_t i = random.below(12); i > 0; --i) change_something(made, random);
                made.journal().end_call(made.call);
            }
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        const Snapshot after = snapshot_of(ws());
        if (!last(Direction::kUndo)) {
            EXPECT_EQ(difference(before, after), "");
            continue;
        }
        EXPECT_EQ(undo(), "");
        EXPECT_EQ(difference(before, snapshot_of(ws())), "") << logs();
        EXPECT_EQ(redo(), "");
        EXPECT_EQ(difference(after, snapshot_of(ws())), "") << logs();
    }
}

// A killed undo is finished by another, or taken back.
TEST_F(UndoProperty, an_undo_may_be_killed_too) {
    std::size_t halves = 0;
    for (std::uint32_t seed = 0; seed < sessions() && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        clear();
        Random random(seed);
        furnish(random);
        const Snapshot before = snapshot_of(ws());
        const std::string id = session([&](JournaledTree& tree) {
            for (std::size_t i = 4 + random.below(12); i > 0; --i) change_something(tree, random);
        });
        const Snapshot after = snapshot_of(ws());
        if (!last(Direction::kUndo)) continue;
        const pid_t child = sys::fork_process().value();
        if (child == 0) {
            const UndoPlan made = plan({id});
            const UniqueFd directory = workspace();
            // Only what changes something counts; the first few make the session.
            std::size_t left = 4 + random.below(24);
            const CallHook hook([&left](sys::Call call) {
                const bool changes = call == sys::Call::kWrite || call == sys::Call::kRename ||
                                     call == sys::Call::kMkdir || call == sys::Call::kChmod ||
                                     call == sys::Call::kTruncate ||
                                     call == sys::Call::kCopyRange || call == sys::Call::kUnlink;
                if (changes && left-- == 0) ::kill(::getpid(), SIGKILL);
                return sys::Fault{};
            });
            (void)perform_undo(directory.get(), made, "killed");
            ::_exit(0);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        const Snapshot half = snapshot_of(ws());
        halves += half != before && half != after ? 1U : 0U;
        if (random.below(2) == 0 && last(Direction::kRedo)) {
            EXPECT_EQ(redo(), "") << logs();
            EXPECT_EQ(difference(after, snapshot_of(ws())), "") << logs();
        }
        if (const std::string problem = undo(id); problem != "") ADD_FAILURE() << problem << logs();
        EXPECT_EQ(difference(before, snapshot_of(ws())), "") << logs();
    }
    EXPECT_GT(halves, sessions() / 10) << "hardly any undo was killed half way";
}

}  // namespace
