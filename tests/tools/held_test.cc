// Objects that are held, while somebody exchanges the directories above them: just before each
// system call of a file tool, and back before a later one, so that every race is hit for certain.
//
// The kernel lets a command rename a directory above what it holds, never the held thing itself; so
// that is all that happens here. Below node_modules the rules excuse what they restrict elsewhere.
#include <fcntl.h>
#include <stdio.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "escape/call_hook.h"
#include "escape/in_memory.h"
#include "policy/path_defaults.h"
#include "search/grep.h"
#include "tools/files.h"

namespace paddock::testing {
namespace {

using search::ProtectedPath;
using search::Protection;

class Held : public InMemory {
protected:
    void set_up() {
        for (const std::string& name : os_list(ws())) std::filesystem::remove_all(ws(name));
        tree({"ROOT/mine/server.key=KEYDATA", "ROOT/mine/.vscode/tasks.json=mine",
              "ROOT/mine/.vscode/d/f=mine", "ROOT/node_modules/p/server.key=PUBLIC",
              "ROOT/node_modules/p/.vscode/tasks.json=theirs",
              "ROOT/node_modules/p/.vscode/d/f=theirs", "ROOT/evil=evil"});
        held_.assign({held("mine/server.key", Protection::kHidden),
                      held("mine/.vscode", Protection::kReadOnly)});
    }

    ProtectedPath held(const char* path, Protection protection) const {
        ProtectedPath entry;
        entry.path = path;
        entry.protection = protection;
        entry.stat = root().lstat(path).value();
        entry.rule = "a rule";
        return entry;
    }

    void exchange() const {
        (void)::renameat2(AT_FDCWD, ws("mine").c_str(), AT_FDCWD, ws("node_modules/p").c_str(),
                          RENAME_EXCHANGE);
    }

    // Is all that is held as it was, wherever it is?
    void expect_kept() const {
        const bool is_away = os_read(ws("mine/server.key")) != "KEYDATA";
        const std::string at = is_away ? "node_modules/p" : "mine";
        EXPECT_EQ(os_read(ws(at + "/server.key")), "KEYDATA");
        EXPECT_EQ(os_read(ws(at + "/.vscode/tasks.json")), "mine");
        EXPECT_EQ(os_read(ws(at + "/.vscode/d/f")), "mine");
        EXPECT_EQ(os_list(ws(at + "/.vscode")), (std::vector<std::string>{"d", "tasks.json"}));
    }

    void attack(const char* name, const std::function<void()>& run) {
        for (const int gap : {0, 1, 2, 3}) {
            for (int n = 1, count = n; count >= n; ++n) {
                set_up();
                count = 0;
                {
                    const CallHook hook([&](sys::Call) {
                        ++count;
                        if (count == n || (gap > 0 && count == n + gap)) exchange();
                        return sys::Fault{};
                    });
                    run();
                }
                expect_kept();
                ASSERT_FALSE(HasFailure()) << name << ", before call " << n << ", gap " << gap;
            }
        }
    }

    tools::HeldObjects held_;
    policy::Meter meter_{{}};
    tools::DiskUse disk_{root(), ".", std::nullopt};
    tools::Files files_{
        root(), root({.symlinks = Symlinks::kReject}),
        {},     policy::PathRules::compile({}, policy::default_path_rules()).value(),
        held_,  meter_,
        disk_,  nullptr,
        nullptr};
};

constexpr const char* kKey = "node_modules/p/server.key";
constexpr const char* kSetting = "node_modules/p/.vscode/tasks.json";

// What a tool does that asks which object bears the name, and then uses the name.
TEST_F(Held, by_name_the_wrong_one_is_read) {
    bool leaked = false;
    at_every_call([&] { set_up(); }, [&] { exchange(); },
                  [&] {
                      const Root careless = root();
                      const auto judged = careless.lstat(kKey);
                      if (!judged || held_.hides(*judged)) return;
                      leaked = leaked || careless.read_file(kKey) == "KEYDATA";
                  });
    EXPECT_TRUE(leaked);
}

TEST_F(Held, nothing_else_is_refused) {
    set_up();
    EXPECT_EQ(files_.open(kKey).value().read_all(100).value(), "PUBLIC");
    EXPECT_TRUE(files_.commit(files_.prepare(kSetting).value(), "new"));
    EXPECT_TRUE(files_.copy("mine/.vscode", "copied", false));
    exchange();
    EXPECT_EQ(files_.open(kKey).error().code, Code::kDeniedByRule);
    EXPECT_EQ(files_.prepare(kSetting).error().code, Code::kDeniedByRule);
    expect_kept();
}

TEST_F(Held, is_not_read_by_a_name_that_excuses_it) {
    attack("open", [&] {
        auto file = files_.open(kKey);
        EXPECT_NE(file ? file->read_all(100).value_or("") : "", "KEYDATA");
    });
    attack("read", [&] {
        const auto content = files_.read(kKey, 100);
        EXPECT_NE(content ? content->bytes : "", "KEYDATA");
    });
    attack("prepare", [&] {
        const auto change = files_.prepare(kKey);
        EXPECT_NE(change && change->old ? change->old->bytes : "", "KEYDATA");
    });
    attack("copy", [&] {
        (void)files_.copy("node_modules/p", "copied", false);
        EXPECT_NE(os_read(ws("copied/server.key")), "KEYDATA");
    });
}

// A rule may depend on the names of directories, which a command has changed.
TEST_F(Held, is_not_read_by_a_name_that_no_rule_knows) {
    set_up();
    std::filesystem::rename(ws("mine/server.key"), ws("plain.txt"));
    EXPECT_EQ(files_.open("plain.txt").error().code, Code::kDeniedByRule);
    EXPECT_EQ(files_.read("plain.txt", 100).error().code, Code::kDeniedByRule);
    EXPECT_FALSE(files_.copy("plain.txt", "copied", false));
}

TEST_F(Held, a_refusal_names_the_rule_of_the_object_and_not_one_that_excuses_the_name) {
    set_up();
    exchange();
    held_.assign({held(kKey, Protection::kHidden)});
    const auto copied = files_.copy("node_modules/p", "node_modules/q", false);
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().text,
              "'node_modules/p' holds something that the workspace's rule 'a rule' protects. Work "
              "with another file. Nothing was copied.");
    held_.assign({held("node_modules/p/.vscode", Protection::kReadOnly)});
    const auto removed = files_.remove("node_modules", true);
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().text,
              "'node_modules/p/.vscode' is read-only by the workspace's rule 'a rule'. Work with "
              "another file.");
}

// To look at all directories above each name would make of a tree one many times as large.
TEST_F(Held, the_depth_of_a_tree_costs_no_looks_at_what_is_above) {
    if (root().resolver() != ResolverKind::kOpenat2) GTEST_SKIP() << "each step is a look there";
    set_up();
    const auto looks_to_move = [&](const std::string& directory) {
        std::filesystem::create_directories(ws("tree/" + directory));
        for (int i = 0; i < 50; ++i) {
            os_write(ws("tree/" + directory + "/" + std::to_string(i)), "");
        }
        const int looks = count_calls([&] { EXPECT_TRUE(files_.move("tree", "moved", false)); },
                                      sys::Call::kStat);
        std::filesystem::remove_all(ws("moved"));
        return looks;
    };
    const int flat = looks_to_move("1");
    EXPECT_LT(looks_to_move("1/2/3/4/5/6/7/8"), 2 * flat);
}

TEST_F(Held, of_two_names_the_stricter_counts) {
    set_up();
    std::filesystem::create_hard_link(ws("mine/server.key"), ws("mine/copy"));
    const ProtectedPath hidden = held("mine/server.key", Protection::kHidden);
    const ProtectedPath shown = held("mine/copy", Protection::kReadOnly);
    ProtectedPath led = held("mine/copy", Protection::kHidden);
    led.named_by = "a link";
    for (const ProtectedPath& other : {shown, led}) {
        held_.assign({hidden, other});
        EXPECT_TRUE(held_.hides(hidden.stat));
        held_.assign({other, hidden});
        EXPECT_TRUE(held_.hides(hidden.stat));
        held_.add(other);
        EXPECT_TRUE(held_.hides(hidden.stat));
    }
    EXPECT_TRUE(held_.hides_any());
    held_.assign({led, shown});
    EXPECT_TRUE(held_.keeps(shown.stat));
    held_.remove(shown.stat);
    EXPECT_FALSE(held_.hides_any());
}

class Matches final : public search::GrepSink {
public:
    search::Next file(const search::GrepFile& file) override {
        paths.emplace_back(file.path);
        return search::Next::kGoOn;
    }
    search::Next problem(std::string_view, const Failure&) override { return search::Next::kGoOn; }

    std::vector<std::string> paths;
};

TEST_F(Held, is_not_searched_by_a_name_that_excuses_it) {
    attack("grep", [&] {
        Matches matches;
        (void)search::grep(files_.linkless(),
                           {.pattern = "KEYDATA",
                            .path = "node_modules",
                            .walk = {.visible = files_.visibility()},
                            .threads = 1},
                           matches);
        EXPECT_TRUE(matches.paths.empty());
    });
}

TEST_F(Held, is_not_changed_by_a_name_that_excuses_it) {
    attack("write", [&] {
        if (const auto change = files_.prepare(kSetting)) (void)files_.commit(*change, "evil");
    });
    attack("create", [&] {
        const auto change = files_.prepare("node_modules/p/.vscode/new/file");
        if (change) (void)files_.commit(*change, "evil");
    });
    attack("make directory", [&] { (void)files_.make_directory("node_modules/p/.vscode/new"); });
    attack("move away", [&] { (void)files_.move(kSetting, "moved", false); });
    attack("move in", [&] { (void)files_.move("evil", kSetting, true); });
    attack("copy in", [&] { (void)files_.copy("evil", kSetting, true); });
}

TEST_F(Held, is_not_removed_by_a_name_that_excuses_it) {
    attack("remove", [&] { (void)files_.remove(kSetting, false); });
    attack("remove all", [&] { (void)files_.remove("node_modules/p", true); });
    attack("set aside", [&] {
        const auto change = files_.prepare(kSetting);
        if (change && change->old) (void)files_.set_aside(*change);
    });
}

}  // namespace
}  // namespace paddock::testing
