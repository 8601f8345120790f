// Searches and mounts. A program of its own: entering private mounts changes who the process is.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "fs/readable.h"
#include "fs/resolver.h"
#include "search/find.h"
#include "search/grep.h"
#include "testing/jail.h"

namespace paddock::search {
namespace {

class CollectAcrossMounts final : public GrepSink {
public:
    Next file(const GrepFile& file) override {
        text += std::string(file.path) + "\n";
        return Next::kGoOn;
    }
    Next problem(std::string_view path, const Failure& failure) override {
        text += std::string(path) + ": " + std::string(code_name(failure.code)) + "\n";
        return Next::kGoOn;
    }
    std::string text;
};

// A directory and a file of the outside, mounted inside.
class Mounts : public testing::Jail {
protected:
    void SetUp() override {
        std::string why;
        if (!testing::enter_private_mounts(why)) GTEST_SKIP() << why;
        tree({"ROOT/d/", "ROOT/f=inside", "ROOT/g=outside-secret"});
        ASSERT_EQ(::mount(out().c_str(), ws("d").c_str(), nullptr, MS_BIND, nullptr), 0);
        ASSERT_EQ(::mount(out("secret").c_str(), ws("f").c_str(), nullptr, MS_BIND, nullptr), 0);
        expect_naive_leak("d/secret");
        expect_naive_leak("f");
        listed_.mounts = {"d"};
    }
    void TearDown() override {
        ::umount(ws("d").c_str());
        ::umount(ws("f").c_str());
    }

    std::string grep(const RootOptions& options = {}) {
        CollectAcrossMounts collect;
        EXPECT_OK(search::grep(root(options), {.pattern = "outside-secret"}, collect));
        return collect.text;
    }

    RootOptions listed_;
};

TEST_F(Mounts, entries_on_them_are_opened_only_if_listed) {
    for (const bool is_listed : {false, true}) {
        const Root here = root(is_listed ? listed_ : RootOptions());
        const fs::RootState& state = fs::state_of(here);
        const UniqueFd start = fs::open_listing(state, fs::RelPath()).value();
        const auto directory = fs::open_directory_entry(state, start.get(), "d");
        EXPECT_EQ(directory.has_value(), is_listed);
        const auto file = fs::open_file_entry(state, start.get(), "f");
        ASSERT_FALSE(file.has_value());
        EXPECT_EQ(file.error().code, Code::kMountCrossing);
    }
}

TEST_F(Mounts, grep_passes_over_them_and_says_so) {
    EXPECT_EQ(grep(), "d: mount_crossing\nf: mount_crossing\ng\n");
    EXPECT_EQ(grep(listed_), "d/secret\nf: mount_crossing\ng\n");
}

TEST_F(Mounts, glob_passes_over_them) {
    const auto found = find(root(), {.pattern = "**", .order = FindQuery::Order::kPath});
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->found.size(), 2U);
    EXPECT_EQ(found->found[0].path, "f");
    EXPECT_EQ(found->unreadable, 1U);
}

}  // namespace
}  // namespace paddock::search
