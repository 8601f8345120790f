#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "testing/jail.h"

namespace paddock::sandbox {
namespace {

class Cgroup : public testing::Jail {
protected:
    UniqueFd opened(const std::string& path) const {
        return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    }
};

TEST_F(Cgroup, limits_are_written_where_the_kernel_has_its_files) {
    tree({"ROOT/memory.max=", "ROOT/memory.swap.max=", "ROOT/pids.max=", "ROOT/cpu.max="});
    CommandLimits limits;
    limits.memory_bytes = 1000;
    limits.processes = 7;
    ASSERT_TRUE(set_group_limits(opened(ws()).get(), limits).has_value());
    EXPECT_EQ(os_read(ws("memory.max")), "1000");
    EXPECT_EQ(os_read(ws("memory.swap.max")), "0");
    EXPECT_EQ(os_read(ws("pids.max")), "7");
    EXPECT_EQ(os_read(ws("cpu.max")), "");
    limits.cpu_percent = 150;
    ASSERT_TRUE(set_group_limits(opened(ws()).get(), limits).has_value());
    EXPECT_EQ(os_read(ws("cpu.max")), "150000 100000");
}

TEST_F(Cgroup, a_group_without_the_files_is_refused) {
    EXPECT_FALSE(set_group_limits(opened(ws()).get(), {}).has_value());
}

// A delegated group as the kernel shows it; the leaf is there already, since a directory that is
// made here gets no files by itself.
class Delegated : public Cgroup {
protected:
    void SetUp() override {
        tree({"ROOT/cgroup.controllers=cpu memory pids\n",
              "ROOT/cgroup.procs=" + std::to_string(::getpid()) + "\n",
              "ROOT/cgroup.subtree_control=", "ROOT/paddock-leaf/cgroup.procs="});
    }

    bool hand_down(const CommandLimits& limits = {}) const {
        return sandbox::hand_down(opened(ws()).get(), limits).has_value();
    }
    // "0" is whoever writes.
    bool moved_to(const std::string& group) const {
        return os_read(group + "/cgroup.procs")->starts_with("0");
    }
};

TEST_F(Delegated, controllers_are_handed_down_once_this_process_is_out_of_the_way) {
    ASSERT_TRUE(hand_down());
    EXPECT_TRUE(moved_to(ws("paddock-leaf")));
    EXPECT_FALSE(moved_to(ws()));
    EXPECT_EQ(os_read(ws("cgroup.subtree_control")), "+memory +pids");
}

TEST_F(Delegated, the_processor_is_asked_for_if_it_is_limited) {
    CommandLimits limits;
    limits.cpu_percent = 50;
    ASSERT_TRUE(hand_down(limits));
    EXPECT_EQ(os_read(ws("cgroup.subtree_control")), "+memory +pids +cpu");
}

TEST_F(Delegated, a_group_with_others_is_left_alone) {
    os_write(ws("cgroup.procs"), std::to_string(::getpid()) + "\n1\n");
    EXPECT_FALSE(hand_down());
    EXPECT_FALSE(moved_to(ws("paddock-leaf")));
    EXPECT_EQ(os_read(ws("cgroup.subtree_control")), "");
}

TEST_F(Delegated, a_group_that_is_not_offered_the_controllers_is_left_alone) {
    os_write(ws("cgroup.controllers"), "cpu io pids\n");
    EXPECT_FALSE(hand_down());
    EXPECT_FALSE(moved_to(ws("paddock-leaf")));
}

TEST_F(Delegated, a_refusal_puts_this_process_back) {
    std::filesystem::remove(ws("cgroup.subtree_control"));
    std::filesystem::create_symlink("/dev/full", ws("cgroup.subtree_control"));
    EXPECT_FALSE(hand_down());
    EXPECT_TRUE(moved_to(ws("paddock-leaf"))) << "it was never moved";
    EXPECT_TRUE(moved_to(ws()));
}

TEST_F(Delegated, a_leaf_that_cannot_be_entered_is_removed) {
    std::filesystem::remove_all(ws("paddock-leaf"));
    EXPECT_FALSE(hand_down());
    EXPECT_FALSE(os_exists(ws("paddock-leaf")));
    EXPECT_EQ(os_read(ws("cgroup.subtree_control")), "");
}

TEST_F(Cgroup, events_are_counted_by_name) {
    tree({"ROOT/events=low 0\nhigh 1\nmax 22\noom 3\noom_kill 4\noom_group_kill 5\n"});
    const UniqueFd events = opened(ws("events"));
    EXPECT_EQ(event_count(events.get(), "oom_kill"), 4U);
    EXPECT_EQ(event_count(events.get(), "max"), 22U);
    EXPECT_EQ(event_count(events.get(), "kill"), 0U);
    EXPECT_EQ(event_count(-1, "max"), 0U);
}

}  // namespace
}  // namespace paddock::sandbox
