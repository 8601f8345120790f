#include "fs/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>

#include <paddock/limits.h>

#include "escape/call_hook.h"
#include "escape/in_memory.h"
#include "sys/fault.h"
#include "testing/jail.h"
#include "unit/state_jail.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

class CopyTest : public Jail {
protected:
    UniqueFd open(const char* name, int flags) const {
        return UniqueFd(::open(ws(name).c_str(), flags | O_CLOEXEC, 0644));
    }

    // The copy of the first `size` bytes of "from".
    std::optional<std::string> copied(std::uint64_t size) {
        const UniqueFd from = open("from", O_RDONLY);
        const UniqueFd to = open("to", O_RDWR | O_CREAT | O_TRUNC);
        EXPECT_TRUE(fs::copy_content(from.get(), size, to.get()));
        return os_read(ws("to"));
    }

    struct stat status(const char* name) const {
        struct stat found = {};
        EXPECT_EQ(::lstat(ws(name).c_str(), &found), 0);
        return found;
    }
};

// copy_file_range between these two is refused, as between some file systems.
sys::Fault no_copy_range(sys::Call call) noexcept {
    return {.error = call == sys::Call::kCopyRange ? EXDEV : 0, .bytes_max = 0};
}

TEST_F(CopyTest, takes_what_was_asked_for) {
    os_write(ws("from"), "0123456789");
    EXPECT_EQ(copied(10), "0123456789");
    EXPECT_EQ(copied(4), "0123") << "what was added later is left";
    EXPECT_EQ(copied(20), "0123456789") << "what was cut meanwhile is not made up";
    EXPECT_EQ(copied(0), "");
}

TEST_F(CopyTest, goes_through_user_space_where_the_kernel_cannot) {
    const std::string long_text(300'000, 'x');
    os_write(ws("from"), long_text);
    sys::fault_hook = no_copy_range;
    EXPECT_EQ(copied(long_text.size()), long_text);
    sys::fault_hook = nullptr;
}

// /proc announces 0 or 4096 bytes, whatever there is.
TEST_F(CopyTest, a_file_that_says_more_than_it_has_gets_no_padding) {
    os_write(ws("from"), "four");
    sys::fault_hook = no_copy_range;
    const UniqueFd from = open("from", O_RDONLY);
    const UniqueFd to = open("to", O_RDWR | O_CREAT);
    EXPECT_TRUE(fs::copy_content(from.get(), 4096, to.get()));
    sys::fault_hook = nullptr;
    EXPECT_EQ(os_read(ws("to")), "four");
}

TEST_F(CopyTest, keeps_holes) {
    constexpr off_t kHole = off_t{1} << 32;
    os_write(ws("from"), "head");
    const UniqueFd from = open("from", O_RDWR);
    ASSERT_EQ(::pwrite(from.get(), "tail", 4, kHole), 4);
    ASSERT_EQ(::ftruncate(from.get(), kHole * 2), 0);
    if (status("from").st_blocks > 1000) GTEST_SKIP() << "no sparse files here";
    const UniqueFd to = open("to", O_RDWR | O_CREAT);
    ASSERT_TRUE(fs::copy_content(from.get(), static_cast<std::uint64_t>(kHole * 2), to.get()));
    EXPECT_EQ(status("to").st_size, kHole * 2);
    EXPECT_LE(status("to").st_blocks, 1000) << "holes were written out";
    char tail[5] = {};
    ASSERT_EQ(::pread(to.get(), tail, 4, kHole), 4);
    EXPECT_STREQ(tail, "tail");
}

}  // namespace

namespace {

class TreeTest : public StateJail {
protected:
    // The paths visited below `path`, sorted.
    std::vector<std::string> walked(std::string_view path, const WalkVisitor& also = {}) const {
        std::vector<std::string> seen;
        const UniqueFd start = open_directory(path);
        const auto done =
            fs::walk_tree(state_, start.get(), at(path).text, [&](const WalkEntry& entry) {
                seen.emplace_back(entry.path);
                return also ? also(entry) : WalkAction::kContinue;
            });
        EXPECT_TRUE(done) << done.error().os_error;
        std::sort(seen.begin(), seen.end());
        return seen;
    }

    Identity identity(std::string_view path) const {
        const auto place = fs::locate_name(state_, at(path));
        return place && place->node ? place->node->stat.identity : Identity{};
    }

    Done remove(std::string_view path) const {
        PADDOCK_ASSIGN(place, fs::locate_name(state_, at(path)));
        return fs::remove_tree(state_, place);
    }
};

using Paths = std::vector<std::string>;

TEST_F(TreeTest, a_walk_visits_everything_and_enters_no_link) {
    tree({"ROOT/d/a/f=x", "ROOT/d/b/", "ROOT/d/out->../../OUT", "ROOT/d/in->a"});
    EXPECT_EQ(walked("d"), (Paths{"d/a", "d/a/f", "d/b", "d/in", "d/out"}));
    EXPECT_EQ(walked("d/a"), Paths{"d/a/f"});
    EXPECT_EQ(walked("d/b"), Paths{});
}

TEST_F(TreeTest, a_walk_tells_kind_depth_and_directory) {
    tree({"ROOT/d/a/f=x", "ROOT/d/l->a"});
    walked(".", [](const WalkEntry& entry) {
        const std::string path(entry.path);
        EXPECT_EQ(entry.depth,
                  static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) + 1);
        EXPECT_EQ(entry.type,
                  sys::node_at(entry.directory, std::string(entry.name).c_str())->stat.type);
        EXPECT_EQ(entry.failure, nullptr);
        return WalkAction::kContinue;
    });
}

TEST_F(TreeTest, a_visitor_may_skip_and_stop) {
    tree({"ROOT/d/a/f=x", "ROOT/d/b/f=x"});
    EXPECT_EQ(walked("d", [](const WalkEntry&) { return WalkAction::kSkip; }),
              (Paths{"d/a", "d/b"}));
    EXPECT_EQ(walked("d", [](const WalkEntry&) { return WalkAction::kStop; }).size(), 1U);
}

TEST_F(TreeTest, a_walk_survives_the_removal_of_where_it_is) {
    tree({"ROOT/d/a/b/f=x", "ROOT/e/f=x"});
    const auto seen = walked(".", [this](const WalkEntry& entry) {
        if (entry.path == "d/a/b/f") std::filesystem::remove_all(ws("d"));
        return WalkAction::kContinue;
    });
    EXPECT_TRUE(std::count(seen.begin(), seen.end(), "e/f") == 1);
}

TEST_F(TreeTest, a_directory_that_cannot_be_entered_is_visited_again_with_the_reason) {
    if (is_root()) GTEST_SKIP() << "nothing is closed to root";
    tree({"ROOT/d/closed/f=x"});
    std::filesystem::permissions(ws("d/closed"), std::filesystem::perms::none);
    int failures = 0;
    walked("d", [&](const WalkEntry& entry) {
        if (entry.failure != nullptr) {
            ++failures;
            EXPECT_EQ(entry.path, "d/closed");
            EXPECT_EQ(entry.failure->code, Code::kPermissionDenied);
        }
        return WalkAction::kContinue;
    });
    EXPECT_EQ(failures, 1);
}

TEST_F(TreeTest, removes_everything_but_what_links_point_to) {
    tree({"ROOT/d/a/b/f=x", "ROOT/d/out->../../OUT", "ROOT/d/secret->../../OUT/secret",
          "ROOT/keep=x", "ROOT/d/in->../keep"});
    ASSERT_TRUE(remove("d"));
    EXPECT_EQ(os_list(ws()), Paths{"keep"});
    EXPECT_EQ(secret(), kSecret);
}

TEST_F(TreeTest, removes_a_file_a_link_and_what_is_absent) {
    tree({"ROOT/f=x", "ROOT/l->../OUT"});
    EXPECT_TRUE(remove("f"));
    EXPECT_TRUE(remove("l"));
    EXPECT_TRUE(remove("absent"));
    EXPECT_TRUE(os_list(ws()).empty());
    EXPECT_EQ(secret(), kSecret);
}

TEST_F(TreeTest, opens_what_is_closed_if_told_to) {
    tree({"ROOT/d/a/b/f=x", "ROOT/d/c/f=x"});
    for (const char* path : {"d/a/b", "d/a", "d/c", "d"}) {
        std::filesystem::permissions(ws(path), std::filesystem::perms::none);
    }
    const auto place = fs::locate_name(state_, at("d"));
    if (!is_root()) {
        EXPECT_FALSE(fs::remove_tree(state_, *place));
    }
    EXPECT_TRUE(fs::remove_tree(state_, *place, fs::Locked::kAreOpened));
    EXPECT_TRUE(os_list(ws()).empty());
}

TEST_F(TreeTest, removes_deeper_than_it_holds_directories_open) {
    std::string path = "d";
    for (std::size_t i = 0; i < 3 * kHeldDirectoriesMax; ++i) path += "/d";
    std::filesystem::create_directories(ws(path));
    os_write(ws(path + "/f"), "x");
    const std::size_t descriptors = open_descriptors();
    EXPECT_EQ(walked(".").size(), 3 * kHeldDirectoriesMax + 2);
    ASSERT_TRUE(remove("d"));
    EXPECT_TRUE(os_list(ws()).empty());
    EXPECT_EQ(open_descriptors(), descriptors);
}

using DeepTreeTest = InMemoryOf<TreeTest>;

TEST_F(DeepTreeTest, issue_17_12_walks_and_removes_very_deep_trees) {
    constexpr int kLevels = 20'000;
    make_deep_tree(ws("d"), kLevels);
    const std::size_t descriptors = open_descriptors();
    std::size_t most = 0;
    int seen = 0;
    const UniqueFd start = open_directory(".");
    ASSERT_TRUE(fs::walk_tree(state_, start.get(), {}, [&](const WalkEntry& entry) {
        EXPECT_EQ(entry.failure, nullptr);
        if (++seen % 1000 == 0) most = std::max(most, open_descriptors());
        return WalkAction::kContinue;
    }));
    EXPECT_EQ(seen, kLevels + 1);
    EXPECT_LT(most - descriptors, 2 * kHeldDirectoriesMax);
    ASSERT_TRUE(remove("d"));
    EXPECT_TRUE(os_list(ws()).empty());
}

// Under Landlock the kernel goes up to the root of the workspace each time a directory is opened to
// be read: what is opened again on the way back makes the walk of a deep tree several times slower.
TEST_F(DeepTreeTest, issue_17_12_a_walk_opens_no_directory_again_that_has_nothing_left) {
    constexpr int kLevels = 2000;
    make_deep_tree(ws("d"), kLevels);
    const UniqueFd start = open_directory(".");
    const int opened = count_calls(
        [&] {
            ASSERT_TRUE(fs::walk_tree(state_, start.get(), {},
                                      [](const WalkEntry&) { return WalkAction::kContinue; }));
        },
        sys::Call::kOpenat);
    EXPECT_LE(opened, 2 * (kLevels + 1)) << "once to look at it, once to read it";
}

TEST_F(TreeTest, issue_17_12_a_removal_that_is_cancelled_goes_no_further) {
    tree({"ROOT/d/a=x", "ROOT/d/b=x", "ROOT/d/c=x"});
    std::stop_source stop;
    const auto remove = [&] {
        return fs::remove_tree(state_, fs::locate_name(state_, at("d")).value(), fs::Locked::kStay,
                               stop.get_token());
    };
    {
        int removed = 0;
        const CallHook hook([&](sys::Call call) {
            // The first is for an empty directory.
            if (call == sys::Call::kUnlink && ++removed == 2) stop.request_stop();
            return sys::Fault{};
        });
        const Done done = remove();
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, Code::kCancelled);
    }
    EXPECT_EQ(os_list(ws("d")).size(), 2U);
    EXPECT_FALSE(remove());
    EXPECT_EQ(os_list(ws("d")).size(), 2U);
}

TEST_F(TreeTest, lists_the_first_names_and_says_if_there_are_more) {
    tree({"ROOT/d/c=x", "ROOT/d/a/", "ROOT/d/b->a"});
    const UniqueFd directory = open_directory("d");
    const auto some = fs::list_entries(directory.get(), 2);
    ASSERT_TRUE(some);
    EXPECT_TRUE(some->truncated);
    ASSERT_EQ(some->entries.size(), 2U);
    EXPECT_EQ(some->entries[0].name, "a");
    EXPECT_EQ(some->entries[0].type, FileType::kDirectory);
    EXPECT_EQ(some->entries[1].name, "b");
    EXPECT_EQ(some->entries[1].type, FileType::kSymlink);
    const UniqueFd again = open_directory("d");
    const auto all = fs::list_entries(again.get(), 3);
    ASSERT_TRUE(all);
    EXPECT_FALSE(all->truncated);
    EXPECT_EQ(all->entries.size(), 3U);
}

}  // namespace
