#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <gtest/gtest.h>

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
