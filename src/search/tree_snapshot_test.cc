#include "search/tree_snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include <paddock/limits.h>

#include "testing/jail.h"

namespace paddock::search {
namespace {

class SnapshotTest : public testing::Jail {
protected:
    // Notes names that begin with "n"; does not enter "closed".
    TreeSnapshot snapshot() {
        return TreeSnapshot(root({.symlinks = Symlinks::kReject}),
                            [](int, std::string_view, std::string_view name, FileType) {
                                return EntryInterest{name.starts_with('n'), name != "closed"};
                            });
    }

    static std::string noted(const TreeSnapshot& of) {
        std::vector<std::string> lines;
        of.each_notable([&](const std::string& path, const std::vector<NotableEntry>& notable) {
            for (const NotableEntry& entry : notable) {
                lines.push_back((path.empty() ? "" : path + "/") + entry.name + ":" +
                                std::string(file_type_name(entry.type)).substr(0, 1));
            }
        });
        std::sort(lines.begin(), lines.end());
        std::string text;
        for (const std::string& line : lines) text += line + " ";
        return text;
    }
    std::string look(TreeSnapshot& at) const {
        const Done done = at.look(std::chrono::system_clock::now() + later_);
        return done ? noted(at) : "error: " + std::string(code_name(done.error().code));
    }

    // From now on it is long ago that anything was changed: the snapshot may trust what it sees.
    void settle() { later_ = 10 * limits::kSnapshotSettleTime; }

private:
    std::chrono::seconds later_{};
};

TEST_F(SnapshotTest, finds_names_at_any_depth_and_no_others) {
    tree({"ROOT/n1=", "ROOT/a/n2/", "ROOT/a/b/c/n3->nowhere", "ROOT/a/x=", "ROOT/n4|",
          "ROOT/closed/n5=", "ROOT/link->a"});
    TreeSnapshot at = snapshot();
    EXPECT_EQ(look(at), "a/b/c/n3:s a/n2:d n1:f n4:f ");
    EXPECT_EQ(at.directories(), 5U);
    EXPECT_TRUE(at.unreadable().empty());
}

TEST_F(SnapshotTest, sees_every_change_at_once) {
    tree({"ROOT/a/b/", "ROOT/c/"});
    TreeSnapshot at = snapshot();
    EXPECT_EQ(look(at), "");
    tree({"ROOT/a/b/n1="});
    EXPECT_EQ(look(at), "a/b/n1:f ");
    std::filesystem::rename(ws("a/b"), ws("c/b"));
    EXPECT_EQ(look(at), "c/b/n1:f ");
    std::filesystem::rename(ws("c"), ws("a/n"));
    EXPECT_EQ(look(at), "a/n/b/n1:f a/n:d ");
    std::filesystem::remove(ws("a/n/b/n1"));
    tree({"ROOT/a/n/b/n1/"});
    EXPECT_EQ(look(at), "a/n/b/n1:d a/n:d ");
    std::filesystem::remove_all(ws("a"));
    EXPECT_EQ(look(at), "");
    EXPECT_EQ(at.directories(), 1U);
}

TEST_F(SnapshotTest, lists_only_what_has_changed) {
    tree({"ROOT/a/b/n1=", "ROOT/a/c/", "ROOT/d/e/f/"});
    TreeSnapshot at = snapshot();
    settle();
    (void)look(at);
    EXPECT_EQ(at.listed(), 7U);
    (void)look(at);
    EXPECT_EQ(at.listed(), 0U);
    tree({"ROOT/d/e/f/n2="});
    EXPECT_EQ(look(at), "a/b/n1:f d/e/f/n2:f ");
    EXPECT_EQ(at.listed(), 1U);
    // Its time of modification is set back, its time of change cannot be.
    tree({"ROOT/a/c/n3="});
    const timespec old[2] = {{0, 0}, {0, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, ws("a/c").c_str(), old, 0), 0);
    EXPECT_EQ(look(at), "a/b/n1:f a/c/n3:f d/e/f/n2:f ");
    // What was exchanged keeps its times and is another directory all the same.
    std::filesystem::rename(ws("a/b"), ws("x"));
    std::filesystem::rename(ws("a/c"), ws("a/b"));
    std::filesystem::rename(ws("x"), ws("a/c"));
    EXPECT_EQ(look(at), "a/b/n3:f a/c/n1:f d/e/f/n2:f ");
}

// Without the second look at what has just been changed, a name made in the same tick is missed.
TEST_F(SnapshotTest, does_not_trust_what_has_just_been_changed) {
    tree({"ROOT/a/"});
    TreeSnapshot at = snapshot();
    for (int i = 0; i < 500; ++i) {
        const std::string name = "a/n" + std::to_string(i);
        (void)look(at);
        os_write(ws(name), "");
        const std::string seen = look(at);
        ASSERT_NE(seen.find(name + ":f"), std::string::npos) << seen;
        std::filesystem::remove(ws(name));
    }
}

TEST_F(SnapshotTest, says_what_it_could_not_read) {
    if (testing::is_root()) GTEST_SKIP() << "root reads everything";
    tree({"ROOT/a/b/n1=", "ROOT/c/n2="});
    TreeSnapshot at = snapshot();
    EXPECT_EQ(look(at), "a/b/n1:f c/n2:f ");
    ASSERT_EQ(::chmod(ws("a").c_str(), 0300), 0);
    EXPECT_EQ(look(at), "c/n2:f ");
    const auto unreadable = at.unreadable();
    ASSERT_EQ(unreadable.size(), 1U);
    EXPECT_EQ(unreadable.at("a").code, Code::kPermissionDenied);
    ASSERT_EQ(::chmod(ws("a").c_str(), 0700), 0);
    EXPECT_EQ(look(at), "a/b/n1:f c/n2:f ");
    EXPECT_TRUE(at.unreadable().empty());
}

// Of what may stay for ever there may be too much; it takes no room from the others.
TEST_F(SnapshotTest, counts_the_harmless_apart_and_says_what_it_left_out) {
    TreeSnapshot at(root({.symlinks = Symlinks::kReject}),
                    [](int, std::string_view, std::string_view name, FileType) {
                        return EntryInterest{true, true, name.starts_with('h')};
                    });
    tree({"ROOT/a/n1="});
    for (std::size_t i = 0; i <= limits::kSnapshotNotableMax; ++i) {
        os_write(ws("a/h" + std::to_string(i)), "");
    }
    tree({"ROOT/a/n2="});
    settle();
    for (int i = 0; i < 2; ++i) {
        const std::string seen = look(at);
        EXPECT_EQ(at.cut(), "a");
        EXPECT_NE(seen.find("a/n1:f "), seen.npos);
        EXPECT_NE(seen.find("a/n2:f "), seen.npos);
    }
    std::filesystem::remove(ws("a/h7"));
    (void)look(at);
    EXPECT_EQ(at.cut(), std::nullopt);
}

TEST_F(SnapshotTest, knows_directories_by_their_identity) {
    tree({"ROOT/a/b/c/"});
    TreeSnapshot at = snapshot();
    (void)look(at);
    const Stat b = root().lstat("a/b").value();
    EXPECT_EQ(at.path_of(b), "a/b");
    std::filesystem::rename(ws("a/b"), ws("moved"));
    (void)look(at);
    EXPECT_EQ(at.path_of(b), "moved");
    std::filesystem::remove_all(ws("moved"));
    (void)look(at);
    EXPECT_EQ(at.path_of(b), "");
}

TEST_F(SnapshotTest, goes_as_deep_as_a_tree_can_be) {
    // By hand: no path of the whole is short enough for the system.
    ASSERT_EQ(::chdir(ws().c_str()), 0);
    for (int i = 0; i < 500; ++i) {
        ASSERT_EQ(::mkdir("directory", 0700), 0);
        ASSERT_EQ(::chdir("directory"), 0);
    }
    ASSERT_EQ(::mkdir("n", 0700), 0);
    ASSERT_EQ(::chdir("/"), 0);
    TreeSnapshot at = snapshot();
    const std::size_t descriptors = testing::open_descriptors();
    EXPECT_NE(look(at).find("/n:d"), std::string::npos);
    EXPECT_NE(look(at).find("/n:d"), std::string::npos);
    EXPECT_EQ(at.directories(), 502U);
    EXPECT_EQ(testing::open_descriptors(), descriptors);
    EXPECT_OK(root().remove_all("directory"));
}

// Random changes: an old snapshot, looked at again, equals a new one.
TEST_F(SnapshotTest, agrees_with_a_fresh_one) {
    std::minstd_rand random(7);
    const auto name = [&] {
        std::string path;
        for (auto depth = 1 + random() % 4; depth > 0; --depth) {
            path += std::string(path.empty() ? "" : "/") + (random() % 3 == 0 ? "n" : "d") +
                    std::to_string(random() % 3);
        }
        return ws(path);
    };
    TreeSnapshot at = snapshot();
    for (int step = 0; step < 400; ++step) {
        for (auto changes = random() % 5; changes > 0; --changes) {
            std::error_code ignored;
            switch (random() % 4) {
                case 0: std::filesystem::create_directories(name(), ignored); break;
                case 1: std::filesystem::rename(name(), name(), ignored); break;
                case 2: std::filesystem::remove_all(name(), ignored); break;
                default: std::ofstream file(name()); break;
            }
        }
        TreeSnapshot fresh = snapshot();
        ASSERT_EQ(look(at), look(fresh)) << step;
        ASSERT_EQ(at.directories(), fresh.directories()) << step;
    }
}

}  // namespace
}  // namespace paddock::search
