#include "journal/history.h"

#include <fcntl.h>

#include "journal/timeline.h"
#include "testing/jail.h"
#include "testing/journaled_tree.h"

using namespace paddock;
using namespace paddock::journal;
using namespace paddock::testing;

namespace {

class HistoryTest : public Jail {
protected:
    Timeline timeline() const { return Timeline::read(workspace_of(ws()).get()).value(); }

    static UniqueFd workspace_of(const std::string& path) {
        return UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    static std::string describe(const std::vector<NameChange>& names) {
        static constexpr const char* kWords[] = {"made", "changed", "moved", "removed"};
        std::string text;
        for (const NameChange& name : names) {
            text += std::string(kWords[static_cast<int>(name.what)]) + ' ' + name.path +
                    (name.from.empty() ? "" : " from " + name.from) + '\n';
        }
        return text;
    }
    std::string log_path(JournaledTree& made) const {
        return ws(".paddock/" + made.journal().session() + "/log");
    }
};

TEST_F(HistoryTest, without_a_journal_nothing_happened) {
    EXPECT_TRUE(history_of(timeline()).empty());
    EXPECT_FALSE(os_exists(ws(".paddock"))) << "looking makes nothing";
}

TEST_F(HistoryTest, names_what_each_call_changed) {
    tree({"ROOT/a=x", "ROOT/b=x", "ROOT/c=x", "ROOT/d/e=x"});
    JournaledTree made(ws(), {"claude-code", {}});
    made.call = made.journal().begin_call("bash", "make");
    EXPECT_TRUE(made.replace("a", "y"));
    EXPECT_TRUE(made.remove("b"));
    EXPECT_TRUE(made.rename("c", "f"));
    EXPECT_TRUE(made.make_file("t", "x"));
    EXPECT_TRUE(made.remove("t"));
    made.journal().end_call(made.call);
    made.journal().begin_call("read_file", "a");
    made.call = made.journal().begin_call("bash", "rm -r d");
    EXPECT_TRUE(made.remove_tree("d"));

    const auto sessions = history_of(timeline());
    ASSERT_EQ(sessions.size(), 1U);
    EXPECT_EQ(sessions[0].client, "claude-code");
    // Named again, in as many lines as it has.
    made.journal().name_client("cur\nundone x\nsor");
    const auto named = history_of(timeline());
    EXPECT_EQ(named[0].client, "cur undone x sor");
    EXPECT_TRUE(named[0].undoes.empty());
    EXPECT_TRUE(sessions[0].live);
    ASSERT_EQ(sessions[0].calls.size(), 2U) << "a call that changed nothing is left out";
    const CallHistory& first = sessions[0].calls[0];
    EXPECT_EQ(describe(first.names), "changed a\nremoved b\nmoved f from c\n");
    EXPECT_EQ(first.tool, "bash");
    EXPECT_EQ(first.detail, "make");
    EXPECT_TRUE(first.is_over);
    EXPECT_EQ(first.changes.changed, 2U);
    const CallHistory& second = sessions[0].calls[1];
    EXPECT_EQ(second.id, 3U);
    EXPECT_FALSE(second.is_over);
    EXPECT_EQ(second.changes.removed, 1U) << "counted although it has not ended";
}

TEST_F(HistoryTest, follows_a_file_through_its_names) {
    tree({"ROOT/d/f=x"});
    JournaledTree made(ws(), {});
    const auto call = [&](const char* detail, const std::function<void()>& change) {
        made.call = made.journal().begin_call("bash", detail);
        change();
        made.journal().end_call(made.call);
    };
    call("write", [&] { EXPECT_TRUE(made.write("d/f", "1")); });
    call("other", [&] { EXPECT_TRUE(made.make_file("g", "1")); });
    call("move", [&] { EXPECT_TRUE(made.rename("d", "e")); });
    call("replace", [&] { EXPECT_TRUE(made.replace("e/f", "2")); });
    call("remove", [&] { EXPECT_TRUE(made.remove_tree("e")); });
    std::string text;
    for (const FileChange& change : changes_of_file(timeline(), "e/f")) {
        text += std::to_string(change.call) + ' ' + change.detail + ' ' + change.path + '\n';
    }
    EXPECT_EQ(text, "1 write d/f\n3 move e/f\n4 replace e/f\n5 remove e/f\n");
    EXPECT_TRUE(changes_of_file(timeline(), "nothing").empty());
}

TEST_F(HistoryTest, garbage_in_a_log_is_left_out) {
    JournaledTree made(ws(), {});
    made.call = made.journal().begin_call("bash", "");
    EXPECT_TRUE(made.make_file("f", "x"));
    made.journal().end_call(made.call);
    const std::string whole = os_read(log_path(made)).value();
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        os_write(log_path(made), whole.substr(0, size) + "\n\xff\xff garbage\n" + whole);
        const auto sessions = history_of(timeline());
        ASSERT_EQ(sessions.size(), 1U) << size;
    }
    os_write(log_path(made), std::string(100'000, '\0'));
    EXPECT_TRUE(history_of(timeline()).empty());
}

TEST_F(HistoryTest, versions_are_those_before_and_after_a_call) {
    tree({"ROOT/f=0", "ROOT/d/g=g"});
    JournaledTree made(ws(), {});
    for (const char* text : {"1", "2", "3"}) {
        made.call = made.journal().begin_call("bash", "");
        EXPECT_TRUE(made.write("f", text));
        EXPECT_TRUE(made.call != 2 || made.remove_tree("d"));
        made.journal().end_call(made.call);
    }
    const UniqueFd workspace = workspace_of(ws());
    const Timeline all = timeline();
    UndoTarget target{.session = made.journal().session(), .call = 2};
    const auto versions = versions_of(workspace.get(), all, target).value();
    ASSERT_EQ(versions.size(), 3U);
    const auto read = [&](const ModelNode& node) {
        return read_version(workspace.get(), node, 100).value();
    };
    EXPECT_EQ(read(versions.at("f").before), "1");
    EXPECT_EQ(read(versions.at("f").after), "2");
    EXPECT_EQ(read(versions.at("d/g").before), "g");
    EXPECT_EQ(versions.at("d/g").after.presence, Presence::kAbsent);
    target.call.reset();
    const auto whole = versions_of(workspace.get(), all, target).value();
    EXPECT_EQ(read(whole.at("f").before), "0");
    EXPECT_EQ(read(whole.at("f").after), "3");
}

}  // namespace
