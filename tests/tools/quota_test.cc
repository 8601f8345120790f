// What a workspace may hold.
#include <gtest/gtest.h>

#include "tools/desk.h"

namespace paddock::testing {
namespace {

constexpr std::uint64_t kBlock = 4096;

class Quota : public Desk {
protected:
    Quota() { options.limits.bytes_on_disk = 10 * kBlock; }

    json::Object file(std::string_view path, std::size_t blocks) {
        return {{"path", path}, {"content", std::string(blocks * kBlock - 1, 'x')}};
    }
};

TEST_F(Quota, files_fit_or_are_not_written) {
    (void)ok("write_file", file("a", 6));
    EXPECT_EQ(refused("write_file", file("b", 5)), "quota_exceeded");
    EXPECT_FALSE(os_exists(ws("b")));
    (void)ok("write_file", file("b", 4));
    EXPECT_EQ(refused("write_file", {{"path", "c"}, {"content", ""}}), "quota_exceeded");
    EXPECT_EQ(refused("make_directory", {{"path", "d"}}), "quota_exceeded");
}

TEST_F(Quota, a_replaced_file_makes_room_for_its_successor) {
    (void)ok("write_file", file("a", 8));
    (void)ok("write_file", {{"path", "a"}, {"content", std::string(8 * kBlock - 1, 'y')}});
    EXPECT_EQ(refused("write_file", file("a", 11)), "quota_exceeded");
    (void)ok("write_file", file("a", 10));
}

TEST_F(Quota, what_is_removed_makes_room) {
    (void)ok("write_file", file("a", 10));
    EXPECT_EQ(refused("copy_path", {{"source", "a"}, {"destination", "b"}}), "quota_exceeded");
    (void)ok("remove_path", {{"path", "a"}});
    (void)ok("write_file", file("b", 10));
}

TEST_F(Quota, what_others_made_counts) {
    tree({"ROOT/d/e/"});
    os_write(ws("d/e/f"), std::string(5 * kBlock, 'x'));  // five blocks, and two directories
    EXPECT_EQ(refused("write_file", file("a", 4)), "quota_exceeded");
    (void)ok("write_file", file("a", 3));
}

TEST_F(Quota, full_blocks_are_not_rounded_up) {
    (void)ok("write_file", {{"path", "a"}, {"content", std::string(10 * kBlock, 'x')}});
    os_write(ws("a"), std::string(9 * kBlock, 'x'));
    reopen();
    (void)ok("write_file", {{"path", "b"}, {"content", std::string(kBlock, 'x')}});
}

TEST_F(Quota, an_empty_file_has_its_block_already) {
    (void)ok("write_file", file("a", 9));
    (void)ok("write_file", {{"path", "b"}, {"content", ""}});
    (void)ok("write_file", {{"path", "b"}, {"content", "x"}});
}

TEST_F(Quota, a_copy_takes_the_room_of_what_it_replaces) {
    (void)ok("write_file", file("a", 5));
    (void)ok("write_file", file("b", 5));
    (void)ok("copy_path", {{"source", "a"}, {"destination", "b"}, {"overwrite", true}});
}

}  // namespace
}  // namespace paddock::testing
