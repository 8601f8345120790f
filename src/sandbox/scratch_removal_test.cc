#include "sandbox/scratch_removal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "sandbox/child.h"
#include "testing/jail.h"

namespace paddock::sandbox {
namespace {

class ScratchRemoval : public testing::Jail {
protected:
    // Permissions count for ordinary users only.
    void as_ordinary_user(const std::function<void()>& body) {
        constexpr unsigned kUser = 65534;
        const bool changes_user = testing::is_root();
        if (changes_user) {
            ASSERT_EQ(::chmod(base().c_str(), 0755), 0);
            ASSERT_EQ(::chown(ws().c_str(), kUser, kUser), 0);
        }
        testing::in_child([&] {
            if (changes_user) {
                ASSERT_EQ(::setresgid(kUser, kUser, kUser), 0);
                ASSERT_EQ(::setresuid(kUser, kUser, kUser), 0);
            }
            body();
        });
    }

    void expect_removed() const {
        sys::DirReader reader;
        const auto removed = remove_scratch(ws().c_str(), "scratch", reader);
        EXPECT_TRUE(removed) << removed.error().reason;
        EXPECT_FALSE(os_exists(ws("scratch")));
    }

    // So deep that no path could name it; a file and another directory on each level.
    void dig(int levels) const {
        ASSERT_EQ(::chdir(ws("scratch").c_str()), 0);
        for (int i = 0; i < levels; ++i) {
            os_write("file", "x");
            ASSERT_EQ(::mkdir("0", 0700), 0);
            os_write("0/file", "x");
            const std::string down(40, 'd');
            ASSERT_EQ(::mkdir(down.c_str(), 0700), 0);
            ASSERT_EQ(::chdir(down.c_str()), 0);
        }
        ASSERT_EQ(::chdir("/"), 0);
    }
};

TEST_F(ScratchRemoval, takes_files_links_and_directories) {
    tree({"ROOT/scratch/a/b/c=", "ROOT/scratch/0/1=", "ROOT/scratch/1/0/2=", "ROOT/scratch/out->/",
          "ROOT/scratch/d/up->../..", "ROOT/keep="});
    expect_removed();
    EXPECT_TRUE(os_exists(ws("keep")));
}

TEST_F(ScratchRemoval, takes_what_lies_deeper_than_a_path_can_be_long) {
    tree({"ROOT/scratch/"});
    testing::in_child([&] {
        dig(150);
        expect_removed();
    });
}

TEST_F(ScratchRemoval, takes_more_than_is_read_at_once) {
    tree({"ROOT/scratch/many/"});
    const std::string long_name(200, 'x');
    for (int i = 0; i < 200; ++i) {
        tree({"ROOT/scratch/many/" + std::to_string(i) + long_name + "/in/"});
    }
    expect_removed();
}

TEST_F(ScratchRemoval, takes_directories_that_were_closed) {
    as_ordinary_user([&] {
        for (const mode_t closed : {0000U, 0100U, 0400U, 0500U}) {
            tree({"ROOT/scratch/a/b/c/d=", "ROOT/scratch/e/f="});
            for (const char* path : {"scratch/a/b/c", "scratch/a/b", "scratch/e", "scratch"}) {
                ASSERT_EQ(::chmod(ws(path).c_str(), closed), 0);
            }
            expect_removed();
        }
    });
}

}  // namespace
}  // namespace paddock::sandbox
